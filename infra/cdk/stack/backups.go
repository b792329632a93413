package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsbackup"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsevents"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/jsii-runtime-go"
)

// addBackups copies database, table and bucket to a vault of another region every night, for the
// loss of a region. The vault exists before, because its region has its own key. What was written
// after the last copy is lost with the region.
func addBackups(st awscdk.Stack, s Settings, d data) {
	vault := awsbackup.NewBackupVault(st, jsii.String("Backups"), &awsbackup.BackupVaultProps{
		BackupVaultName: jsii.String(s.resourceName("loadbay")), EncryptionKey: d.key, RemovalPolicy: s.Stage.removalPolicy(),
	})
	elsewhere := awsbackup.BackupVault_FromBackupVaultArn(st, jsii.String("BackupsElsewhere"), jsii.String(s.BackupCopies))
	days := awscdk.Duration_Days(jsii.Number(s.Stage.BackupDays))
	plan := awsbackup.NewBackupPlan(st, jsii.String("BackupPlan"), &awsbackup.BackupPlanProps{
		BackupPlanName: jsii.String(s.resourceName("loadbay")), BackupVault: vault,
		BackupPlanRules: &[]awsbackup.BackupPlanRule{awsbackup.NewBackupPlanRule(&awsbackup.BackupPlanRuleProps{
			RuleName:           jsii.String("nightly"),
			ScheduleExpression: awsevents.Schedule_Cron(&awsevents.CronOptions{Hour: jsii.String("2"), Minute: jsii.String("15")}),
			DeleteAfter:        days,
			CopyActions:        &[]*awsbackup.BackupPlanCopyActionProps{{DestinationBackupVault: elsewhere, DeleteAfter: days}},
		})},
	})
	role := awsiam.NewRole(st, jsii.String("BackupRole"), &awsiam.RoleProps{
		AssumedBy: servicePrincipal("backup.amazonaws.com", map[string]any{"StringEquals": map[string]any{"aws:SourceAccount": awscdk.Aws_ACCOUNT_ID()}}),
		ManagedPolicies: &[]awsiam.IManagedPolicy{
			awsiam.ManagedPolicy_FromAwsManagedPolicyName(jsii.String("service-role/AWSBackupServiceRolePolicyForBackup")),
			awsiam.ManagedPolicy_FromAwsManagedPolicyName(jsii.String("AWSBackupServiceRolePolicyForS3Backup")),
		},
	})
	suppressBackupRole(role)
	// AWS replaces a selection whose resources change, and a new one needs another name. BackupSelectionName
	// is the id of the construct.
	plan.AddSelection(jsii.String("Data-"+s.Database().String()), &awsbackup.BackupSelectionOptions{
		Role:                       role.WithoutPolicyUpdates(nil),
		DisableDefaultBackupPolicy: jsii.Bool(true),
		Resources: &[]awsbackup.BackupResource{
			awsbackup.BackupResource_FromArn(d.database.metrics.arn(st)),
			awsbackup.BackupResource_FromArn(d.table.TableArn()),
			awsbackup.BackupResource_FromArn(d.bucket.BucketArn()),
		},
	})
	region := vaultPattern.FindStringSubmatch(s.BackupCopies)[1]
	d.secret.AddReplicaRegion(jsii.String(region), nil)
}

// arn is that of the database which has the metrics.
func (m databaseMetrics) arn(st awscdk.Stack) *string {
	kind := "db"
	if m.dimension == clusterDimension {
		kind = "cluster"
	}
	return st.FormatArn(&awscdk.ArnComponents{Service: jsii.String("rds"), Resource: jsii.String(kind), ResourceName: m.name, ArnFormat: awscdk.ArnFormat_COLON_RESOURCE_NAME})
}
