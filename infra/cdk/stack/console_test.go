package stack_test

import (
	"encoding/json"
	"net/url"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/shared/aws/objectstore"
)

// distribution returns the configuration of the single distribution.
func distribution(t *testing.T, w *stageTemplates) map[string]any {
	t.Helper()
	_, d := w.single(t, "AWS::CloudFront::Distribution", "", "")
	return nested(t, d.Properties, "DistributionConfig").(map[string]any)
}

// The API is on the console's origin: nothing is cached, requests reach it complete, and its
// response for an unknown path is not replaced with a page.
func TestAPIIsServedOnConsoleOrigin(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		config := distribution(t, w)
		require.NotContains(t, config, "CustomErrorResponses", "custom error pages would replace the API's errors")
		var api string
		for _, o := range config["Origins"].([]any) {
			if custom, ok := o.(map[string]any)["CustomOriginConfig"]; ok {
				require.Equal(t, "https-only", nested(t, custom, "OriginProtocolPolicy"))
				api = nested(t, o, "Id").(string)
			}
		}
		var paths []string
		for _, behavior := range config["CacheBehaviors"].([]any) {
			path := nested(t, behavior, "PathPattern").(string)
			paths = append(paths, path)
			require.Equal(t, api, nested(t, behavior, "TargetOriginId"), path)
			require.Equal(t, "https-only", nested(t, behavior, "ViewerProtocolPolicy"), path)
			require.Equal(t, "4135ea2d-6df8-44a3-9df3-4b5a84be39ad", nested(t, behavior, "CachePolicyId"), "CachingDisabled")
			require.Equal(t, "b689b0a8-53d0-40ab-baf2-68738e2966ac", nested(t, behavior, "OriginRequestPolicyId"), "AllViewerExceptHostHeader, with Authorization")
			require.Len(t, nested(t, behavior, "AllowedMethods"), 7)
			require.NotContains(t, behavior, "FunctionAssociations", path)
		}
		var want []string
		for _, path := range blueprint.APIPaths() {
			want = append(want, path, path+"/*")
		}
		require.ElementsMatch(t, want, paths)
		for _, public := range blueprint.PublicRoutes() {
			require.True(t, slices.ContainsFunc(blueprint.APIPaths(), func(p string) bool { return public == p || strings.HasPrefix(public, p+"/") }), public)
		}
	})
}

// consoleBucket returns the bucket that has no explicit name and is not for logs.
func consoleBucket(t *testing.T, w *stageTemplates) string {
	t.Helper()
	for id, b := range w.ofType("AWS::S3::Bucket") {
		if _, logged := b.Properties["LoggingConfiguration"]; logged && b.Properties["BucketName"] == nil {
			return id
		}
	}
	t.Fatal("no bucket for the console")
	return ""
}

func TestConsoleFilesAreCloudFrontOnly(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		config := distribution(t, w)
		require.Equal(t, "redirect-to-https", nested(t, config, "DefaultCacheBehavior", "ViewerProtocolPolicy"))
		_, control := w.single(t, "AWS::CloudFront::OriginAccessControl", "", "")
		require.Equal(t, "always", nested(t, control.Properties, "OriginAccessControlConfig", "SigningBehavior"))
		bucket := consoleBucket(t, w)
		_, policy := w.single(t, "AWS::S3::BucketPolicy", "Bucket", "${"+bucket+"}")
		var actions, resources []string
		for _, s := range nested(t, policy.Properties, "PolicyDocument", "Statement").([]any) {
			if nested(t, s, "Effect") == "Allow" {
				require.Equal(t, "cloudfront.amazonaws.com", nested(t, s, "Principal", "Service"))
				require.Contains(t, w.text(nested(t, s, "Condition", "StringEquals", "AWS:SourceArn")), ":distribution/")
				actions, resources = append(actions, w.textList(nested(t, s, "Action"))...), append(resources, w.textList(nested(t, s, "Resource"))...)
			}
		}
		require.ElementsMatch(t, []string{"s3:GetObject", "s3:ListBucket"}, actions, "without s3:ListBucket, a missing file returns 403 instead of 404")
		require.ElementsMatch(t, []string{"${" + bucket + ".Arn}/*", "${" + bucket + ".Arn}"}, resources)
	})
}

func TestConsoleHeaders(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		id, headers := w.single(t, "AWS::CloudFront::ResponseHeadersPolicy", "", "")
		require.Equal(t, "${"+id+"}", w.text(nested(t, distribution(t, w), "DefaultCacheBehavior", "ResponseHeadersPolicyId")))
		security := nested(t, headers.Properties, "ResponseHeadersPolicyConfig", "SecurityHeadersConfig")
		policy := w.text(nested(t, security, "ContentSecurityPolicy", "ContentSecurityPolicy"))
		require.NotContains(t, strings.ReplaceAll(policy, "'wasm-unsafe-eval'", ""), "unsafe")
		require.Contains(t, policy, "frame-ancestors 'none'")
		_, connect, _ := strings.Cut(policy, "connect-src ")
		connect, _, _ = strings.Cut(connect, ";")
		want := append([]string{strings.TrimSuffix(w.settings.Issuer, "/")}, w.settings.AuthOrigins...)
		if w.settings.UserPool { // tokens come from its sign-in domain
			want = []string{
				"https://cognito-idp.${AWS::Region}.${AWS::URLSuffix}",
				"https://loadbay-" + w.stage + "-${AWS::AccountId}.auth.${AWS::Region}.amazoncognito.com",
			}
		}
		peers := strings.Fields(connect)
		require.Equal(t, "'self'", peers[0])
		_, api := w.function(t, "api")
		bucket := w.text(nested(t, api.Properties, "Environment", "Variables", "BUCKET"))
		require.Equal(t, "https://"+strings.TrimSuffix(bucket, "}")+".RegionalDomainName}", peers[1], "pages may connect to the upload bucket")
		require.Equal(t, want, peers[3:], "pages may connect to the sign-in hosts")
		require.Equal(t, "nosniff", map[bool]string{true: "nosniff"}[nested(t, security, "ContentTypeOptions", "Override").(bool)])
		require.InDelta(t, 365*24*3600, nested(t, security, "StrictTransportSecurity", "AccessControlMaxAgeSec"), 0)
	})
}

// The host of presigned addresses is the one that the policy allows, whatever the environment of
// the function that signs them: CloudFormation's RegionalDomainName is <bucket>.s3.<region>.amazonaws.com.
func TestPresignedHostIsAllowed(t *testing.T) {
	for _, variables := range []map[string]string{{}, {"AWS_USE_DUALSTACK_ENDPOINT": "true"}} {
		for name, value := range variables {
			t.Setenv(name, value)
		}
		t.Setenv("AWS_ENDPOINT_URL", "")
		for _, region := range []string{"us-east-1", "eu-central-1"} {
			c, err := config.LoadDefaultConfig(t.Context(), config.WithRegion(region),
				config.WithCredentialsProvider(credentials.NewStaticCredentialsProvider("id", "secret", "")))
			require.NoError(t, err)
			files := objectstore.Open(c, objectstore.Settings{Bucket: "loadbay-files"})
			upload, err := files.PresignPut(t.Context(), "uploads/1", "text/csv", 1, "", time.Minute)
			require.NoError(t, err)
			download, err := files.PresignGet(t.Context(), "uploads/1", "attachment", time.Minute)
			require.NoError(t, err)
			for _, address := range []string{upload.URL, download} {
				u, err := url.Parse(address)
				require.NoError(t, err)
				require.Equal(t, "loadbay-files.s3."+region+".amazonaws.com", u.Host, variables)
			}
		}
	}
}

// A stage can be deployed to two regions of an account, and several times as cells: names that are
// unique in the account have region, stage and cell in them.
func TestGlobalNamesContainRegionAndCell(t *testing.T) {
	names := map[string][]string{
		"AWS::CloudFront::Function":              {"Name"},
		"AWS::CloudFront::ResponseHeadersPolicy": {"ResponseHeadersPolicyConfig", "Name"},
		"AWS::CloudFront::OriginAccessControl":   {"OriginAccessControlConfig", "Name"},
		"AWS::CloudFront::CachePolicy":           {"CachePolicyConfig", "Name"},
		"AWS::CloudFront::OriginRequestPolicy":   {"OriginRequestPolicyConfig", "Name"},
		"AWS::CloudWatch::Dashboard":             {"DashboardName"},
		"AWS::S3::Bucket":                        {"BucketName"},
		"AWS::Budgets::Budget":                   {"Budget", "BudgetName"},
		"AWS::IAM::Role":                         {"RoleName"},
		"AWS::IAM::ManagedPolicy":                {"ManagedPolicyName"},
		"AWS::IAM::InstanceProfile":              {"InstanceProfileName"},
	}
	runAll(t, func(t *testing.T, w *stageTemplates) {
		found := 0
		for kind, path := range names {
			for id, r := range w.ofType(kind) {
				var name any = r.Properties
				for _, key := range path {
					object, _ := name.(map[string]any)
					name = object[key]
				}
				if name == nil {
					continue // CloudFormation makes it unique
				}
				require.Contains(t, w.text(name), "${AWS::Region}", id)
				require.Contains(t, w.text(name), "-"+w.stage+"-", id)
				found++
			}
		}
		require.True(t, found >= 4 || w.settings.WithoutConsole, "%d names", found)
	})
}

// An account that CloudFront has not verified can have the API and the command line.
func TestStageWithoutConsole(t *testing.T) {
	t.Parallel()
	w := synthesize(t, "dev-no-console")
	for _, r := range w.resources {
		require.False(t, strings.HasPrefix(r.Type, "AWS::CloudFront::"), r.Type)
	}
	require.Len(t, w.ofType("AWS::S3::Bucket"), 2)
	client, _ := w.single(t, "AWS::Cognito::UserPoolClient", "", "")
	_, authorizer := w.single(t, "AWS::ApiGatewayV2::Authorizer", "", "")
	require.Equal(t, []string{"${" + client + "}"}, w.textList(nested(t, authorizer.Properties, "JwtConfiguration", "Audience")))
	require.NotContains(t, w.outputs, "ConsoleUrl")
	require.Contains(t, w.outputs, "ApiUrl")
}

func TestConsoleDomain(t *testing.T) {
	t.Parallel()
	require.NotContains(t, distribution(t, synthesize(t, "dev")), "Aliases")
	prod := distribution(t, synthesize(t, "prod"))
	require.Equal(t, []any{"import.example.com"}, prod["Aliases"])
	require.Equal(t, "TLSv1.2_2021", nested(t, prod, "ViewerCertificate", "MinimumProtocolVersion"))
}

// TestScreenPathsServeIndexPage runs the function that is deployed to CloudFront.
func TestScreenPathsServeIndexPage(t *testing.T) {
	t.Parallel()
	w := synthesize(t, "dev")
	_, function := w.single(t, "AWS::CloudFront::Function", "", "")
	for address, want := range map[string]string{
		"/": "/index.html", "/imports/new": "/index.html", "/imports/0190-a.b/rows": "/index.html", "/signed-in": "/index.html",
		"/assets/index-1a2b.js": "/assets/index-1a2b.js", "/favicon.svg": "/favicon.svg", "/assets/missing.css": "/assets/missing.css",
	} {
		event, err := json.Marshal(map[string]any{"request": map[string]any{"uri": address}})
		require.NoError(t, err)
		script := w.text(function.Properties["FunctionCode"]) + "\nconsole.log(handler(" + string(event) + ").uri)"
		out, err := exec.CommandContext(t.Context(), "node", "-e", script).CombinedOutput()
		require.NoError(t, err, string(out))
		require.Equal(t, want+"\n", string(out), address)
	}
}
