package stack

import (
	"net/url"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscognito"
	"github.com/aws/jsii-runtime-go"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/shared/aws/userpool"
	"github.com/loadbay/loadbay/shared/runtime/signin"
)

// The clients of the user pool by their logical ids: the authorizer refers to them before they
// are created, which happens after the console because they need its address.
const (
	consoleClient = "ConsoleClient"
	commandClient = "CommandClient"
)

// addUserPool creates the user pool, if the settings ask for one, and makes the API accept its
// tokens. Stages with retained data keep the pool when they are deleted, because the accounts
// could not be recreated. It returns nil with another issuer.
func (svc *service) addUserPool() awscognito.UserPool {
	if !svc.settings.UserPool {
		return nil
	}
	pool := awscognito.NewUserPool(svc.Stack, jsii.String("People"), &awscognito.UserPoolProps{
		UserPoolName: jsii.String(svc.settings.resourceName(blueprint.UserPool)),
		// This plan and more expensive ones support changes to access tokens.
		FeaturePlan:       awscognito.FeaturePlan_ESSENTIALS,
		SelfSignUpEnabled: jsii.Bool(false),
		SignInAliases:     &awscognito.SignInAliases{Email: jsii.Bool(true)},
		AccountRecovery:   awscognito.AccountRecovery_EMAIL_ONLY,
		StandardAttributes: &awscognito.StandardAttributes{
			Email: &awscognito.StandardAttribute{Required: jsii.Bool(true), Mutable: jsii.Bool(true)},
		},
		CustomAttributes: &map[string]awscognito.ICustomAttribute{
			userpool.OrganisationAttribute: awscognito.NewStringAttribute(&awscognito.StringAttributeProps{Mutable: jsii.Bool(true)}),
			userpool.ScopesAttribute:       awscognito.NewStringAttribute(&awscognito.StringAttributeProps{Mutable: jsii.Bool(true)}),
		},
		PasswordPolicy: &awscognito.PasswordPolicy{
			MinLength: jsii.Number(12), RequireLowercase: jsii.Bool(true), RequireUppercase: jsii.Bool(true), RequireDigits: jsii.Bool(true), RequireSymbols: jsii.Bool(true),
			TempPasswordValidity: awscdk.Duration_Days(jsii.Number(7)),
		},
		Mfa:                awscognito.Mfa_REQUIRED,
		MfaSecondFactor:    &awscognito.MfaSecondFactor{Otp: jsii.Bool(true), Sms: jsii.Bool(false)},
		DeletionProtection: jsii.Bool(svc.settings.Stage.RetainData),
		RemovalPolicy:      svc.settings.Stage.removalPolicy(),
	})
	suppressUserPool(pool)
	pool.AddTrigger(awscognito.UserPoolOperation_PRE_TOKEN_GENERATION_CONFIG(), svc.functions[blueprint.TokensFunction], awscognito.LambdaVersion_V2_0)
	pool.AddDomain(jsii.String("Domain"), &awscognito.UserPoolDomainOptions{
		CognitoDomain: &awscognito.CognitoDomainOptions{DomainPrefix: jsii.String(svc.signInPrefix())},
	})
	svc.settings.Issuer = *pool.UserPoolProviderUrl()
	svc.settings.Audience = []string{*awscdk.Fn_Ref(jsii.String(commandClient))}
	if !svc.settings.WithoutConsole {
		svc.settings.Audience = append([]string{*awscdk.Fn_Ref(jsii.String(consoleClient))}, svc.settings.Audience...)
	}
	return pool
}

// signInPrefix is the first label of the sign-in page's domain, unique in the region.
func (svc *service) signInPrefix() string {
	return svc.settings.resourceName(blueprint.UserPool) + "-" + *awscdk.Aws_ACCOUNT_ID()
}

// addClients lets the console and the command line sign people in, and publishes the settings
// that both need. console is nil without one.
func (svc *service) addClients(pool awscognito.UserPool, console *string) {
	settings := map[string]*string{
		blueprint.AuthIssuer:          pool.UserPoolProviderUrl(),
		blueprint.AuthCommandClientID: svc.addClient(pool, commandClient, signin.CommandRedirects()),
	}
	if console != nil {
		settings[blueprint.AuthClientID] = svc.addClient(pool, consoleClient, []string{*console + signin.Path}, *console+"/")
	}
	for name, value := range settings {
		svc.functions[apiFunction].AddEnvironment(jsii.String(name), value, nil)
	}
}

// addClient creates a client without a secret, for the authorization code flow. It cannot write
// the attributes that determine a person's organisation and scopes, not even with that person's
// tokens.
func (svc *service) addClient(pool awscognito.UserPool, id string, signedIn []string, signedOut ...string) *string {
	email := awscognito.NewClientAttributes().WithStandardAttributes(&awscognito.StandardAttributesMask{Email: jsii.Bool(true)})
	client := pool.AddClient(jsii.String(id), &awscognito.UserPoolClientOptions{
		GenerateSecret: jsii.Bool(false),
		OAuth: &awscognito.OAuthSettings{
			Flows:        &awscognito.OAuthFlows{AuthorizationCodeGrant: jsii.Bool(true)},
			Scopes:       &[]awscognito.OAuthScope{awscognito.OAuthScope_OPENID()},
			CallbackUrls: jsii.Strings(signedIn...), LogoutUrls: jsii.Strings(signedOut...),
		},
		AuthFlows:                  &awscognito.AuthFlow{UserSrp: jsii.Bool(true)},
		AccessTokenValidity:        minutes(15),
		IdTokenValidity:            minutes(15),
		RefreshTokenValidity:       awscdk.Duration_Hours(jsii.Number(12)),
		EnableTokenRevocation:      jsii.Bool(true),
		PreventUserExistenceErrors: jsii.Bool(true),
		SupportedIdentityProviders: &[]awscognito.UserPoolClientIdentityProvider{awscognito.UserPoolClientIdentityProvider_COGNITO()},
		ReadAttributes:             email,
		WriteAttributes:            email,
	})
	client.Node().DefaultChild().(awscognito.CfnUserPoolClient).OverrideLogicalId(jsii.String(id))
	return client.UserPoolClientId()
}

// issuerOrigins are the origins from which a browser requests tokens.
func (svc *service) issuerOrigins() []string {
	if svc.settings.UserPool {
		region := *awscdk.Aws_REGION()
		return []string{
			"https://cognito-idp." + region + "." + *awscdk.Aws_URL_SUFFIX(),
			"https://" + svc.signInPrefix() + ".auth." + region + ".amazoncognito.com",
		}
	}
	issuer, err := url.Parse(svc.settings.Issuer)
	if err != nil {
		return nil
	}
	return []string{"https://" + issuer.Host}
}
