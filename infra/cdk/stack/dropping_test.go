package stack_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The policy for droppers permits writing into the drop folder of their own organisation with the
// stage's key, and nothing else.
func TestDropPolicyIsLimitedToOrganisation(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		_, policy := w.single(t, "AWS::IAM::ManagedPolicy", "", "")
		require.NotContains(t, policy.Properties, "ManagedPolicyName", "policies have account-wide names")
		bucket, _ := w.single(t, "AWS::S3::Bucket", "BucketName", "loadbay-files-"+w.stage+"-${AWS::AccountId}-${AWS::Region}")
		key, _ := w.single(t, "AWS::KMS::Key", "", "")
		statements := nested(t, policy.Properties, "PolicyDocument", "Statement").([]any)
		require.Len(t, statements, 2)
		require.ElementsMatch(t, []string{"s3:PutObject", "s3:AbortMultipartUpload"}, w.textList(nested(t, statements[0], "Action")))
		require.Equal(t, "${"+bucket+".Arn}/drop/${aws:PrincipalTag/loadbay-organisation}/*", w.text(nested(t, statements[0], "Resource")))
		require.ElementsMatch(t, []string{"kms:GenerateDataKey", "kms:Decrypt"}, w.textList(nested(t, statements[1], "Action")))
		require.Equal(t, "${"+key+".Arn}", w.text(nested(t, statements[1], "Resource")))
		require.Equal(t, "s3.${AWS::Region}.${AWS::URLSuffix}", w.text(nested(t, statements[1], "Condition", "StringEquals", "kms:ViaService")))
		require.Equal(t, "${"+bucket+"}", w.text(w.output(t, "FilesBucket")))
	})
}

// The network uses the given zones, if Lambda is not available in the first two.
func TestZonesAreChosen(t *testing.T) {
	t.Parallel()
	zones := map[string]bool{}
	for _, subnet := range synthesize(t, "dev-moving").ofType("AWS::EC2::Subnet") {
		zones[subnet.Properties["AvailabilityZone"].(string)] = true
	}
	require.Equal(t, map[string]bool{"us-east-1a": true, "us-east-1d": true}, zones)
}
