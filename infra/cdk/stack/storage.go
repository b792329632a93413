package stack

import (
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/jsii-runtime-go"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// The days for which an overwritten or deleted object can be restored, and for which the access
// log is retained.
const (
	noncurrentDays = 7
	accessLogDays  = 90
)

// newBucket creates the bucket for files, private and encrypted, with the blueprint's lifecycle
// and its events sent to EventBridge.
func newBucket(st awscdk.Stack, s Settings, b blueprint.Bucket, key awskms.IKey) awss3.Bucket {
	bucket := awss3.NewBucket(st, jsii.String("Bucket"), &awss3.BucketProps{
		BucketName:             jsii.String(s.deployment().Bucket(b.Name)),
		Encryption:             awss3.BucketEncryption_KMS,
		EncryptionKey:          key,
		BucketKeyEnabled:       jsii.Bool(true),
		BlockPublicAccess:      awss3.BlockPublicAccess_BLOCK_ALL(),
		ObjectOwnership:        awss3.ObjectOwnership_BUCKET_OWNER_ENFORCED,
		EnforceSSL:             jsii.Bool(true),
		MinimumTLSVersion:      jsii.Number(1.2),
		Versioned:              jsii.Bool(true),
		LifecycleRules:         lifecycle(b.Rules),
		Cors:                   uploadCORS(s),
		ServerAccessLogsBucket: newAccessLogBucket(st, s),
		ServerAccessLogsPrefix: jsii.String("files/"),
		RemovalPolicy:          s.Stage.removalPolicy(),
	})
	// The construct's own option would add a function that sets the same property.
	bucket.Node().DefaultChild().(awss3.CfnBucket).AddPropertyOverride(
		jsii.String("NotificationConfiguration.EventBridgeConfiguration.EventBridgeEnabled"), true)
	return bucket
}

func lifecycle(rules []blueprint.LifecycleRule) *[]*awss3.LifecycleRule {
	var list []*awss3.LifecycleRule
	for _, r := range rules {
		rule := &awss3.LifecycleRule{
			Id:                          jsii.String(r.Name),
			Expiration:                  awscdk.Duration_Days(jsii.Number(float64(r.ExpireDays))),
			NoncurrentVersionExpiration: awscdk.Duration_Days(jsii.Number(noncurrentDays)),
		}
		if name, value, tagged := strings.Cut(r.Tag, "="); tagged {
			rule.TagFilters = &map[string]any{name: value}
		} else {
			rule.Prefix = jsii.String(r.Prefix)
			rule.AbortIncompleteMultipartUploadAfter = awscdk.Duration_Days(jsii.Number(float64(r.AbortUploadDays)))
		}
		list = append(list, rule)
	}
	return new(append(list, &awss3.LifecycleRule{
		Id:                        jsii.String("delete-markers"),
		ExpiredObjectDeleteMarker: jsii.Bool(true),
	}))
}

// consoleOrigin is the origin of the console's pages. CloudFront's name is not known before the
// distribution, which depends on the bucket; then it is a pattern for all such names. That
// grants no access, because a presigned address is needed anyway.
func consoleOrigin(s Settings) string {
	if s.ConsoleDomain == "" {
		return "https://*.cloudfront.net"
	}
	return "https://" + s.ConsoleDomain
}

// uploadCORS lets the console and pages of the allowed origins use presigned addresses.
func uploadCORS(s Settings) *[]*awss3.CorsRule {
	rules, origins := blueprint.FilesCORS(), s.Origins
	if !s.WithoutConsole {
		origins = append([]string{consoleOrigin(s)}, origins...)
	}
	if len(origins) == 0 {
		return nil
	}
	return &[]*awss3.CorsRule{{
		AllowedMethods: corsMethods[awss3.HttpMethods](rules),
		AllowedOrigins: jsii.Strings(origins...),
		AllowedHeaders: jsii.Strings(rules.Headers...),
		ExposedHeaders: jsii.Strings(rules.ExposedHeaders...),
		MaxAge:         jsii.Number(rules.MaxAge.Seconds()),
	}}
}

// newAccessLogBucket creates the bucket for the access log. S3 delivers logs only to buckets
// encrypted with its own keys.
func newAccessLogBucket(st awscdk.Stack, s Settings) awss3.Bucket {
	return awss3.NewBucket(st, jsii.String("AccessLogs"), &awss3.BucketProps{
		Encryption:        awss3.BucketEncryption_S3_MANAGED,
		BlockPublicAccess: awss3.BlockPublicAccess_BLOCK_ALL(),
		ObjectOwnership:   awss3.ObjectOwnership_BUCKET_OWNER_ENFORCED,
		EnforceSSL:        jsii.Bool(true),
		MinimumTLSVersion: jsii.Number(1.2),
		RemovalPolicy:     s.Stage.removalPolicy(),
		LifecycleRules: &[]*awss3.LifecycleRule{{
			Id: jsii.String("access-logs"), Expiration: awscdk.Duration_Days(jsii.Number(accessLogDays)),
		}},
	})
}
