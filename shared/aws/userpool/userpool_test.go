package userpool_test

import (
	"encoding/json"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/aws/userpool"
)

// asked is what Cognito sends, version 2 of it.
const asked = `{
	"version": "2", "triggerSource": "TokenGeneration_HostedAuth", "region": "eu-central-1", "userPoolId": "eu-central-1_A", "userName": "ada",
	"callerContext": {"awsSdkVersion": "aws-sdk-unknown-unknown", "clientId": "console"},
	"request": {
		"userAttributes": {"sub": "6f2c", "email": "ada@example.org", "custom:organisation_id": "2", "custom:scopes": "imports:read  imports:write"},
		"groupConfiguration": {"groupsToOverride": [], "iamRolesToOverride": [], "preferredRole": null}, "scopes": ["openid"]
	},
	"response": {"claimsAndScopeOverrideDetails": null}
}`

// answer is what Cognito reads of the response.
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

func complete(t *testing.T, change func(attributes map[string]string)) answer {
	t.Helper()
	var e events.CognitoEventUserPoolsPreTokenGenV2_0
	require.NoError(t, json.Unmarshal([]byte(asked), &e))
	change(e.Request.UserAttributes)
	text, err := json.Marshal(userpool.Complete(e))
	require.NoError(t, err)
	var a answer
	require.NoError(t, json.Unmarshal(text, &a))
	return a
}

func TestAnAccessTokenSaysForWhomAndWhat(t *testing.T) {
	t.Parallel()
	a := complete(t, func(map[string]string) {})
	token := a.Response.ClaimsAndScopeOverrideDetails.AccessTokenGeneration
	require.Equal(t, "2", a.Version)
	require.Equal(t, map[string]any{"organisation_id": "2"}, token.ClaimsToAddOrOverride)
	require.Equal(t, []string{"imports:read", "imports:write"}, token.ScopesToAdd)
	require.Empty(t, token.ScopesToSuppress)
}

// TestWhoIsNotInvitedMayDoNothing: an account without attributes has a token that opens no route.
func TestWhoIsNotInvitedMayDoNothing(t *testing.T) {
	t.Parallel()
	token := complete(t, func(a map[string]string) {
		delete(a, "custom:organisation_id")
		delete(a, "custom:scopes")
	}).Response.ClaimsAndScopeOverrideDetails.AccessTokenGeneration
	require.Empty(t, token.ClaimsToAddOrOverride)
	require.Empty(t, token.ScopesToAdd)
}

// TestAnOperatorActsForNobody, and needs no organisation.
func TestAnOperatorActsForNobody(t *testing.T) {
	t.Parallel()
	token := complete(t, func(a map[string]string) {
		a["custom:organisation_id"], a["custom:scopes"] = "", "admin"
	}).Response.ClaimsAndScopeOverrideDetails.AccessTokenGeneration
	require.Empty(t, token.ClaimsToAddOrOverride)
	require.Equal(t, []string{"admin"}, token.ScopesToAdd)
}
