package stack_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/shared/runtime/signin"
)

// People are invited to the stage's own pool, have a second factor, and sign in with both clients
// by PKCE: the clients have no secret, and redirects go to fixed addresses.
func TestUserPoolSignIn(t *testing.T) {
	t.Parallel()
	w := synthesize(t, "dev-cognito")
	id, pool := w.single(t, "AWS::Cognito::UserPool", "", "")
	require.Equal(t, true, nested(t, pool.Properties, "AdminCreateUserConfig", "AllowAdminCreateUserOnly"))
	require.Equal(t, "ON", pool.Properties["MfaConfiguration"])
	require.Equal(t, "ESSENTIALS", pool.Properties["UserPoolTier"], "this tier lets a trigger change access tokens")

	trigger := nested(t, pool.Properties, "LambdaConfig", "PreTokenGenerationConfig")
	require.Equal(t, "V2_0", nested(t, trigger, "LambdaVersion"))
	function, _ := w.function(t, blueprint.TokensFunction)
	require.Equal(t, "${"+function+".Arn}", w.text(nested(t, trigger, "LambdaArn")))
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
	distribution, _ := w.single(t, "AWS::CloudFront::Distribution", "", "")
	require.Equal(t, ports, w.textList(clients["CommandClient"].Properties["CallbackURLs"]))
	require.Equal(t, []string{"https://${" + distribution + ".DomainName}/signed-in"}, w.textList(clients["ConsoleClient"].Properties["CallbackURLs"]))
	for name, c := range clients {
		require.Equal(t, false, c.Properties["GenerateSecret"], name)
		require.Equal(t, []string{"code"}, w.textList(c.Properties["AllowedOAuthFlows"]), name)
		require.Equal(t, []string{"openid"}, w.textList(c.Properties["AllowedOAuthScopes"]), name)
		require.Equal(t, []string{"email"}, w.textList(c.Properties["WriteAttributes"]), "users cannot change their own permissions")
	}
}

// The API accepts only the tokens of the two clients, and publishes the issuer; the console's
// pages may connect to it.
func TestAPIAcceptsUserPoolTokens(t *testing.T) {
	t.Parallel()
	w := synthesize(t, "dev-cognito")
	pool, _ := w.single(t, "AWS::Cognito::UserPool", "", "")
	_, authorizer := w.single(t, "AWS::ApiGatewayV2::Authorizer", "", "")
	jwt := nested(t, authorizer.Properties, "JwtConfiguration")
	require.Equal(t, "${"+pool+".ProviderURL}", w.text(nested(t, jwt, "Issuer")))
	require.Equal(t, []string{"${ConsoleClient}", "${CommandClient}"}, w.textList(nested(t, jwt, "Audience")))

	_, api := w.function(t, "api")
	variables := nested(t, api.Properties, "Environment", "Variables").(map[string]any)
	require.Equal(t, "${"+pool+".ProviderURL}", w.text(variables[blueprint.AuthIssuer]))
	require.Equal(t, "${ConsoleClient}", w.text(variables[blueprint.AuthClientID]))
	require.Equal(t, "${CommandClient}", w.text(variables[blueprint.AuthCommandClientID]))

	_, domain := w.single(t, "AWS::Cognito::UserPoolDomain", "", "")
	_, headers := w.single(t, "AWS::CloudFront::ResponseHeadersPolicy", "", "")
	policy := w.text(nested(t, headers.Properties, "ResponseHeadersPolicyConfig", "SecurityHeadersConfig", "ContentSecurityPolicy", "ContentSecurityPolicy"))
	require.Contains(t, policy, "https://"+w.text(domain.Properties["Domain"])+".auth.")
	require.Contains(t, policy, "https://cognito-idp.")
}

// Without a user pool the templates contain neither Cognito nor the function that it calls.
func TestOwnIssuerHasNoUserPool(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		if w.settings.UserPool {
			return
		}
		require.Empty(t, w.ofType("AWS::Cognito::UserPool"))
		require.False(t, slices.ContainsFunc(w.blueprint.Functions, func(f blueprint.Function) bool { return f.Name == blueprint.TokensFunction }))
	})
}
