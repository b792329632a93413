package main

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	cognito "github.com/aws/aws-sdk-go-v2/service/cognitoidentityprovider"
	"github.com/aws/aws-sdk-go-v2/service/cognitoidentityprovider/types"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/shared/aws/userpool"
	"github.com/loadbay/loadbay/shared/job/tenant"
)

// invitation is a person who may sign in, with an organisation and scopes.
type invitation struct {
	email, organisation string
	scopes              []string
}

// validate reports every error before the first call to AWS.
func (i invitation) validate() error {
	var errs []error
	if a, err := mail.ParseAddress(i.email); err != nil || a.Address != i.email {
		errs = append(errs, fmt.Errorf("EMAIL is %q, not an address", i.email))
	}
	operates := slices.Contains(i.scopes, blueprint.OperatorScope)
	if _, err := tenant.Parse(i.organisation); err != nil && (i.organisation != "" || !operates) {
		errs = append(errs, fmt.Errorf("ORGANISATION is %q: set an organisation ID; only users with the scope %s need none", i.organisation, blueprint.OperatorScope))
	}
	for _, scope := range i.scopes {
		if scope != blueprint.OperatorScope && !slices.Contains(blueprint.Scopes(), scope) {
			errs = append(errs, fmt.Errorf("SCOPES: unknown scope %q; available: %s %s", scope, strings.Join(blueprint.Scopes(), " "), blueprint.OperatorScope))
		}
	}
	return errors.Join(errs...)
}

func (i invitation) attributes() []types.AttributeType {
	attribute := func(name, value string) types.AttributeType {
		return types.AttributeType{Name: &name, Value: &value}
	}
	return []types.AttributeType{
		attribute("email", i.email), attribute("email_verified", "true"),
		attribute(userpool.Attribute(userpool.OrganisationAttribute), i.organisation),
		attribute(userpool.Attribute(userpool.ScopesAttribute), strings.Join(i.scopes, " ")),
	}
}

// invite creates or changes the account in the pool with that name, and returns a message about
// it. Tokens already issued expire within the hour.
func invite(ctx context.Context, c *cognito.Client, name string, i invitation) (string, error) {
	pool, err := findPool(ctx, c, name)
	if err != nil {
		return "", err
	}
	given := slices.DeleteFunc(i.attributes(), func(a types.AttributeType) bool { return *a.Value == "" })
	_, err = c.AdminCreateUser(ctx, &cognito.AdminCreateUserInput{
		UserPoolId: &pool, Username: &i.email, UserAttributes: given, DesiredDeliveryMediums: []types.DeliveryMediumType{types.DeliveryMediumTypeEmail},
	})
	if err == nil {
		return i.email + " was invited by e-mail.", nil
	}
	var known *types.UsernameExistsException
	if !errors.As(err, &known) {
		return "", fmt.Errorf("invite %s: %w", i.email, err)
	}
	_, err = c.AdminUpdateUserAttributes(ctx, &cognito.AdminUpdateUserAttributesInput{UserPoolId: &pool, Username: &i.email, UserAttributes: i.attributes()})
	if err != nil {
		return "", fmt.Errorf("change %s: %w", i.email, err)
	}
	return i.email + " already had an account; the scopes were updated.", nil
}

// findPool returns the id of the only pool with that name.
func findPool(ctx context.Context, c *cognito.Client, name string) (string, error) {
	var found []string
	pages := cognito.NewListUserPoolsPaginator(c, &cognito.ListUserPoolsInput{MaxResults: aws.Int32(60)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return "", fmt.Errorf("list the user pools: %w", err)
		}
		for _, p := range page.UserPools {
			if aws.ToString(p.Name) == name {
				found = append(found, aws.ToString(p.Id))
			}
		}
	}
	if len(found) != 1 {
		return "", fmt.Errorf("%d user pools named %s in this region, expected one (created by -c auth=cognito)", len(found), name)
	}
	return found[0], nil
}
