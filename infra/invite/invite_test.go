package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	cognito "github.com/aws/aws-sdk-go-v2/service/cognitoidentityprovider"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// fakeCognito responds in Cognito's wire format: two pages of pools, with the pool of dev on the
// second, and one person with an account.
type fakeCognito struct {
	calls    []string
	requests map[string]any
}

func (p *fakeCognito) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
	p.calls = append(p.calls, operation)
	in := map[string]any{}
	if json.NewDecoder(r.Body).Decode(&in) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	say := func(document string) { _, _ = w.Write([]byte(document)) }
	switch {
	case operation == "ListUserPools" && in["NextToken"] == nil:
		say(`{"UserPools":[{"Id":"one","Name":"loadbay-prod"},{"Id":"two","Name":"of others"}],"NextToken":"more"}`)
	case operation == "ListUserPools":
		say(`{"UserPools":[{"Id":"three","Name":"loadbay-dev"}]}`)
	case operation == "AdminCreateUser" && in["Username"] == "known@example.org":
		w.Header().Set("X-Amzn-Errortype", "UsernameExistsException")
		w.WriteHeader(http.StatusBadRequest)
		say(`{"__type":"UsernameExistsException","message":"User account already exists"}`)
	default:
		p.requests = in
		say(`{}`)
	}
}

func newPoolClient(t *testing.T) (*fakeCognito, *cognito.Client) {
	t.Helper()
	p := &fakeCognito{}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	return p, cognito.New(cognito.Options{
		Region: "eu-central-1", BaseEndpoint: aws.String(server.URL), Credentials: credentials.NewStaticCredentialsProvider("key", "secret", ""),
	})
}

func TestInviteCreatesUserInStagePool(t *testing.T) {
	t.Parallel()
	p, c := newPoolClient(t)
	name := blueprint.Deployment{Stage: "dev"}.Name(blueprint.UserPool)
	ada := invitation{email: "ada@example.org", organisation: "2", scopes: []string{"imports:read", "imports:write"}}
	message, err := invite(t.Context(), c, name, ada)
	require.NoError(t, err)
	require.Equal(t, "ada@example.org was invited by e-mail.", message)
	require.Equal(t, []string{"ListUserPools", "ListUserPools", "AdminCreateUser"}, p.calls)
	require.Equal(t, "three", p.requests["UserPoolId"])
	require.Equal(t, map[string]string{
		"email": "ada@example.org", "email_verified": "true", "custom:organisation_id": "2", "custom:scopes": "imports:read imports:write",
	}, p.attributes())

	ada.email, ada.scopes = "known@example.org", []string{"imports:read"}
	message, err = invite(t.Context(), c, name, ada)
	require.NoError(t, err)
	require.Contains(t, message, "had an account")
	require.Equal(t, "AdminUpdateUserAttributes", p.calls[len(p.calls)-1])
	require.Equal(t, "imports:read", p.attributes()["custom:scopes"])

	_, err = invite(t.Context(), c, "loadbay-elsewhere", ada)
	require.ErrorContains(t, err, "0 user pools named loadbay-elsewhere")
}

func (p *fakeCognito) attributes() map[string]string {
	sent := map[string]string{}
	for _, a := range p.requests["UserAttributes"].([]any) {
		sent[a.(map[string]any)["Name"].(string)] = a.(map[string]any)["Value"].(string)
	}
	return sent
}

func TestInvalidInvitationsAreRefused(t *testing.T) {
	t.Parallel()
	require.NoError(t, invitation{email: "ops@example.org", scopes: []string{blueprint.OperatorScope}}.validate())
	require.NoError(t, invitation{email: "ada@example.org", organisation: "2", scopes: blueprint.Scopes()}.validate())
	for want, i := range map[string]invitation{
		`EMAIL is "Ada <ada@example.org>", not an address`: {email: "Ada <ada@example.org>", organisation: "2"},
		`ORGANISATION is ""`:         {email: "ada@example.org", scopes: []string{"imports:read"}},
		`ORGANISATION is "two"`:      {email: "ops@example.org", organisation: "two", scopes: []string{blueprint.OperatorScope}},
		`unknown scope "everything"`: {email: "ada@example.org", organisation: "2", scopes: []string{"everything"}},
	} {
		require.ErrorContains(t, i.validate(), want)
	}
}
