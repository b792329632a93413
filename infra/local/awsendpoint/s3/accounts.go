package s3

import (
	"github.com/versity/versitygw/auth"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/iam"
)

// accounts are those that versitygw verifies signatures of: the administrator's
// and the roles'. What a role may do has been decided before a request gets here
// (iam.Guard), so that to versitygw they are all administrators.
type accounts struct {
	auth.IAMService
	keys iam.Keys
}

func openAccounts(keys string) (auth.IAMService, error) {
	root := auth.NewIAMServiceSingle(auth.Account{Access: AccessKey, Secret: SecretKey, Role: auth.RoleAdmin})
	if keys == "" {
		return root, nil
	}
	opened, err := iam.OpenKeys(keys)
	return accounts{root, opened}, err
}

// GetUserAccount finds an account by its access key.
func (a accounts) GetUserAccount(access string) (auth.Account, error) {
	if _, ok := iam.RoleOf(access); ok {
		return auth.Account{Access: access, Secret: a.keys.Secret(access), Role: auth.RoleAdmin}, nil
	}
	return a.IAMService.GetUserAccount(access)
}
