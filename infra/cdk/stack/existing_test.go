package stack_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// In an existing network the stage creates nothing but security groups.
func TestExistingNetwork(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"prod-existing", "prod-existing-database"} {
		w := synthesize(t, name)
		for id, r := range w.resources {
			if strings.HasPrefix(r.Type, "AWS::EC2::") {
				require.True(t, strings.HasPrefix(r.Type, "AWS::EC2::SecurityGroup"), "%s is %s", id, r.Type)
			}
			if r.Type == "AWS::EC2::SecurityGroup" {
				require.Equal(t, "vpc-0123456789abcdef0", r.Properties["VpcId"], id)
			}
		}
		for _, f := range w.blueprint.Functions {
			if _, r := w.function(t, f.Name); f.Database != blueprint.NoDatabase {
				require.Equal(t, []any{"subnet-0000000000000000a", "subnet-0000000000000000b"}, nested(t, r.Properties, "VpcConfig", "SubnetIds"), f.Name)
				require.Equal(t, false, nested(t, r.Properties, "VpcConfig", "Ipv6AllowedForDualStack"), f.Name)
				require.NotContains(t, r.variables(), "AWS_USE_DUALSTACK_ENDPOINT", f.Name)
			}
		}
	}
	_, subnets := synthesize(t, "prod-existing").single(t, "AWS::RDS::DBSubnetGroup", "", "")
	require.Equal(t, []any{"subnet-0000000000000000c", "subnet-0000000000000000d"}, subnets.Properties["SubnetIds"])
}

// The existing key encrypts everything, no other is created, and no other stack imports it.
func TestExistingKey(t *testing.T) {
	t.Parallel()
	w := synthesize(t, "prod-existing")
	require.Empty(t, w.ofType("AWS::KMS::Key"))
	require.Empty(t, w.ofType("AWS::KMS::Alias"))
	for kind, path := range map[string][]any{
		"AWS::SQS::Queue": {"KmsMasterKeyId"}, "AWS::DynamoDB::Table": {"SSESpecification", "KMSMasterKeyId"}, "AWS::RDS::DBInstance": {"KmsKeyId"},
		"AWS::Logs::LogGroup": {"KmsKeyId"}, "AWS::SecretsManager::Secret": {"KmsKeyId"}, "AWS::SNS::Topic": {"KmsMasterKeyId"}, "AWS::Backup::BackupVault": {"EncryptionKeyArn"},
	} {
		require.NotEmpty(t, w.ofType(kind), kind)
		for id, r := range w.ofType(kind) {
			require.Contains(t, w.text(nested(t, r.Properties, path...)), "0f0f0f0f-1111-2222-3333-444444444444", id)
		}
	}
}

// The documented statements for the policy of an existing key are those of the stage's own key.
func TestDocumentedKeyPolicy(t *testing.T) {
	t.Parallel()
	w := synthesize(t, "prod-instance")
	_, key := w.single(t, "AWS::KMS::Key", "", "")
	want := map[string]any{}
	for _, item := range nested(t, key.Properties, "KeyPolicy", "Statement").([]any) {
		s := item.(map[string]any)
		for _, service := range w.textList(nested(t, s, "Principal", "Service")) {
			want[strings.ReplaceAll(service, "${AWS::Region}", "eu-central-1")] = s["Condition"]
			require.ElementsMatch(t, []any{"kms:Encrypt", "kms:Decrypt", "kms:ReEncrypt*", "kms:GenerateDataKey*", "kms:DescribeKey"}, s["Action"])
		}
	}
	content, err := os.ReadFile("../../../docs/deploying.md")
	require.NoError(t, err)
	block := regexp.MustCompile("(?s)```json\n(\\[.*?\\])\n```").FindSubmatch(content)
	require.NotNil(t, block, "docs/deploying.md has no statements for the policy of a key")
	var documented []struct {
		Principal struct{ Service []string }
		Action    []string
		Condition map[string]map[string]string
	}
	require.NoError(t, json.Unmarshal(block[1], &documented))
	got := map[string]any{}
	for _, s := range documented {
		require.Equal(t, []string{"kms:Encrypt", "kms:Decrypt", "kms:ReEncrypt*", "kms:GenerateDataKey*", "kms:DescribeKey"}, s.Action)
		for _, service := range s.Principal.Service {
			got[service] = true
			if service == "logs.eu-central-1.amazonaws.com" {
				require.Equal(t, "arn:aws:logs:eu-central-1:123456789012:log-group:*loadbay*", s.Condition["ArnLike"]["kms:EncryptionContext:aws:logs:arn"])
			} else {
				require.Equal(t, "123456789012", s.Condition["StringEquals"]["aws:SourceAccount"])
			}
		}
	}
	for service := range want {
		require.Contains(t, got, service)
	}
	require.Len(t, got, len(want))
}

// Functions connect to the existing database as their roles, migrate with the secret.
func TestExistingDatabase(t *testing.T) {
	t.Parallel()
	w := synthesize(t, "prod-existing-database")
	for _, kind := range []string{"AWS::RDS::DBInstance", "AWS::RDS::DBCluster", "AWS::RDS::DBProxy", "AWS::RDS::DBSubnetGroup"} {
		require.Empty(t, w.ofType(kind), kind)
	}
	_, rule := w.single(t, "AWS::EC2::SecurityGroupIngress", "", "")
	require.Equal(t, "sg-0123456789abcdef0", rule.Properties["GroupId"])
	require.InDelta(t, 5432, rule.Properties["ToPort"], 0)
	for _, f := range w.blueprint.Functions {
		if f.Database == blueprint.NoDatabase {
			continue
		}
		_, r := w.function(t, f.Name)
		grants := strings.Join(roleGrants(t, w, roleOf(t, w, f.Name)), "\n")
		require.Equal(t, "main.cluster-cabc123.eu-central-1.rds.amazonaws.com", w.text(r.variables()["DATABASE_HOST"]), f.Name)
		require.Equal(t, "imports", r.variables()["DATABASE_NAME"], f.Name)
		if f.Database == blueprint.AdminRole {
			require.Contains(t, grants, "secretsmanager:GetSecretValue on arn:aws:secretsmanager:eu-central-1:111111111111:secret:main-AbCdEf")
			require.Contains(t, grants, "kms:Decrypt on "+existingKey+" if secretsmanager.")
		} else {
			require.Contains(t, grants, "rds-db:connect on arn:${AWS::Partition}:rds-db:${AWS::Region}:${AWS::AccountId}:dbuser:cluster-ABC123/"+string(f.Database), f.Name)
		}
	}
	_, cpu := w.single(t, "AWS::CloudWatch::Alarm", "AlarmName", "loadbay-database-cpu-prod")
	require.Equal(t, "DBClusterIdentifier", nested(t, cpu.Properties, "Dimensions", 0, "Name"))
	require.Equal(t, "main", w.text(nested(t, cpu.Properties, "Dimensions", 0, "Value")))
	require.NotContains(t, physicalNames(w), "AWS::CloudWatch::Alarm loadbay-database-storage-prod")
}

// Database, table, bucket and the keys of webhooks are copied to another region if a setting names a vault.
func TestBackupCopies(t *testing.T) {
	t.Parallel()
	w := synthesize(t, "prod-existing")
	_, plan := w.single(t, "AWS::Backup::BackupPlan", "", "")
	rule := nested(t, plan.Properties, "BackupPlan", "BackupPlanRule", 0)
	require.Equal(t, "arn:aws:backup:eu-west-1:111111111111:backup-vault:loadbay", nested(t, rule, "CopyActions", 0, "DestinationBackupVaultArn"))
	require.InDelta(t, 14, nested(t, rule, "CopyActions", 0, "Lifecycle", "DeleteAfterDays"), 0)
	_, selection := w.single(t, "AWS::Backup::BackupSelection", "", "")
	database, _ := w.single(t, "AWS::RDS::DBInstance", "", "")
	table, _ := w.single(t, "AWS::DynamoDB::Table", "", "")
	bucket, _ := w.single(t, "AWS::S3::Bucket", "BucketName", "loadbay-files-prod-${AWS::AccountId}-${AWS::Region}")
	require.ElementsMatch(t, []string{"arn:${AWS::Partition}:rds:${AWS::Region}:${AWS::AccountId}:db:${" + database + "}", "${" + table + ".Arn}", "${" + bucket + ".Arn}"},
		w.textList(nested(t, selection.Properties, "BackupSelection", "Resources")))
	_, secret := w.single(t, "AWS::SecretsManager::Secret", "", "")
	require.Equal(t, "eu-west-1", nested(t, secret.Properties, "ReplicaRegions", 0, "Region"))
	require.Empty(t, synthesize(t, "prod-instance").ofType("AWS::Backup::BackupPlan"))
}
