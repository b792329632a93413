package userpool_test

import (
	"encoding/json"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/aws/userpool"
)

// tokenRequest is an event of version 2, as Cognito sends it.
const tokenRequest = `{
	"version": "2", "triggerSource": "TokenGeneration_HostedAuth", "region": "eu-central-1", "userPoolId": "eu-central-1_A", "userName": "ada",
	"callerContext": {"awsSdkVersion": "aws-sdk-unknown-unknown", "clientId": "console"},
	"request": {
		"userAttributes": {"sub": "6f2c", "email": "ada@example.org", "custom:organisation_id": "2", "custom:scopes": "imports:read  imports:write"},
		"groupConfiguration": {"groupsToOverride": [], "iamRolesToOverride": [], "preferredRole": null}, "scopes": ["openid"]
	},
	"response": {"claimsAndScopeOverrideDetails": null}
}`

// answer holds the fields of the response that Cognito reads.
type answer struct {
	Version  string
	Response struct {
		ClaimsAndScopeOverrideDetails struct {
			IDTokenGeneration     map[string]any
			AccessTokenGeneration struct {
				ClaimsToAddOrOverride map[string]any
				ScopesToAdd           []string
				ScopesToSuppress      []string
			}
		}
	}
}

func addClaims(t *testing.T, change func(attributes map[string]string)) answer {
	t.Helper()
	var e events.CognitoEventUserPoolsPreTokenGenV2_0
	require.NoError(t, json.Unmarshal([]byte(tokenRequest), &e))
	change(e.Request.UserAttributes)
	text, err := json.Marshal(userpool.AddClaims(e))
	require.NoError(t, err)
	var a answer
	require.NoError(t, json.Unmarshal(text, &a))
	return a
}

func TestTokenHasOrganisationAndScopes(t *testing.T) {
	t.Parallel()
	a := addClaims(t, func(map[string]string) {})
	token := a.Response.ClaimsAndScopeOverrideDetails.AccessTokenGeneration
	require.Equal(t, "2", a.Version)
	require.Equal(t, map[string]any{"organisation_id": "2"}, token.ClaimsToAddOrOverride)
	require.Equal(t, []string{"imports:read", "imports:write"}, token.ScopesToAdd)
	require.Empty(t, token.ScopesToSuppress)
}

// The token of an account without attributes gives access to no route.
func TestUninvitedUserHasNoScopes(t *testing.T) {
	t.Parallel()
	token := addClaims(t, func(a map[string]string) {
		delete(a, "custom:organisation_id")
		delete(a, "custom:scopes")
	}).Response.ClaimsAndScopeOverrideDetails.AccessTokenGeneration
	require.Empty(t, token.ClaimsToAddOrOverride)
	require.Empty(t, token.ScopesToAdd)
}

// The token of an operator has no organisation and needs none.
func TestOperatorTokenHasNoOrganisation(t *testing.T) {
	t.Parallel()
	token := addClaims(t, func(a map[string]string) {
		a["custom:organisation_id"], a["custom:scopes"] = "", "admin"
	}).Response.ClaimsAndScopeOverrideDetails.AccessTokenGeneration
	require.Empty(t, token.ClaimsToAddOrOverride)
	require.Equal(t, []string{"admin"}, token.ScopesToAdd)
}
