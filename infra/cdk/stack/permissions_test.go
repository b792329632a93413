package stack_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// allowed is what a role may do, one "action on resource" each, with
// " if <condition>" where it is conditional, sorted.
func allowed(t *testing.T, w *world, role resource) []string {
	t.Helper()
	var lines []string
	for _, policy := range role.Properties["Policies"].([]any) {
		for _, item := range at(t, policy, "PolicyDocument", "Statement").([]any) {
			s := item.(map[string]any)
			if s["Effect"] != "Allow" {
				continue
			}
			suffix := ""
			if s["Condition"] != nil {
				suffix = " if " + w.text(at(t, s, "Condition", "StringEquals", "kms:ViaService"))
			}
			for _, action := range w.texts(s["Action"]) {
				for _, r := range w.texts(s["Resource"]) {
					lines = append(lines, action+" on "+r+suffix)
				}
			}
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

func roleOf(t *testing.T, w *world, function string) resource {
	t.Helper()
	_, f := w.function(t, function)
	id := strings.TrimSuffix(strings.TrimPrefix(w.text(f.Properties["Role"]), "${"), ".Arn}")
	require.Equal(t, "AWS::IAM::Role", w.resources[id].Type)
	return w.resources[id]
}

// Some roles in full, to be read by people.
func TestRolesInFull(t *testing.T) {
	t.Parallel()
	w := synth(t, "dev")
	const region = "arn:${AWS::Partition}:%:${AWS::Region}:${AWS::AccountId}:"
	arn := func(service, rest string) string { return strings.Replace(region, "%", service, 1) + rest }
	bucket, _ := w.only(t, "AWS::S3::Bucket", "BucketName", "loadbay-files-dev-${AWS::AccountId}")
	table, _ := w.only(t, "AWS::DynamoDB::Table", "", "")
	key, _ := w.only(t, "AWS::KMS::Key", "", "")
	rows, _ := w.only(t, "AWS::SQS::Queue", "QueueName", "loadbay-rows-dev")
	database, _ := w.only(t, "AWS::RDS::DBInstance", "", "")
	onKey := func(action, service string) string {
		return "kms:" + action + " on ${" + key + ".Arn} if " + service + ".${AWS::Region}.amazonaws.com"
	}
	runs := func(function string) []string {
		return []string{
			"ec2:AssignPrivateIpAddresses on *", "ec2:CreateNetworkInterface on *", "ec2:DeleteNetworkInterface on *",
			"ec2:DescribeNetworkInterfaces on *", "ec2:DescribeSubnets on *", "ec2:UnassignPrivateIpAddresses on *",
			"logs:CreateLogStream on " + arn("logs", "log-group:/aws/lambda/loadbay-"+function+"-dev:*"),
			"logs:PutLogEvents on " + arn("logs", "log-group:/aws/lambda/loadbay-"+function+"-dev:*"),
			"xray:PutTelemetryRecords on *", "xray:PutTraceSegments on *",
		}
	}
	tests := map[string][]string{
		"process": {
			"s3:GetObject on ${" + bucket + ".Arn}/uploads/*", "s3:GetObject on ${" + bucket + ".Arn}/drop/*", "s3:GetObject on ${" + bucket + ".Arn}/chunks/*",
			"dynamodb:GetItem on ${" + table + ".Arn}", "dynamodb:PutItem on ${" + table + ".Arn}", "dynamodb:UpdateItem on ${" + table + ".Arn}",
			"dynamodb:DeleteItem on ${" + table + ".Arn}", "dynamodb:Query on ${" + table + ".Arn}",
			"sqs:ReceiveMessage on ${" + rows + ".Arn}", "sqs:DeleteMessage on ${" + rows + ".Arn}", "sqs:GetQueueAttributes on ${" + rows + ".Arn}",
			"states:SendTaskSuccess on " + arn("states", "stateMachine:loadbay-import-dev"),
			"states:SendTaskFailure on " + arn("states", "stateMachine:loadbay-import-dev"),
			"events:PutEvents on " + arn("events", "event-bus/loadbay-dev"),
			"rds-db:connect on " + arn("rds-db", "dbuser:${"+database+".DbiResourceId}/loadbay_app"),
			onKey("Decrypt", "s3"), onKey("Decrypt", "sqs"),
			onKey("Decrypt", "dynamodb"), onKey("DescribeKey", "dynamodb"), onKey("Encrypt", "dynamodb"),
			onKey("GenerateDataKey", "dynamodb"), onKey("ReEncryptFrom", "dynamodb"), onKey("ReEncryptTo", "dynamodb"),
		},
		"migrate": {
			"secretsmanager:GetSecretValue on ${" + database + ".MasterUserSecret.SecretArn}",
			onKey("Decrypt", "secretsmanager"),
		},
	}
	for function, own := range tests {
		t.Run(function, func(t *testing.T) {
			t.Parallel()
			require.ElementsMatch(t, append(runs(function), own...), allowed(t, w, roleOf(t, w, function)))
		})
	}
}

// Each grant of the blueprint is in its function's role, and beyond the grants
// there is nothing but what being run takes.
func TestRolesHoldTheGrants(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, f := range w.blueprint.Functions {
			var got []string
			for _, line := range allowed(t, w, roleOf(t, w, f.Name)) {
				if service, _, _ := strings.Cut(line, ":"); !slices.Contains([]string{"logs", "xray", "ec2", "rds-db", "secretsmanager", "kms"}, service) {
					got = append(got, line)
				}
			}
			require.ElementsMatch(t, granted(t, w, f), got, f.Name)
		}
	})
}

func granted(t *testing.T, w *world, f blueprint.Function) []string {
	t.Helper()
	var lines []string
	for _, g := range f.Uses {
		for _, action := range g.Actions {
			lines = append(lines, string(action)+" on "+grantedOn(t, w, g))
		}
	}
	for _, e := range w.blueprint.ObjectEvents {
		if e.Function == f.Name { // Lambda hands over what the function gives up, in its name
			lines = append(lines, "sqs:SendMessage on "+grantedOn(t, w, blueprint.Grant{Resource: blueprint.OnQueue, Of: e.DeadLetter}))
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

func grantedOn(t *testing.T, w *world, g blueprint.Grant) string {
	t.Helper()
	const here = ":${AWS::Region}:${AWS::AccountId}:"
	switch g.Resource {
	case blueprint.OnBucket:
		id, _ := w.only(t, "AWS::S3::Bucket", "BucketName", "loadbay-files-"+w.stage+"-${AWS::AccountId}")
		if g.Of == "" {
			return "${" + id + ".Arn}"
		}
		return "${" + id + ".Arn}/" + g.Of + "*"
	case blueprint.OnQueue:
		id, _ := w.only(t, "AWS::SQS::Queue", "QueueName", g.Of+"-"+w.stage)
		return "${" + id + ".Arn}"
	case blueprint.OnTable:
		id, _ := w.only(t, "AWS::DynamoDB::Table", "", "")
		return "${" + id + ".Arn}"
	case blueprint.OnStateMachine:
		return "arn:${AWS::Partition}:states" + here + "stateMachine:loadbay-import-" + w.stage
	case blueprint.OnExecutions:
		return "arn:${AWS::Partition}:states" + here + "execution:loadbay-import-" + w.stage + ":*"
	case blueprint.OnFunction:
		return "arn:${AWS::Partition}:lambda" + here + "function:loadbay-" + g.Of + "-" + w.stage
	case blueprint.OnEventBus:
		return "arn:${AWS::Partition}:events" + here + "event-bus/loadbay-" + w.stage
	default:
		t.Fatalf("grant on %q", g.Resource)
		return ""
	}
}

// No role may do anything on everything, but for these, which IAM does not
// narrow.
func TestWildcardsAreFew(t *testing.T) {
	accepted := []string{
		// Lambda attaches functions to the network; denied to their own code.
		"ec2:AssignPrivateIpAddresses", "ec2:CreateNetworkInterface", "ec2:DeleteNetworkInterface",
		"ec2:DescribeNetworkInterfaces", "ec2:DescribeSubnets", "ec2:UnassignPrivateIpAddresses",
		// Tracing has no resources.
		"xray:PutTraceSegments", "xray:PutTelemetryRecords", "xray:GetSamplingRules", "xray:GetSamplingTargets",
		// Nor has the delivery of Step Functions' log.
		"logs:CreateLogDelivery", "logs:GetLogDelivery", "logs:UpdateLogDelivery", "logs:DeleteLogDelivery",
		"logs:ListLogDeliveries", "logs:PutResourcePolicy", "logs:DescribeResourcePolicies", "logs:DescribeLogGroups",
	}
	each(t, func(t *testing.T, w *world) {
		for id, role := range w.ofType("AWS::IAM::Role") {
			require.NotContains(t, role.Properties, "ManagedPolicyArns", id)
			if role.Properties["Policies"] == nil {
				continue
			}
			for _, line := range allowed(t, w, role) {
				action, on, _ := strings.Cut(line, " on ")
				require.NotContains(t, action, "*", id)
				if on == "*" {
					require.Contains(t, accepted, action, id)
				}
			}
		}
	})
}

// The policies that constructs attach by themselves would go around the
// blueprint. Only the network's own log has one.
func TestNoPolicyBesideTheRoles(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		require.Len(t, w.ofType("AWS::IAM::Policy"), 1)
		_, policy := w.only(t, "AWS::IAM::Policy", "", "")
		require.Contains(t, w.texts(policy.Properties["Roles"])[0], "VpcRejected")
		require.Empty(t, w.ofType("AWS::IAM::ManagedPolicy"))
	})
}

// What Lambda may do to attach a function is denied to the function's code.
func TestFunctionsCannotTouchTheNetwork(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, f := range w.blueprint.Functions {
			denied := map[string]any{}
			for _, item := range at(t, roleOf(t, w, f.Name).Properties, "Policies", 0, "PolicyDocument", "Statement").([]any) {
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
				w.texts(at(t, denied, "Condition", "ArnEquals", "lambda:SourceFunctionArn")))
		}
	})
}

// The workflow may invoke the functions of its definition and no other.
func TestWorkflowInvokesItsFunctionsOnly(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		_, machine := w.only(t, "AWS::StepFunctions::StateMachine", "", "")
		id := strings.TrimSuffix(strings.TrimPrefix(w.text(machine.Properties["RoleArn"]), "${"), ".Arn}")
		var invoked []string
		for _, line := range allowed(t, w, w.resources[id]) {
			if arn, ok := strings.CutPrefix(line, "lambda:InvokeFunction on "); ok {
				invoked = append(invoked, w.nameOf(arn))
			}
		}
		require.ElementsMatch(t, []string{"analyze", "await", "resolve", "split", "wholefile", "complete", "fail"}, invoked)
	})
}

// Who else may invoke a function: EventBridge for one rule, the API for its routes.
func TestInvokersAreNamed(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for id, p := range w.ofType("AWS::Lambda::Permission") {
			source := w.text(p.Properties["SourceArn"])
			function := w.nameOf(w.text(p.Properties["FunctionName"]))
			switch principal := w.text(p.Properties["Principal"]); principal {
			case "events.amazonaws.com":
				rule := strings.TrimSuffix(strings.TrimPrefix(source, "${"), ".Arn}")
				require.Equal(t, "AWS::Events::Rule", w.resources[rule].Type, id)
				require.Equal(t, function, w.nameOf(w.text(at(t, w.resources[rule].Properties, "Targets", 0, "Arn"))), id)
			case "apigateway.amazonaws.com":
				require.Equal(t, "api", function)
				require.Contains(t, source, ":execute-api:")
			default:
				t.Errorf("%s: %s may invoke %s", id, principal, function)
			}
		}
	})
}
