package stack_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/shared/runtime/signin"
)

// People of a pool of the stage's own are invited, have a second factor, and sign in with
// both clients by PKCE: the clients have no secret, and answers go to fixed addresses.
func TestPeopleSignInAtAUserPool(t *testing.T) {
	t.Parallel()
	w := synth(t, "dev-cognito")
	id, pool := w.only(t, "AWS::Cognito::UserPool", "", "")
	require.Equal(t, true, at(t, pool.Properties, "AdminCreateUserConfig", "AllowAdminCreateUserOnly"))
	require.Equal(t, "ON", pool.Properties["MfaConfiguration"])
	require.Equal(t, "ESSENTIALS", pool.Properties["UserPoolTier"], "others let no trigger change access tokens")

	trigger := at(t, pool.Properties, "LambdaConfig", "PreTokenGenerationConfig")
	require.Equal(t, "V2_0", at(t, trigger, "LambdaVersion"))
	function, _ := w.function(t, blueprint.TokensFunction)
	require.Equal(t, "${"+function+".Arn}", w.text(at(t, trigger, "LambdaArn")))
	var permitted []string
	for _, p := range w.ofType("AWS::Lambda::Permission") {
		if p.Properties["Principal"] == "cognito-idp.amazonaws.com" {
			permitted = append(permitted, w.text(p.Properties["FunctionName"])+" for "+w.text(p.Properties["SourceArn"]))
		}
	}
	require.Equal(t, []string{"${" + function + ".Arn} for ${" + id + ".Arn}"}, permitted)

	clients := w.ofType("AWS::Cognito::UserPoolClient")
	require.Len(t, clients, 2)
	var ports []string
	for _, port := range signin.CommandPorts() {
		ports = append(ports, fmt.Sprintf("http://127.0.0.1:%d/signed-in", port))
	}
	distribution, _ := w.only(t, "AWS::CloudFront::Distribution", "", "")
	require.Equal(t, ports, w.texts(clients["CommandClient"].Properties["CallbackURLs"]))
	require.Equal(t, []string{"https://${" + distribution + ".DomainName}/signed-in"}, w.texts(clients["ConsoleClient"].Properties["CallbackURLs"]))
	for name, c := range clients {
		require.Equal(t, false, c.Properties["GenerateSecret"], name)
		require.Equal(t, []string{"code"}, w.texts(c.Properties["AllowedOAuthFlows"]), name)
		require.Equal(t, []string{"openid"}, w.texts(c.Properties["AllowedOAuthScopes"]), name)
		require.Equal(t, []string{"email"}, w.texts(c.Properties["WriteAttributes"]), "nobody says themselves what they may do")
	}
}

// The API accepts the tokens of both clients and of no other, and says where to get them; the
// console's pages may go there.
func TestTheAPIAcceptsTokensOfItsUserPool(t *testing.T) {
	t.Parallel()
	w := synth(t, "dev-cognito")
	pool, _ := w.only(t, "AWS::Cognito::UserPool", "", "")
	_, authorizer := w.only(t, "AWS::ApiGatewayV2::Authorizer", "", "")
	jwt := at(t, authorizer.Properties, "JwtConfiguration")
	require.Equal(t, "${"+pool+".ProviderURL}", w.text(at(t, jwt, "Issuer")))
	require.Equal(t, []string{"${ConsoleClient}", "${CommandClient}"}, w.texts(at(t, jwt, "Audience")))

	_, api := w.function(t, "api")
	variables := at(t, api.Properties, "Environment", "Variables").(map[string]any)
	require.Equal(t, "${"+pool+".ProviderURL}", w.text(variables[blueprint.AuthIssuer]))
	require.Equal(t, "${ConsoleClient}", w.text(variables[blueprint.AuthClientID]))
	require.Equal(t, "${CommandClient}", w.text(variables[blueprint.AuthCommandClientID]))

	_, domain := w.only(t, "AWS::Cognito::UserPoolDomain", "", "")
	_, headers := w.only(t, "AWS::CloudFront::ResponseHeadersPolicy", "", "")
	policy := w.text(at(t, headers.Properties, "ResponseHeadersPolicyConfig", "SecurityHeadersConfig", "ContentSecurityPolicy", "ContentSecurityPolicy"))
	require.Contains(t, policy, "https://"+w.text(domain.Properties["Domain"])+".auth.")
	require.Contains(t, policy, "https://cognito-idp.")
}

// Without it nothing of Cognito is there, and no function that only it calls.
func TestAnIssuerOfOnesOwnNeedsNoUserPool(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		if w.settings.UserPool {
			return
		}
		require.Empty(t, w.ofType("AWS::Cognito::UserPool"))
		require.False(t, slices.ContainsFunc(w.blueprint.Functions, func(f blueprint.Function) bool { return f.Name == blueprint.TokensFunction }))
	})
}
