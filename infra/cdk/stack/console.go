package stack

import (
	_ "embed"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscertificatemanager"
	cloudfront "github.com/aws/aws-cdk-go/awscdk/v2/awscloudfront"
	origins "github.com/aws/aws-cdk-go/awscdk/v2/awscloudfrontorigins"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/jsii-runtime-go"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// pageRewrite is the function that rewrites the path of a screen to that of the page.
//
//go:embed console.js
var pageRewrite string

// hstsDays is the time for which browsers access the console only with TLS.
const hstsDays = 365

// addConsole creates the single origin for browsers: the console's files, and the API under the
// same name, so that no page needs CORS. The content of the bucket is uploaded after the
// deployment: `make deploy-console`. It returns the origin.
func (svc *service) addConsole(api awsapigatewayv2.HttpApi) (origin *string) {
	logs := svc.newConsoleLogs()
	bucket := awss3.NewBucket(svc.Stack, jsii.String("Console"), &awss3.BucketProps{
		Encryption:             awss3.BucketEncryption_S3_MANAGED,
		BlockPublicAccess:      awss3.BlockPublicAccess_BLOCK_ALL(),
		ObjectOwnership:        awss3.ObjectOwnership_BUCKET_OWNER_ENFORCED,
		EnforceSSL:             jsii.Bool(true),
		MinimumTLSVersion:      jsii.Number(1.2),
		ServerAccessLogsBucket: logs,
		ServerAccessLogsPrefix: jsii.String("bucket/"),
		RemovalPolicy:          awscdk.RemovalPolicy_DESTROY,
	})
	props := &cloudfront.DistributionProps{
		Comment:             jsii.String(svc.settings.resourceName("loadbay")),
		DefaultRootObject:   jsii.String("index.html"),
		DefaultBehavior:     svc.pagesOrigin(bucket),
		AdditionalBehaviors: svc.apiBehaviors(api),
		HttpVersion:         cloudfront.HttpVersion_HTTP2_AND_3,
		PriceClass:          cloudfront.PriceClass_PRICE_CLASS_100,
		EnableLogging:       jsii.Bool(true),
		LogBucket:           logs,
		LogFilePrefix:       jsii.String("distribution/"),
	}
	if svc.settings.ConsoleDomain != "" {
		props.DomainNames = jsii.Strings(svc.settings.ConsoleDomain)
		props.Certificate = awscertificatemanager.Certificate_FromCertificateArn(svc.Stack, jsii.String("ConsoleCertificate"), jsii.String(svc.settings.ConsoleCertificate))
		props.MinimumProtocolVersion = cloudfront.SecurityPolicyProtocol_TLS_V1_2_2021
	}
	distribution := cloudfront.NewDistribution(svc.Stack, jsii.String("Distribution"), props)
	suppressDistribution(distribution, svc.settings)
	name := distribution.DistributionDomainName()
	if svc.settings.ConsoleDomain != "" {
		name = jsii.String(svc.settings.ConsoleDomain)
	}
	awscdk.NewCfnOutput(svc.Stack, jsii.String("ConsoleUrl"), &awscdk.CfnOutputProps{Value: jsii.String("https://" + *name), Description: jsii.String("The web console, and the API behind the same name.")})
	awscdk.NewCfnOutput(svc.Stack, jsii.String("ConsoleBucket"), &awscdk.CfnOutputProps{Value: bucket.BucketName(), Description: jsii.String("Where make deploy-console puts the console.")})
	return jsii.String("https://" + *name)
}

// newConsoleLogs creates the bucket for the request log. CloudFront delivers only to buckets in
// which objects can have other owners.
func (svc *service) newConsoleLogs() awss3.Bucket {
	return awss3.NewBucket(svc.Stack, jsii.String("ConsoleLogs"), &awss3.BucketProps{
		Encryption:        awss3.BucketEncryption_S3_MANAGED,
		BlockPublicAccess: awss3.BlockPublicAccess_BLOCK_ALL(),
		ObjectOwnership:   awss3.ObjectOwnership_BUCKET_OWNER_PREFERRED,
		EnforceSSL:        jsii.Bool(true),
		MinimumTLSVersion: jsii.Number(1.2),
		RemovalPolicy:     svc.settings.Stage.removalPolicy(),
		LifecycleRules: &[]*awss3.LifecycleRule{{
			Id: jsii.String("console-logs"), Expiration: awscdk.Duration_Days(jsii.Number(accessLogDays)),
		}},
	})
}

// pagesOrigin serves the files of the build. CloudFront may list the bucket; otherwise S3 would
// respond with 403 for a missing file.
func (svc *service) pagesOrigin(bucket awss3.Bucket) *cloudfront.BehaviorOptions {
	return &cloudfront.BehaviorOptions{
		Origin: origins.S3BucketOrigin_WithOriginAccessControl(bucket, &origins.S3BucketOriginWithOACProps{
			OriginAccessControl: cloudfront.NewS3OriginAccessControl(svc.Stack, jsii.String("ConsoleAccess"), &cloudfront.S3OriginAccessControlProps{
				OriginAccessControlName: svc.globalName("loadbay-console"),
			}),
			OriginAccessLevels: &[]cloudfront.AccessLevel{cloudfront.AccessLevel_READ, cloudfront.AccessLevel_LIST},
		}),
		ViewerProtocolPolicy:  cloudfront.ViewerProtocolPolicy_REDIRECT_TO_HTTPS,
		CachePolicy:           cloudfront.CachePolicy_CACHING_OPTIMIZED(),
		Compress:              jsii.Bool(true),
		ResponseHeadersPolicy: svc.securityHeaders(),
		FunctionAssociations: &[]*cloudfront.FunctionAssociation{{
			EventType: cloudfront.FunctionEventType_VIEWER_REQUEST,
			Function: cloudfront.NewFunction(svc.Stack, jsii.String("Screens"), &cloudfront.FunctionProps{
				FunctionName: svc.globalName("loadbay-screens"),
				Code:         cloudfront.FunctionCode_FromInline(jsii.String(pageRewrite)),
				Runtime:      cloudfront.FunctionRuntime_JS_2_0(),
			}),
		}},
	}
}

// apiBehaviors forward requests to the API unchanged and cache nothing. A request without TLS is
// rejected instead of redirected, because it may contain a token.
func (svc *service) apiBehaviors(api awsapigatewayv2.HttpApi) *map[string]*cloudfront.BehaviorOptions {
	domain := awscdk.Fn_Select(jsii.Number(2), awscdk.Fn_Split(jsii.String("/"), api.ApiEndpoint(), nil))
	behavior := &cloudfront.BehaviorOptions{
		Origin:               origins.NewHttpOrigin(domain, &origins.HttpOriginProps{ProtocolPolicy: cloudfront.OriginProtocolPolicy_HTTPS_ONLY}),
		ViewerProtocolPolicy: cloudfront.ViewerProtocolPolicy_HTTPS_ONLY,
		AllowedMethods:       cloudfront.AllowedMethods_ALLOW_ALL(),
		CachePolicy:          cloudfront.CachePolicy_CACHING_DISABLED(),
		OriginRequestPolicy:  cloudfront.OriginRequestPolicy_ALL_VIEWER_EXCEPT_HOST_HEADER(),
	}
	behaviors := make(map[string]*cloudfront.BehaviorOptions)
	for _, path := range blueprint.APIPaths() {
		behaviors[path], behaviors[path+"/*"] = behavior, behavior
	}
	return &behaviors
}

func (svc *service) securityHeaders() cloudfront.ResponseHeadersPolicy {
	return cloudfront.NewResponseHeadersPolicy(svc.Stack, jsii.String("ConsoleHeaders"), &cloudfront.ResponseHeadersPolicyProps{
		ResponseHeadersPolicyName: svc.globalName("loadbay-console"),
		SecurityHeadersBehavior: &cloudfront.ResponseSecurityHeadersBehavior{
			ContentSecurityPolicy: &cloudfront.ResponseHeadersContentSecurityPolicy{ContentSecurityPolicy: jsii.String(blueprint.ConsolePolicy(svc.connectOrigins()...)), Override: jsii.Bool(true)},
			ContentTypeOptions:    &cloudfront.ResponseHeadersContentTypeOptions{Override: jsii.Bool(true)},
			ReferrerPolicy:        &cloudfront.ResponseHeadersReferrerPolicy{ReferrerPolicy: cloudfront.HeadersReferrerPolicy_NO_REFERRER, Override: jsii.Bool(true)},
			StrictTransportSecurity: &cloudfront.ResponseHeadersStrictTransportSecurity{
				AccessControlMaxAge: awscdk.Duration_Days(jsii.Number(hstsDays)), Override: jsii.Bool(true),
			},
		},
		CustomHeadersBehavior: &cloudfront.ResponseCustomHeadersBehavior{CustomHeaders: &[]*cloudfront.ResponseCustomHeader{
			{Header: jsii.String("Permissions-Policy"), Value: jsii.String(blueprint.ConsolePermissions), Override: jsii.Bool(true)},
			{Header: jsii.String("Cross-Origin-Opener-Policy"), Value: jsii.String(blueprint.ConsoleOpener), Override: jsii.Bool(true)},
		}},
	})
}

// connectOrigins are the other origins that the console's pages call: for files, for streams,
// and for tokens.
func (svc *service) connectOrigins() []string {
	peers := []string{"https://" + *svc.data.bucket.BucketRegionalDomainName(), *svc.urls["stream"]}
	return append(append(peers, svc.issuerOrigins()...), svc.settings.AuthOrigins...)
}
