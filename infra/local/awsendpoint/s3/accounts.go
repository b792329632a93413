package s3

import (
	"github.com/versity/versitygw/auth"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/iam"
)

// accounts are the accounts for versitygw's signature verification: the administrator and the
// roles. iam.Guard has already authorised each request, so that to versitygw all of them are
// administrators.
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

// GetUserAccount returns the account with that access key.
func (a accounts) GetUserAccount(access string) (auth.Account, error) {
	if _, ok := iam.RoleOf(access); ok {
		return auth.Account{Access: access, Secret: a.keys.Secret(access), Role: auth.RoleAdmin}, nil
	}
	return a.IAMService.GetUserAccount(access)
}
