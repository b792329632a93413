package stack_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// Every route except the public ones requires a token of the issuer.
func TestRoutes(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		want := map[string]string{"$default": "JWT", "GET /api/admin/{proxy+}": "JWT", "POST /api/admin/{proxy+}": "JWT", "PUT /api/admin/{proxy+}": "JWT", "GET /health": "NONE", "GET /openapi.yaml": "NONE", "GET /docs": "NONE", "GET /redoc.js": "NONE", "GET /api/auth": "NONE", "GET /problems/{code}": "NONE"}
		if len(w.settings.Origins) > 0 { // browsers of another origin send a preflight
			want["OPTIONS /{proxy+}"] = "NONE"
		}
		if w.settings.APIKeys { // the API checks the keys
			for _, method := range blueprint.KeyMethods() {
				want[method+" /key/{proxy+}"] = "NONE"
			}
		}
		got := map[string]string{}
		for id, r := range w.ofType("AWS::ApiGatewayV2::Route") {
			got[w.text(r.Properties["RouteKey"])] = w.text(r.Properties["AuthorizationType"])
			integration := w.resources[strings.TrimSuffix(strings.TrimPrefix(w.text(r.Properties["Target"]), "integrations/${"), "}")]
			function := "api"
			if strings.Contains(w.text(r.Properties["RouteKey"]), "/api/admin/") {
				function = "admin" // the only function that may connect as the operator
			}
			require.Equal(t, function, w.functionName(w.text(integration.Properties["IntegrationUri"])), id)
			require.Equal(t, "2.0", integration.Properties["PayloadFormatVersion"], id)
		}
		require.Equal(t, want, got)
	})
}

func TestAuthorizer(t *testing.T) {
	t.Parallel()
	for stage, want := range map[string]struct {
		issuer   string
		audience []any
	}{
		"dev":  {"https://issuer.invalid/", []any{"loadbay"}},
		"prod": {"https://id.example.com/", []any{"one", "two"}},
	} {
		_, authorizer := synthesize(t, stage).single(t, "AWS::ApiGatewayV2::Authorizer", "", "")
		require.Equal(t, "JWT", authorizer.Properties["AuthorizerType"])
		require.Equal(t, want.issuer, nested(t, authorizer.Properties, "JwtConfiguration", "Issuer"))
		require.Equal(t, want.audience, nested(t, authorizer.Properties, "JwtConfiguration", "Audience"))
	}
}

func TestAPIStage(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		_, s := w.single(t, "AWS::ApiGatewayV2::Stage", "", "")
		rate := map[string]float64{"dev": 20, "prod": 200}[w.stage]
		require.InDelta(t, rate, nested(t, s.Properties, "DefaultRouteSettings", "ThrottlingRateLimit"), 0)
		require.InDelta(t, 2*rate, nested(t, s.Properties, "DefaultRouteSettings", "ThrottlingBurstLimit"), 0)
		group, _ := w.single(t, "AWS::Logs::LogGroup", "LogGroupName", "/aws/vendedlogs/loadbay-api-"+w.stage)
		require.Equal(t, "${"+group+".Arn}", w.text(nested(t, s.Properties, "AccessLogSettings", "DestinationArn")))
		var fields map[string]string
		require.NoError(t, json.Unmarshal([]byte(nested(t, s.Properties, "AccessLogSettings", "Format").(string)), &fields))
		for name, variable := range fields {
			require.NotContains(t, variable, "query", "%s: the query string is not logged, as a filter may contain a cell's value", name)
			require.NotContains(t, variable, "header", name)
		}
		require.Equal(t, "$context.requestId", fields["requestId"])
	})
}

func TestCORS(t *testing.T) {
	t.Parallel()
	_, dev := synthesize(t, "dev").single(t, "AWS::ApiGatewayV2::Api", "", "")
	require.NotContains(t, dev.Properties, "CorsConfiguration")
	_, prod := synthesize(t, "prod").single(t, "AWS::ApiGatewayV2::Api", "", "")
	require.Equal(t, []any{"https://app.example.com"}, nested(t, prod.Properties, "CorsConfiguration", "AllowOrigins"))
	rules := blueprint.APICORS()
	for property, want := range map[string][]string{"AllowMethods": rules.Methods, "AllowHeaders": rules.Headers, "ExposeHeaders": rules.ExposedHeaders} {
		require.ElementsMatch(t, want, nested(t, prod.Properties, "CorsConfiguration", property), "the rules match the local stack: %s", property)
	}
}
