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

// suppress accepts a finding on a construct and all within it, for a reason
// that a reader can check. For AwsSolutions-IAM5 (wildcards) it names the very
// resources that may have one, as patterns; any other stays a finding.
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

// suppressRole accepts the wildcards of a function's role: those that IAM
// insists on, its log streams, and the keys under the prefixes it is granted.
func suppressRole(role awsiam.Role, f blueprint.Function) {
	suppressLogStreams(role)
	suppress(role, "IAM5", "X-Ray has no resources to name; and the network interfaces that Lambda makes for a function have no names beforehand, so the same actions are denied to the function's own code.", `\*`)
	for _, g := range f.Grants {
		switch {
		case g.Resource == blueprint.OnBucket && g.ResourceName != "":
			suppress(role, "IAM5", "Objects are named by jobs; the prefix says which kind of object this function works on.", `.*\/`+escapePrefix(g.ResourceName)+`\*`)
		case g.Resource == blueprint.OnSecret:
			suppress(role, "IAM5", "Secrets Manager ends the ARN of a secret in six characters of its own; the rest names the one secret.", `.*:secret:.*-\?{6}`)
		case g.Resource == blueprint.OnMailIdentities:
			suppress(role, "IAM5", "Whoever deploys says which identity of the account mail is sent from; there are no others than those.", `.*:identity\/\*`)
		case g.Resource == blueprint.OnExecutions:
			suppress(role, "IAM5", "Executions are named by jobs; the ARN names the one state machine.", `.*:execution:.*:\*`)
		}
	}
}

func suppressLogStreams(role awsiam.Role) {
	suppress(role, "IAM5", "Lambda names the log streams; the ARN names the function's own log group.", `.*:log-group:\/aws\/lambda\/.*:\*`)
}

func suppressWorkflowRole(role awsiam.Role) {
	suppress(role, "IAM5", "Log delivery and X-Ray have no resources to name.", `\*`)
}

func suppressProvider(provider customresources.Provider) {
	suppress(provider, "L1", "The CDK brings this function and chooses its runtime; an update of the CDK updates it.")
}

func suppressDatabase(db constructs.IConstruct, s Settings) {
	suppress(db, "RDS11", "Another port than 5432 hides nothing: only the security groups of the functions and the proxy reach it.")
	if !s.Stage.RetainData {
		suppress(db, "RDS3", "The data of stage "+s.Stage.Name+" does not last, so it has no standby.")
		suppress(db, "RDS10", "The data of stage "+s.Stage.Name+" does not last, so it may be deleted with its stack.")
	}
}

func suppressEndOfLine(queue awssqs.Queue) {
	suppress(queue, "SQS3", "This is itself a queue of dead letters: of events, which have no queue that could name it.")
}

func suppressKeys(secret awssecretsmanager.Secret) {
	suppress(secret, "SMG4", "What is sealed with a key has to be sealed anew before the key goes: docs/runbook.md says how it is replaced.")
}

func suppressPublicRoute(route awsapigatewayv2.HttpRoute, key string) {
	suppress(route, "APIG4", key+" is public by design: it shows no data of any organisation.")
}

func suppressDistribution(distribution constructs.IConstruct, s Settings) {
	suppress(distribution, "CFR1", "Who works with an organisation's files may do so from every country; whoever must not cannot sign in.")
	suppress(distribution, "CFR2", "The API throttles and bounds every request itself, and a web ACL costs more than all else of an idle installation.")
	if s.ConsoleDomain == "" {
		suppress(distribution, "CFR4", "Without a domain of its own the console has CloudFront's certificate, whose protocols cannot be chosen.")
	}
}

func suppressUserPool(pool constructs.IConstruct) {
	suppress(pool, "COG3", "Threat protection is of the plan that costs each person from the first on; a second factor is asked of everybody.")
	suppress(pool, "COG8", "What this plan lacks is threat protection, and it costs each person from the first on; a second factor is asked of everybody.")
}

// escapePrefix makes a key prefix a pattern of the regular expressions of JavaScript.
func escapePrefix(prefix string) string {
	return strings.ReplaceAll(regexp.QuoteMeta(prefix), "/", `\/`)
}
