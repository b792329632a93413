package stack

import (
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2authorizers"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2integrations"
	"github.com/aws/jsii-runtime-go"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// apiFunction serves every route except the operator's; the routes declare their scopes there.
const apiFunction = "api"

// addAPI creates the HTTP API. Every route except the public ones requires a token of the
// issuer, even if it does not exist.
func (svc *service) addAPI() awsapigatewayv2.HttpApi {
	api := awsapigatewayv2.NewHttpApi(svc.Stack, jsii.String("HttpApi"), &awsapigatewayv2.HttpApiProps{
		ApiName:            jsii.String(svc.settings.resourceName("loadbay")),
		Description:        jsii.String("Loadbay's HTTP API."),
		CreateDefaultStage: jsii.Bool(false),
		CorsPreflight:      svc.apiCORS(),
	})
	authorizer := awsapigatewayv2authorizers.NewHttpJwtAuthorizer(jsii.String("Token"), jsii.String(svc.settings.Issuer), &awsapigatewayv2authorizers.HttpJwtAuthorizerProps{
		JwtAudience: jsii.Strings(svc.settings.Audience...),
	})
	handler := svc.newIntegration("Handler", apiFunction)
	awsapigatewayv2.NewHttpRoute(svc.Stack, jsii.String("EveryRoute"), &awsapigatewayv2.HttpRouteProps{
		HttpApi: api, RouteKey: awsapigatewayv2.HttpRouteKey_DEFAULT(), Integration: handler, Authorizer: authorizer,
	})
	operatorHandler := svc.newIntegration("OperatorHandler", blueprint.OperatorFunction)
	for _, r := range blueprint.OperatorRoutes() {
		awsapigatewayv2.NewHttpRoute(svc.Stack, jsii.String("Operator-"+r.Method), &awsapigatewayv2.HttpRouteProps{
			HttpApi:     api,
			RouteKey:    awsapigatewayv2.HttpRouteKey_With(jsii.String(r.Prefix+"{proxy+}"), awsapigatewayv2.HttpMethod(r.Method)),
			Integration: operatorHandler,
			Authorizer:  authorizer,
		})
	}
	for _, path := range blueprint.PublicRoutes() {
		svc.addPublicRoute(api, handler, "GET", path)
	}
	if svc.settings.APIKeys {
		for _, method := range blueprint.KeyMethods() {
			svc.addKeyRoute(api, handler, method)
		}
	}
	if len(svc.settings.Origins) > 0 {
		// A preflight has no token, and $default would require one.
		svc.addPublicRoute(api, handler, "OPTIONS", "/{proxy+}")
	}
	svc.addAPIStage(api)
	if svc.settings.Issuer == placeholderIssuer {
		// The CDK CLI stops here, before it deploys anything; without it, templates are written.
		awscdk.Annotations_Of(api).AddError(jsii.String("context jwtIssuer is not set: this template synthesizes but cannot be deployed"))
	}
	awscdk.NewCfnOutput(svc.Stack, jsii.String("ApiUrl"), &awscdk.CfnOutputProps{Value: api.ApiEndpoint(), Description: jsii.String("The HTTP API.")})
	return api
}

// newIntegration lets the API invoke a function.
func (svc *service) newIntegration(id, function string) awsapigatewayv2integrations.HttpLambdaIntegration {
	return awsapigatewayv2integrations.NewHttpLambdaIntegration(jsii.String(id), svc.servingFunction(function), &awsapigatewayv2integrations.HttpLambdaIntegrationProps{
		PayloadFormatVersion: awsapigatewayv2.PayloadFormatVersion_VERSION_2_0(),
	})
}

func (svc *service) addPublicRoute(api awsapigatewayv2.HttpApi, handler awsapigatewayv2.HttpRouteIntegration, method, path string) {
	route := awsapigatewayv2.NewHttpRoute(svc.Stack, jsii.String("Public-"+strings.Trim(path, "/")), &awsapigatewayv2.HttpRouteProps{
		HttpApi:     api,
		RouteKey:    awsapigatewayv2.HttpRouteKey_With(jsii.String(path), awsapigatewayv2.HttpMethod(method)),
		Integration: handler,
		Authorizer:  awsapigatewayv2.NewHttpNoneAuthorizer(),
	})
	suppressPublicRoute(route, method+" "+path)
}

// addKeyRoute adds a route for callers with API keys: no JWT authorizer can accept them, and the API
// refuses every request below this path without a key that it knows.
func (svc *service) addKeyRoute(api awsapigatewayv2.HttpApi, handler awsapigatewayv2.HttpRouteIntegration, method string) {
	path := blueprint.KeyPath + "/{proxy+}"
	route := awsapigatewayv2.NewHttpRoute(svc.Stack, jsii.String("Key-"+method), &awsapigatewayv2.HttpRouteProps{
		HttpApi:     api,
		RouteKey:    awsapigatewayv2.HttpRouteKey_With(jsii.String(path), awsapigatewayv2.HttpMethod(method)),
		Integration: handler,
		Authorizer:  awsapigatewayv2.NewHttpNoneAuthorizer(),
	})
	suppress(route, "APIG4", method+" "+path+": the API checks the API key of every request, because no authorizer of API Gateway can.")
}

func (svc *service) apiCORS() *awsapigatewayv2.CorsPreflightOptions {
	if len(svc.settings.Origins) == 0 {
		return nil
	}
	rules := blueprint.APICORS()
	return &awsapigatewayv2.CorsPreflightOptions{
		AllowOrigins:  jsii.Strings(svc.settings.Origins...),
		AllowMethods:  corsMethods[awsapigatewayv2.CorsHttpMethod](rules),
		AllowHeaders:  jsii.Strings(rules.Headers...),
		ExposeHeaders: jsii.Strings(rules.ExposedHeaders...),
		MaxAge:        awscdk.Duration_Seconds(jsii.Number(rules.MaxAge.Seconds())),
	}
}

// corsMethods converts the methods of the rules for a construct library.
func corsMethods[M ~string](rules blueprint.CORS) *[]M {
	list := make([]M, len(rules.Methods))
	for i, method := range rules.Methods {
		list[i] = M(method)
	}
	return &list
}

// addAPIStage creates the stage, with throttling, metrics by route, and a request log without
// queries and headers, because those may contain data.
func (svc *service) addAPIStage(api awsapigatewayv2.HttpApi) {
	stage := awsapigatewayv2.NewHttpStage(svc.Stack, jsii.String("Stage"), &awsapigatewayv2.HttpStageProps{
		HttpApi:                api,
		StageName:              jsii.String("$default"),
		AutoDeploy:             jsii.Bool(true),
		DetailedMetricsEnabled: jsii.Bool(true),
		Throttle:               &awsapigatewayv2.ThrottleSettings{RateLimit: jsii.Number(svc.settings.Stage.Rate), BurstLimit: jsii.Number(svc.settings.Stage.Burst)},
	})
	svc.apiLogs = newLogGroup(svc.Stack, svc.settings, svc.data.key, "Api", "/aws/vendedlogs/"+svc.settings.resourceName("loadbay-api"))
	stage.Node().DefaultChild().(awsapigatewayv2.CfnStage).SetAccessLogSettings(&awsapigatewayv2.CfnStage_AccessLogSettingsProperty{
		DestinationArn: svc.apiLogs.LogGroupArn(),
		Format:         jsii.String(accessLogFormat),
	})
}

// accessLogFormat is one JSON object per request, with these context variables.
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-logging-variables.html
const accessLogFormat = `{"requestId":"$context.requestId","time":"$context.requestTime","ip":"$context.identity.sourceIp",` +
	`"method":"$context.httpMethod","route":"$context.routeKey","path":"$context.path","status":"$context.status",` +
	`"bytes":"$context.responseLength","ms":"$context.responseLatency","integrationMs":"$context.integrationLatency",` +
	`"error":"$context.error.message","authorizer":"$context.authorizer.error"}`
