package stack

import (
	"regexp"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsapigatewayv2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssecretsmanager"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssqs"
	"github.com/aws/aws-cdk-go/awscdk/v2/customresources"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
	"github.com/cdklabs/cdk-nag-go/cdknag/v2"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// suppress accepts a finding on a construct and its children, for a verifiable reason. For
// AwsSolutions-IAM5 (wildcards) it lists exactly the resources that may have one, as patterns;
// others remain findings.
func suppress(on constructs.IConstruct, rule, reason string, resources ...string) {
	s := &cdknag.NagPackSuppression{Id: jsii.String("AwsSolutions-" + rule), Reason: jsii.String(reason)}
	if len(resources) > 0 {
		var patterns []any
		for _, r := range resources {
			patterns = append(patterns, &cdknag.RegexAppliesTo{Regex: jsii.String("/^Resource::" + r + "$/")})
		}
		s.AppliesTo = &patterns
	}
	cdknag.NagSuppressions_AddResourceSuppressions(on, &[]*cdknag.NagPackSuppression{s}, jsii.Bool(true))
}

// suppressRole accepts the wildcards of a function's role: those that IAM requires, its log
// streams, and the keys under the prefixes of its grants.
func suppressRole(role awsiam.Role, f blueprint.Function) {
	suppressLogStreams(role)
	suppress(role, "IAM5", "X-Ray has no resource ARNs, and network interfaces that Lambda creates have no known names. The same actions are denied to the function's own code.", `\*`)
	for _, g := range f.Grants {
		switch {
		case g.Resource == blueprint.OnBucket && g.ResourceName != "":
			suppress(role, "IAM5", "Object names contain job IDs; the prefix limits the kind of object that this function can access.", `.*\/`+escapePrefix(g.ResourceName)+`\*`)
		case g.Resource == blueprint.OnSecret:
			suppress(role, "IAM5", "Secrets Manager adds six random characters to the ARN of a secret; the rest identifies one secret.", `.*:secret:.*-\?{6}`)
		case g.Resource == blueprint.OnMailIdentities:
			suppress(role, "IAM5", "The sender identity is set at deployment; only identities of the account can be used.", `.*:identity\/\*`)
		case g.Resource == blueprint.OnExecutions:
			suppress(role, "IAM5", "Execution names contain job IDs; the ARN identifies one state machine.", `.*:execution:.*:\*`)
		}
	}
}

func suppressLogStreams(role awsiam.Role) {
	suppress(role, "IAM5", "Lambda names the log streams; the ARN identifies the function's own log group.", `.*:log-group:\/aws\/lambda\/.*:\*`)
}

func suppressWorkflowRole(role awsiam.Role) {
	suppress(role, "IAM5", "Log delivery and X-Ray have no resource ARNs.", `\*`)
}

func suppressBackupRole(role awsiam.Role) {
	suppress(role, "IAM4", "AWS maintains these policies for AWS Backup, whose actions change with each kind of resource that it copies.")
}

func suppressTracing(machine constructs.IConstruct) {
	suppress(machine, "SF2", "Traces are a setting because they cost more than the functions; the logs name the import of each call.")
}

func suppressProvider(provider customresources.Provider) {
	suppress(provider, "L1", "The CDK provides this function and selects its runtime; an update of the CDK updates it.")
}

func suppressDatabase(db constructs.IConstruct, s Settings) {
	suppress(db, "RDS11", "A port other than 5432 adds no protection: only the security groups of the functions and the proxy have access.")
	if !s.Stage.RetainData {
		suppress(db, "RDS3", "The data of stage "+s.Stage.Name+" is temporary, so it has no standby.")
		suppress(db, "RDS10", "The data of stage "+s.Stage.Name+" is temporary, so it can be deleted with its stack.")
	}
}

func suppressEndOfLine(queue awssqs.Queue) {
	suppress(queue, "SQS3", "This is a dead-letter queue for events, which have no source queue.")
}

func suppressKeys(secret awssecretsmanager.Secret) {
	suppress(secret, "SMG4", "Data sealed with a key must be sealed again before the key is removed: docs/runbook.md describes the rotation.")
}

func suppressPublicRoute(route awsapigatewayv2.HttpRoute, key string) {
	suppress(route, "APIG4", key+" is public by design: it shows no data of any organisation.")
}

func suppressDistribution(distribution constructs.IConstruct, s Settings) {
	suppress(distribution, "CFR1", "Users can work from every country; access is controlled by sign-in.")
	suppress(distribution, "CFR2", "The API throttles and limits every request, and a web ACL costs more than everything else in an idle installation.")
	if s.ConsoleDomain == "" {
		suppress(distribution, "CFR4", "Without a custom domain, the console uses CloudFront's certificate, whose protocols cannot be configured.")
	}
}

func suppressUserPool(pool constructs.IConstruct) {
	suppress(pool, "COG3", "Threat protection requires a plan that charges for every user; a second factor is required for all users.")
	suppress(pool, "COG8", "This plan lacks threat protection, which is charged for every user; a second factor is required for all users.")
}

// escapePrefix escapes a key prefix for a JavaScript regular expression.
func escapePrefix(prefix string) string {
	return strings.ReplaceAll(regexp.QuoteMeta(prefix), "/", `\/`)
}
