package stack_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// roleGrants returns the sorted permissions of a role as "action on resource", with
// " if <condition>" for conditional ones.
func roleGrants(t *testing.T, w *stageTemplates, role resource) []string {
	t.Helper()
	var lines []string
	for _, policy := range role.Properties["Policies"].([]any) {
		for _, item := range nested(t, policy, "PolicyDocument", "Statement").([]any) {
			s := item.(map[string]any)
			if s["Effect"] != "Allow" {
				continue
			}
			suffix := ""
			if s["Condition"] != nil {
				suffix = " if " + w.text(nested(t, s, "Condition", "StringEquals", "kms:ViaService"))
			}
			for _, action := range w.textList(s["Action"]) {
				for _, r := range w.textList(s["Resource"]) {
					lines = append(lines, action+" on "+r+suffix)
				}
			}
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

func roleOf(t *testing.T, w *stageTemplates, function string) resource {
	t.Helper()
	_, f := w.function(t, function)
	id := strings.TrimSuffix(strings.TrimPrefix(w.text(f.Properties["Role"]), "${"), ".Arn}")
	require.Equal(t, "AWS::IAM::Role", w.resources[id].Type)
	return w.resources[id]
}

// Some complete roles, for review.
func TestRoleGolden(t *testing.T) {
	t.Parallel()
	w := synthesize(t, "dev")
	const region = "arn:${AWS::Partition}:%:${AWS::Region}:${AWS::AccountId}:"
	arn := func(service, rest string) string { return strings.Replace(region, "%", service, 1) + rest }
	const bucket = "arn:${AWS::Partition}:s3:::loadbay-files-dev-${AWS::AccountId}-${AWS::Region}"
	key, _ := w.single(t, "AWS::KMS::Key", "", "")
	rows := arn("sqs", "loadbay-rows-dev")
	database, _ := w.single(t, "AWS::RDS::DBInstance", "", "")
	onKey := func(action, service string) string {
		return "kms:" + action + " on ${" + key + ".Arn} if " + service + ".${AWS::Region}.amazonaws.com"
	}
	runs := func(function string) []string {
		return []string{
			"ec2:AssignPrivateIpAddresses on *", "ec2:CreateNetworkInterface on *", "ec2:DeleteNetworkInterface on *",
			"ec2:DescribeNetworkInterfaces on *", "ec2:DescribeSubnets on *", "ec2:UnassignPrivateIpAddresses on *",
			"logs:CreateLogStream on " + arn("logs", "log-group:/aws/lambda/loadbay-"+function+"-dev:*"),
			"logs:PutLogEvents on " + arn("logs", "log-group:/aws/lambda/loadbay-"+function+"-dev:*"),
		}
	}
	tests := map[string][]string{
		"process": {
			"s3:GetObject on " + bucket + "/uploads/*", "s3:GetObject on " + bucket + "/drop/*", "s3:GetObject on " + bucket + "/chunks/*",
			"dynamodb:GetItem on " + arn("dynamodb", "table/loadbay-coordination-dev"), "dynamodb:UpdateItem on " + arn("dynamodb", "table/loadbay-coordination-dev"),
			"sqs:ReceiveMessage on " + rows, "sqs:DeleteMessage on " + rows, "sqs:GetQueueAttributes on " + rows, "sqs:ChangeMessageVisibility on " + rows,
			"states:SendTaskSuccess on " + arn("states", "stateMachine:loadbay-import-dev"),
			"events:PutEvents on " + arn("events", "event-bus/loadbay-dev"),
			"rds-db:connect on " + arn("rds-db", "dbuser:${"+database+".DbiResourceId}/loadbay_app"),
			onKey("Decrypt", "s3"), onKey("Decrypt", "sqs"),
			onKey("Decrypt", "dynamodb"), onKey("DescribeKey", "dynamodb"), onKey("Encrypt", "dynamodb"),
			onKey("GenerateDataKey", "dynamodb"), onKey("ReEncryptFrom", "dynamodb"), onKey("ReEncryptTo", "dynamodb"),
		},
		"admin": append(operatorQueueGrants(arn),
			"rds-db:connect on "+arn("rds-db", "dbuser:${"+database+".DbiResourceId}/loadbay_operator"),
			"states:DescribeExecution on "+arn("states", "execution:loadbay-import-dev:*"), // but not start, stop or complete them
			"dynamodb:UpdateItem on "+arn("dynamodb", "table/loadbay-coordination-dev"),
			onKey("Decrypt", "sqs"), onKey("GenerateDataKey", "sqs"),
			onKey("Decrypt", "dynamodb"), onKey("DescribeKey", "dynamodb"), onKey("Encrypt", "dynamodb"),
			onKey("GenerateDataKey", "dynamodb"), onKey("ReEncryptFrom", "dynamodb"), onKey("ReEncryptTo", "dynamodb"),
		),
		"migrate": {
			"secretsmanager:GetSecretValue on ${" + database + ".MasterUserSecret.SecretArn}",
			"secretsmanager:GetSecretValue on " + arn("secretsmanager", "secret:loadbay-webhook-keys-dev-??????"),
			onKey("Decrypt", "secretsmanager"),
		},
	}
	for function, own := range tests {
		t.Run(function, func(t *testing.T) {
			t.Parallel()
			require.ElementsMatch(t, append(runs(function), own...), roleGrants(t, w, roleOf(t, w, function)))
		})
	}
}

// operatorQueueGrants are the operators' permissions: sending to queues, and receiving from
// dead-letter queues only.
func operatorQueueGrants(arn func(service, rest string) string) (all []string) {
	for _, name := range []string{"rows", "exports", "fetches", "webhooks"} {
		queue := arn("sqs", "loadbay-"+name+"-dev")
		all = append(all, "sqs:SendMessage on "+queue, "sqs:GetQueueAttributes on "+queue)
	}
	for _, name := range []string{"rows", "exports", "fetches", "webhooks", "events"} {
		for _, action := range []string{"ReceiveMessage", "DeleteMessage", "GetQueueAttributes", "ChangeMessageVisibility"} {
			all = append(all, "sqs:"+action+" on "+arn("sqs", "loadbay-"+name+"-dlq-dev"))
		}
	}
	return all
}

// Beyond the permissions needed for running, a role has exactly the policy that the local stack
// enforces.
func TestRolePoliciesMatchBlueprint(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		for _, f := range w.blueprint.Functions {
			var got []string
			for _, line := range roleGrants(t, w, roleOf(t, w, f.Name)) {
				service, _, _ := strings.Cut(line, ":")
				if !slices.Contains([]string{"logs", "xray", "ec2", "rds-db", "kms"}, service) && !strings.Contains(line, "MasterUserSecret") {
					got = append(got, line)
				}
			}
			require.ElementsMatch(t, policyGrants(w.blueprint.RolePolicy(f, w.deployment())), got, f.Name)
		}
	})
}

// policyGrants returns a policy's permissions as "action on resource".
func policyGrants(p blueprint.Policy) []string {
	var all []string
	for _, s := range p.Statement {
		for _, action := range s.Action {
			for _, r := range s.Resource {
				all = append(all, string(action)+" on "+r)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// The policies of queues are those that the local stack enforces; in addition, AWS lets rules
// send undeliverable events there.
func TestQueuePoliciesMatchBlueprint(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		for _, q := range w.blueprint.Queues {
			id, _ := w.single(t, "AWS::SQS::Queue", "QueueName", w.deployment().Name(q.Name))
			_, policy := w.single(t, "AWS::SQS::QueuePolicy", "Queues", "[map[Ref:"+id+"]]")
			got := nested(t, policy.Properties, "PolicyDocument", "Statement").([]any)
			for _, want := range w.blueprint.QueuePolicy(q.Name, w.deployment()).Statement {
				require.True(t, slices.ContainsFunc(got, func(item any) bool {
					return nested(t, item, "Effect") == string(want.Effect) && slices.Equal(w.textList(nested(t, item, "Action")), []string{string(want.Action[0])}) &&
						w.text(nested(t, item, "Resource")) == "${"+id+".Arn}" && nested(t, item, "Principal") != nil
				}), "%s: %v", q.Name, want)
			}
		}
	})
}

// An ARN in a role's policy is built from a name, which a resource of the templates must have.
func TestPolicyARNsNameExistingResources(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		names := map[string]bool{}
		for _, property := range []string{"QueueName", "TableName", "BucketName", "FunctionName", "StateMachineName"} {
			for _, r := range w.resources {
				names[withoutColons(w.text(r.Properties[property]))] = true
			}
		}
		for _, r := range w.ofType("AWS::Events::EventBus") {
			names[w.text(r.Properties["Name"])] = true
		}
		for _, r := range w.ofType("AWS::SecretsManager::Secret") {
			names["secret:"+w.text(r.Properties["Name"])+"-??????"] = true
		}
		for _, f := range w.blueprint.Functions {
			for _, s := range w.blueprint.RolePolicy(f, w.deployment()).Statement {
				arn := strings.TrimSuffix(withoutColons(s.Resource[0]), ":*") // of all executions
				name := strings.TrimPrefix(strings.TrimPrefix(arn[strings.LastIndex(arn, ":")+1:], "event-bus/"), "table/")
				if strings.HasPrefix(s.Resource[0], "arn:${AWS::Partition}:ses:") {
					continue // mail is sent as an identity that the account has verified outside the templates
				}
				if strings.Contains(arn, ":secret:") {
					name = "secret:" + name
				}
				if bucket, _, isObject := strings.Cut(name, "/"); isObject {
					name = bucket
				}
				require.True(t, names[name], "%s: resource %q does not exist: %s", f.Name, name, s.Resource[0])
			}
		}
	})
}

// withoutColons removes the colons of CloudFormation's references from a text.
func withoutColons(text string) string { return strings.ReplaceAll(text, "AWS::", "") }

// A service assumes a role for this account only, and for its purpose only. Lambda and RDS Proxy are
// exempt from the source condition, because only principals of the account can pass them a role.
func TestRolesTrustOwnAccountOnly(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		for id, role := range w.ofType("AWS::IAM::Role") {
			for _, item := range nested(t, role.Properties, "AssumeRolePolicyDocument", "Statement").([]any) {
				if w.text(nested(t, item, "Principal", "Service")) == "states.amazonaws.com" {
					require.Contains(t, w.text(nested(t, item, "Condition", "ArnLike", "aws:SourceArn")), ":stateMachine:loadbay-import-"+w.stage)
					require.Equal(t, "${AWS::AccountId}", w.text(nested(t, item, "Condition", "StringEquals", "aws:SourceAccount")), id)
				}
			}
		}
	})
}

// No role may use an action on all resources, except these, which IAM does not restrict.
func TestWildcardActionsAreListed(t *testing.T) {
	accepted := []string{
		// Lambda attaches functions to the network; denied to their own code.
		"ec2:AssignPrivateIpAddresses", "ec2:CreateNetworkInterface", "ec2:DeleteNetworkInterface",
		"ec2:DescribeNetworkInterfaces", "ec2:DescribeSubnets", "ec2:UnassignPrivateIpAddresses",
		// Tracing has no resources.
		"xray:PutTraceSegments", "xray:PutTelemetryRecords", "xray:GetSamplingRules", "xray:GetSamplingTargets",
		// Nor has the delivery of Step Functions' log.
		"logs:CreateLogDelivery", "logs:GetLogDelivery", "logs:UpdateLogDelivery", "logs:DeleteLogDelivery",
		"logs:ListLogDeliveries", "logs:PutResourcePolicy", "logs:DescribeResourcePolicies", "logs:DescribeLogGroups",
		// CodeDeploy can read all alarms or none.
		"cloudwatch:DescribeAlarms",
	}
	runEach(t, func(t *testing.T, w *stageTemplates) {
		for id, role := range w.ofType("AWS::IAM::Role") {
			require.NotContains(t, role.Properties, "ManagedPolicyArns", id)
			if role.Properties["Policies"] == nil {
				continue
			}
			for _, line := range roleGrants(t, w, role) {
				action, on, _ := strings.Cut(line, " on ")
				require.NotContains(t, action, "*", id)
				if on == "*" {
					require.Contains(t, accepted, action, id)
				}
			}
		}
	})
}

// Policies that constructs attach themselves would bypass the blueprint. Only the network's own
// log has one.
func TestRolesHaveNoAttachedPolicies(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		require.Len(t, w.ofType("AWS::IAM::Policy"), 1)
		_, policy := w.single(t, "AWS::IAM::Policy", "", "")
		require.Contains(t, w.textList(policy.Properties["Roles"])[0], "VpcRejected")
		for id, policy := range w.ofType("AWS::IAM::ManagedPolicy") { // for people
			require.NotContains(t, policy.Properties, "Roles", id)
		}
	})
}

// Accounts may require a boundary for every role.
func TestRolesHaveBoundary(t *testing.T) {
	t.Parallel()
	w := synthesize(t, "prod")
	require.NotEmpty(t, w.ofType("AWS::IAM::Role"))
	for id, role := range w.ofType("AWS::IAM::Role") {
		require.Contains(t, w.text(role.Properties["PermissionsBoundary"]), ":policy/developers", id)
	}
	for id, role := range synthesize(t, "dev").ofType("AWS::IAM::Role") {
		require.NotContains(t, role.Properties, "PermissionsBoundary", id)
	}
}

// The function's code is denied the actions with which Lambda attaches it to the network.
func TestNetworkActionsAreDeniedToCode(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		for _, f := range w.blueprint.Functions {
			denied := map[string]any{}
			for _, item := range nested(t, roleOf(t, w, f.Name).Properties, "Policies", 0, "PolicyDocument", "Statement").([]any) {
				if s := item.(map[string]any); s["Effect"] == "Deny" {
					denied = s
				}
			}
			if f.Database == blueprint.NoDatabase {
				require.Empty(t, denied, f.Name)
				continue
			}
			require.Contains(t, denied["Action"], "ec2:CreateNetworkInterface")
			require.Equal(t, []string{"arn:${AWS::Partition}:lambda:${AWS::Region}:${AWS::AccountId}:function:loadbay-" + f.Name + "-" + w.stage},
				w.textList(nested(t, denied, "Condition", "ArnEquals", "lambda:SourceFunctionArn")))
		}
	})
}

// The workflow may invoke the functions of its definition and no other.
func TestWorkflowInvokesOnlyItsFunctions(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		_, machine := w.single(t, "AWS::StepFunctions::StateMachine", "", "")
		id := strings.TrimSuffix(strings.TrimPrefix(w.text(machine.Properties["RoleArn"]), "${"), ".Arn}")
		var invoked []string
		for _, line := range roleGrants(t, w, w.resources[id]) {
			if arn, ok := strings.CutPrefix(line, "lambda:InvokeFunction on "); ok {
				invoked = append(invoked, w.functionName(arn))
			}
		}
		require.ElementsMatch(t, []string{"analyze", "await", "resolve", "split", "wholefile", "complete", "fail"}, invoked)
	})
}

// The other invokers of functions are EventBridge for one rule, the API for its routes, and the
// user pool, if any.
func TestFunctionInvokersAreRestricted(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		for id, p := range w.ofType("AWS::Lambda::Permission") {
			source := w.text(p.Properties["SourceArn"])
			function := w.functionName(w.text(p.Properties["FunctionName"]))
			switch principal := w.text(p.Properties["Principal"]); principal {
			case "events.amazonaws.com":
				rule := strings.TrimSuffix(strings.TrimPrefix(source, "${"), ".Arn}")
				require.Equal(t, "AWS::Events::Rule", w.resources[rule].Type, id)
				require.Equal(t, function, w.functionName(w.text(nested(t, w.resources[rule].Properties, "Targets", 0, "Arn"))), id)
			case "apigateway.amazonaws.com":
				require.Contains(t, source, ":execute-api:")
				want := "api"
				if strings.Contains(source, "/api/admin/") {
					want = "admin"
				}
				require.Equal(t, want, function, source)
			case "cognito-idp.amazonaws.com":
				require.Equal(t, blueprint.TokensFunction, function)
				pool := strings.TrimSuffix(strings.TrimPrefix(source, "${"), ".Arn}")
				require.Equal(t, "AWS::Cognito::UserPool", w.resources[pool].Type, id)
			default:
				t.Errorf("%s: %s may invoke %s", id, principal, function)
			}
		}
	})
}
