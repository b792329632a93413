package stack_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// All buckets block public access and plain HTTP.
func TestBucketsArePrivate(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		buckets := w.ofType("AWS::S3::Bucket")
		require.Len(t, buckets, 4, "buckets for the files, the console and the logs of each")
		for id, b := range buckets {
			require.Equal(t, map[string]any{
				"BlockPublicAcls": true, "BlockPublicPolicy": true, "IgnorePublicAcls": true, "RestrictPublicBuckets": true,
			}, b.Properties["PublicAccessBlockConfiguration"], id)
			_, policy := w.single(t, "AWS::S3::BucketPolicy", "Bucket", "${"+id+"}")
			refused := nested(t, policy.Properties, "PolicyDocument", "Statement", 0)
			require.Equal(t, "Deny", nested(t, refused, "Effect"), id)
			require.Equal(t, "false", nested(t, refused, "Condition", "Bool", "aws:SecureTransport"), id)
		}
	})
}

func TestBucketForFiles(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		_, b := w.single(t, "AWS::S3::Bucket", "BucketName", "loadbay-files-"+w.stage+"-${AWS::AccountId}-${AWS::Region}")
		key, _ := w.single(t, "AWS::KMS::Key", "", "")
		encryption := nested(t, b.Properties, "BucketEncryption", "ServerSideEncryptionConfiguration", 0)
		require.Equal(t, "aws:kms", nested(t, encryption, "ServerSideEncryptionByDefault", "SSEAlgorithm"))
		require.Equal(t, "${"+key+".Arn}", w.text(nested(t, encryption, "ServerSideEncryptionByDefault", "KMSMasterKeyID")))
		require.Equal(t, true, nested(t, encryption, "BucketKeyEnabled"), "without bucket keys, each object causes a paid KMS request")
		require.Equal(t, "Enabled", nested(t, b.Properties, "VersioningConfiguration", "Status"))
		require.Equal(t, true, nested(t, b.Properties, "NotificationConfiguration", "EventBridgeConfiguration", "EventBridgeEnabled"))
		require.NotEmpty(t, nested(t, b.Properties, "LoggingConfiguration", "DestinationBucketName"))
		require.Equal(t, map[string]string{"dev": "Delete", "prod": "Retain"}[w.stage], b.DeletionPolicy)
	})
}

// The lifecycle is the backstop of the purge: it must never be shorter than the longest time for
// which the database retains a job (days).
func TestLifecycleExceedsPurgeRetention(t *testing.T) {
	t.Parallel()
	w := synthesize(t, "dev")
	kept := map[string]int{"uploads": 180, "drop": 180, "results": 180, "chunks": 90 + 7, "exports": 7, "quarantine": 0}
	for _, rule := range readBucket(t, w).Rules {
		if rule.Tag != "" { // tagged objects expire immediately
			continue
		}
		require.Contains(t, kept, rule.Name)
		require.Greater(t, rule.ExpireDays, kept[rule.Name], rule.Name)
	}
}

func TestUploadsFromBrowsers(t *testing.T) {
	t.Parallel()
	_, dev := synthesize(t, "dev").single(t, "AWS::S3::Bucket", "BucketName", "loadbay-files-dev-${AWS::AccountId}-${AWS::Region}")
	require.Equal(t, []any{"https://*.cloudfront.net"}, nested(t, dev.Properties, "CorsConfiguration", "CorsRules", 0, "AllowedOrigins"), "only the console may upload")
	_, prod := synthesize(t, "prod").single(t, "AWS::S3::Bucket", "BucketName", "loadbay-files-prod-${AWS::AccountId}-${AWS::Region}")
	rule := nested(t, prod.Properties, "CorsConfiguration", "CorsRules", 0)
	require.Equal(t, []any{"https://import.example.com", "https://app.example.com"}, nested(t, rule, "AllowedOrigins"))
	require.Equal(t, []any{"ETag"}, nested(t, rule, "ExposedHeaders"))
}

func TestTable(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		_, table := w.single(t, "AWS::DynamoDB::Table", "", "")
		key, _ := w.single(t, "AWS::KMS::Key", "", "")
		require.Equal(t, "PAY_PER_REQUEST", table.Properties["BillingMode"])
		require.Equal(t, true, nested(t, table.Properties, "PointInTimeRecoverySpecification", "PointInTimeRecoveryEnabled"))
		require.Equal(t, true, nested(t, table.Properties, "TimeToLiveSpecification", "Enabled"))
		require.Equal(t, "${"+key+".Arn}", w.text(nested(t, table.Properties, "SSESpecification", "KMSMasterKeyId")))
		require.Equal(t, w.stage == "prod", table.Properties["DeletionProtectionEnabled"])
		require.Equal(t, map[string]string{"dev": "Delete", "prod": "Retain"}[w.stage], table.DeletionPolicy)
	})
}

func TestKey(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		_, key := w.single(t, "AWS::KMS::Key", "", "")
		require.Equal(t, true, key.Properties["EnableKeyRotation"])
		for _, item := range nested(t, key.Properties, "KeyPolicy", "Statement").([]any) {
			if nested(t, item, "Principal").(map[string]any)["Service"] != nil {
				require.NotEmpty(t, nested(t, item, "Condition"), "services may use the key only for this account")
			}
		}
	})
}
