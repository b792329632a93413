package stack_test

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// distribution is the configuration of the one distribution.
func distribution(t *testing.T, w *world) map[string]any {
	t.Helper()
	_, d := w.only(t, "AWS::CloudFront::Distribution", "", "")
	return at(t, d.Properties, "DistributionConfig").(map[string]any)
}

// The API is behind the console's own name: nothing of it is stored, all that callers say
// reaches it, and what it says of an unknown path is not turned into a page.
func TestTheAPIIsOfTheConsolesOrigin(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		config := distribution(t, w)
		require.NotContains(t, config, "CustomErrorResponses", "they would make pages of the API's errors")
		var api string
		for _, o := range config["Origins"].([]any) {
			if custom, ok := o.(map[string]any)["CustomOriginConfig"]; ok {
				require.Equal(t, "https-only", at(t, custom, "OriginProtocolPolicy"))
				api = at(t, o, "Id").(string)
			}
		}
		var paths []string
		for _, behavior := range config["CacheBehaviors"].([]any) {
			path := at(t, behavior, "PathPattern").(string)
			paths = append(paths, path)
			require.Equal(t, api, at(t, behavior, "TargetOriginId"), path)
			require.Equal(t, "https-only", at(t, behavior, "ViewerProtocolPolicy"), path)
			require.Equal(t, "4135ea2d-6df8-44a3-9df3-4b5a84be39ad", at(t, behavior, "CachePolicyId"), "CachingDisabled")
			require.Equal(t, "b689b0a8-53d0-40ab-baf2-68738e2966ac", at(t, behavior, "OriginRequestPolicyId"), "AllViewerExceptHostHeader, with Authorization")
			require.Len(t, at(t, behavior, "AllowedMethods"), 7)
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

// consoleBucket is the one without a name of its own that is no log.
func consoleBucket(t *testing.T, w *world) string {
	t.Helper()
	for id, b := range w.ofType("AWS::S3::Bucket") {
		if _, logged := b.Properties["LoggingConfiguration"]; logged && b.Properties["BucketName"] == nil {
			return id
		}
	}
	t.Fatal("there is no bucket of the console")
	return ""
}

func TestTheConsolesFilesAreCloudFrontsOnly(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		config := distribution(t, w)
		require.Equal(t, "redirect-to-https", at(t, config, "DefaultCacheBehavior", "ViewerProtocolPolicy"))
		_, control := w.only(t, "AWS::CloudFront::OriginAccessControl", "", "")
		require.Equal(t, "always", at(t, control.Properties, "OriginAccessControlConfig", "SigningBehavior"))
		bucket := consoleBucket(t, w)
		_, policy := w.only(t, "AWS::S3::BucketPolicy", "Bucket", "${"+bucket+"}")
		var actions, resources []string
		for _, s := range at(t, policy.Properties, "PolicyDocument", "Statement").([]any) {
			if at(t, s, "Effect") == "Allow" {
				require.Equal(t, "cloudfront.amazonaws.com", at(t, s, "Principal", "Service"))
				require.Contains(t, w.text(at(t, s, "Condition", "StringEquals", "AWS:SourceArn")), ":distribution/")
				actions, resources = append(actions, w.texts(at(t, s, "Action"))...), append(resources, w.texts(at(t, s, "Resource"))...)
			}
		}
		require.ElementsMatch(t, []string{"s3:GetObject", "s3:ListBucket"}, actions, "without listing, what is missing is forbidden")
		require.ElementsMatch(t, []string{"${" + bucket + ".Arn}/*", "${" + bucket + ".Arn}"}, resources)
	})
}

func TestTheConsolesHeaders(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		id, headers := w.only(t, "AWS::CloudFront::ResponseHeadersPolicy", "", "")
		require.Equal(t, "${"+id+"}", w.text(at(t, distribution(t, w), "DefaultCacheBehavior", "ResponseHeadersPolicyId")))
		security := at(t, headers.Properties, "ResponseHeadersPolicyConfig", "SecurityHeadersConfig")
		policy := w.text(at(t, security, "ContentSecurityPolicy", "ContentSecurityPolicy"))
		require.NotContains(t, strings.ReplaceAll(policy, "'wasm-unsafe-eval'", ""), "unsafe")
		require.Contains(t, policy, "frame-ancestors 'none'")
		_, connect, _ := strings.Cut(policy, "connect-src ")
		connect, _, _ = strings.Cut(connect, ";")
		want := append([]string{strings.TrimSuffix(w.settings.Issuer, "/")}, w.settings.AuthOrigins...)
		if w.settings.UserPool { // its tokens are asked for at its sign-in domain
			want = []string{
				"https://cognito-idp.${AWS::Region}.${AWS::URLSuffix}",
				"https://loadbay-" + w.stage + "-${AWS::AccountId}.auth.${AWS::Region}.amazoncognito.com",
			}
		}
		peers := strings.Fields(connect)
		require.Equal(t, "'self'", peers[0])
		require.Contains(t, peers[1], "Bucket", "where files go")
		require.Equal(t, want, peers[3:], "where people sign in")
		require.Equal(t, "nosniff", map[bool]string{true: "nosniff"}[at(t, security, "ContentTypeOptions", "Override").(bool)])
		require.InDelta(t, 365*24*3600, at(t, security, "StrictTransportSecurity", "AccessControlMaxAgeSec"), 0)
	})
}

func TestTheConsolesNames(t *testing.T) {
	t.Parallel()
	require.NotContains(t, distribution(t, synth(t, "dev")), "Aliases")
	prod := distribution(t, synth(t, "prod"))
	require.Equal(t, []any{"import.example.com"}, prod["Aliases"])
	require.Equal(t, "TLSv1.2_2021", at(t, prod, "ViewerCertificate", "MinimumProtocolVersion"))
}

// TestEveryScreenIsThePage runs the very function that CloudFront gets.
func TestEveryScreenIsThePage(t *testing.T) {
	t.Parallel()
	w := synth(t, "dev")
	_, function := w.only(t, "AWS::CloudFront::Function", "", "")
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
