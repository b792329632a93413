package stack_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every function matches the Makefile's build target, is traced only if the settings ask for it, and has a name by which sam
// local finds its code.
func TestFunctions(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		for _, f := range w.blueprint.Functions {
			id, r := w.function(t, f.Name)
			require.Equal(t, "provided.al2023", r.Properties["Runtime"], f.Name)
			require.Equal(t, []any{"arm64"}, r.Properties["Architectures"], f.Name)
			require.Equal(t, "bootstrap", r.Properties["Handler"], f.Name)
			require.Equal(t, w.settings.Tracing, r.Properties["TracingConfig"] != nil, f.Name)
			require.Contains(t, w.text(r.Metadata["aws:cdk:path"]), "/"+f.Name+"/", id)
			require.DirExists(t, w.folder+"/"+w.text(r.Metadata["aws:asset:path"]), id)
		}
	})
}

// Each function writes to a log group of its own, which is encrypted and expires; so do all
// other logs.
func TestLogs(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		key, _ := w.single(t, "AWS::KMS::Key", "", "")
		days := map[string]float64{"dev": 7, "prod": 90}[w.stage]
		groups := w.ofType("AWS::Logs::LogGroup")
		for id, g := range groups {
			require.InDelta(t, days, g.Properties["RetentionInDays"], 0, id)
			require.Equal(t, "${"+key+".Arn}", w.text(g.Properties["KmsKeyId"]), id)
			require.Contains(t, g.Properties["LogGroupName"], "loadbay", "the key's policy permits only these log groups")
		}
		for _, f := range w.blueprint.Functions {
			_, r := w.function(t, f.Name)
			group, _ := w.single(t, "AWS::Logs::LogGroup", "LogGroupName", "/aws/lambda/loadbay-"+f.Name+"-"+w.stage)
			require.Equal(t, "${"+group+"}", w.text(nested(t, r.Properties, "LoggingConfig", "LogGroup")))
		}
		// In addition to the functions: network, workflow, API, Postgres, and the provider of
		// migrations.
		require.Len(t, groups, len(w.blueprint.Functions)+5)
	})
}

func TestQueuesAreEncryptedAndTLSOnly(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		key, _ := w.single(t, "AWS::KMS::Key", "", "")
		for id, q := range w.ofType("AWS::SQS::Queue") {
			require.Equal(t, "${"+key+".Arn}", w.text(q.Properties["KmsMasterKeyId"]), id)
			var refused bool
			for _, p := range w.ofType("AWS::SQS::QueuePolicy") {
				if slices.Contains(w.textList(p.Properties["Queues"]), "${"+id+"}") {
					first := nested(t, p.Properties, "PolicyDocument", "Statement", 0)
					refused = nested(t, first, "Effect") == "Deny" && nested(t, first, "Condition", "Bool", "aws:SecureTransport") == "false"
				}
			}
			require.True(t, refused, id)
		}
	})
}

// EventBridge and Lambda retry a failed object event; it then goes to a dead-letter queue.
func TestObjectEventsAreNotLost(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		queue, _ := w.single(t, "AWS::SQS::Queue", "QueueName", "loadbay-events-dlq-"+w.stage)
		enqueue, _ := w.function(t, "enqueue")
		_, invoke := w.single(t, "AWS::Lambda::EventInvokeConfig", "FunctionName", "${"+enqueue+"}")
		require.Equal(t, "${"+queue+".Arn}", w.text(nested(t, invoke.Properties, "DestinationConfig", "OnFailure", "Destination")))
		require.InDelta(t, 2, invoke.Properties["MaximumRetryAttempts"], 0)
		for id, rule := range w.ofType("AWS::Events::Rule") {
			if rule.Properties["EventPattern"] == nil || rule.Properties["EventBusName"] != nil {
				continue
			}
			require.InDelta(t, 24, nested(t, rule.Properties, "Targets", 0, "RetryPolicy", "MaximumRetryAttempts"), 0, id)
			require.InDelta(t, 6*3600, nested(t, rule.Properties, "Targets", 0, "RetryPolicy", "MaximumEventAgeInSeconds"), 0, id)
			require.Contains(t, queueRules(t, w, queue), "${"+id+".Arn}")
		}
	})
}

// Only the matching rule of the bus may send events to a queue.
func TestBusRulesMaySendToQueues(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		for _, r := range w.blueprint.EventBus.Rules {
			rule, _ := w.single(t, "AWS::Events::Rule", "Name", "loadbay-"+r.Name+"-"+w.stage)
			queue, _ := w.single(t, "AWS::SQS::Queue", "QueueName", r.Queue+"-"+w.stage)
			require.Equal(t, []string{"${" + rule + ".Arn}"}, queueRules(t, w, queue))
		}
	})
}

// Webhooks to servers in the function's own network are for the local stack only.
func TestLocalWebhooksAreDisabled(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		for _, f := range w.blueprint.Functions {
			_, r := w.function(t, f.Name)
			require.NotContains(t, nested(t, r.Properties, "Environment", "Variables"), "WEBHOOKS_LOCAL", f.Name)
		}
	})
}

// A scheduled run that fails or cannot start is not retried; the next run follows anyway.
func TestScheduledRunsAreNotRepeated(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		for _, s := range w.blueprint.Schedules {
			function, _ := w.function(t, s.Function)
			_, invoke := w.single(t, "AWS::Lambda::EventInvokeConfig", "FunctionName", "${"+function+"}")
			require.InDelta(t, 0, invoke.Properties["MaximumRetryAttempts"], 0, s.Name)
			require.InDelta(t, 300, invoke.Properties["MaximumEventAgeInSeconds"], 0, s.Name)
			_, rule := w.single(t, "AWS::Events::Rule", "Name", "loadbay-"+s.Name+"-"+w.stage)
			require.InDelta(t, 0, nested(t, rule.Properties, "Targets", 0, "RetryPolicy", "MaximumRetryAttempts"), 0, s.Name)
		}
	})
}

// queueRules are the rules from which a queue accepts events.
func queueRules(t *testing.T, w *stageTemplates, queue string) []string {
	t.Helper()
	var arns []string
	_, policy := w.single(t, "AWS::SQS::QueuePolicy", "Queues", "[map[Ref:"+queue+"]]")
	for _, item := range nested(t, policy.Properties, "PolicyDocument", "Statement").([]any) {
		if nested(t, item, "Effect") == "Allow" {
			require.Equal(t, "events.amazonaws.com", nested(t, item, "Principal", "Service"))
			arns = append(arns, w.text(nested(t, item, "Condition", "ArnEquals", "aws:SourceArn")))
		}
	}
	return arns
}

// The schema is migrated before the code of any function changes.
func TestMigrationsRunBeforeCodeUpdates(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		schema, r := w.single(t, "Custom::Schema", "", "")
		provider, framework := w.single(t, "AWS::Lambda::Function", "FunctionName", "loadbay-migrations-provider-"+w.stage)
		migrate, own := w.function(t, "migrate")
		require.Equal(t, "${"+provider+".Arn}", w.text(r.Properties["ServiceToken"]))
		require.Equal(t, "${"+migrate+".Arn}", w.text(nested(t, framework.Properties, "Environment", "Variables", "USER_ON_EVENT_FUNCTION_ARN")))
		require.Len(t, r.Properties["Code"], 64, "a change of code triggers the migrations")
		require.NotContains(t, own.DependsOn, schema)
		for _, f := range w.blueprint.Functions {
			if f.Name != "migrate" {
				_, r := w.function(t, f.Name)
				require.Contains(t, r.DependsOn, schema, f.Name)
			}
		}
	})
}

// The workflow's log and traces contain the path of an execution, but no payloads.
func TestWorkflowLogHasNoPayloads(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		_, machine := w.single(t, "AWS::StepFunctions::StateMachine", "", "")
		require.Equal(t, "STANDARD", machine.Properties["StateMachineType"])
		require.Equal(t, "ALL", nested(t, machine.Properties, "LoggingConfiguration", "Level"))
		require.Equal(t, false, nested(t, machine.Properties, "LoggingConfiguration", "IncludeExecutionData"))
		require.Equal(t, w.settings.Tracing, nested(t, machine.Properties, "TracingConfiguration", "Enabled"))
		group, _ := w.single(t, "AWS::Logs::LogGroup", "LogGroupName", "/aws/vendedlogs/states/loadbay-import-"+w.stage)
		destination := nested(t, machine.Properties, "LoggingConfiguration", "Destinations", 0, "CloudWatchLogsLogGroup", "LogGroupArn")
		require.Equal(t, "${"+group+".Arn}", w.text(destination))
	})
}

// A streaming function accepts only signed requests, and streams its response.
func TestStreamingFunction(t *testing.T) {
	t.Parallel()
	w := synthesize(t, "prod")
	for id, url := range w.ofType("AWS::Lambda::Url") {
		require.Equal(t, "AWS_IAM", url.Properties["AuthType"], id)
		require.Equal(t, "RESPONSE_STREAM", url.Properties["InvokeMode"], id)
		require.Equal(t, []any{"https://app.example.com"}, nested(t, url.Properties, "Cors", "AllowOrigins"), id)
	}
	_, caller := w.function(t, "caller")
	url, _ := w.single(t, "AWS::Lambda::Url", "TargetFunctionArn", "${"+firstValue(w.function(t, "streamer"))+".Arn}")
	require.Equal(t, "${"+url+".FunctionUrl}", w.text(nested(t, caller.Properties, "Environment", "Variables", "STREAMER_URL")))
	require.Equal(t, "plain", nested(t, caller.Properties, "Environment", "Variables", "MODE"))
}

func firstValue(id string, _ resource) string { return id }

// Settings in the context reach exactly the functions that read them; unset ones leave the
// defaults.
func TestContextSetsFunctionVariables(t *testing.T) {
	t.Parallel()
	for stage, set := range map[string]bool{"dev": false, "prod": true} {
		w := synthesize(t, stage)
		for name, reads := range map[string]bool{"api": true, "stream": true, "drop": true, "process": false} {
			_, f := w.function(t, name)
			variables, _ := nested(t, f.Properties, "Environment", "Variables").(map[string]any)
			value, found := variables["QUOTA_STREAMS"]
			require.Equal(t, set && reads, found, "%s of %s", name, stage)
			if found {
				require.Equal(t, "3", value)
			}
			require.NotContains(t, variables, "QUOTA_OPEN_IMPORTS")
		}
	}
}

// sam local can set only variables that the template declares.
func TestVariablesForSAM(t *testing.T) {
	t.Parallel()
	for stage, declared := range map[string]bool{"dev": false, "prod": true} { // the variant prod sets context sam
		w := synthesize(t, stage)
		_, api := w.function(t, "api")
		_, found := nested(t, api.Properties, "Environment", "Variables").(map[string]any)["AWS_ENDPOINT_URL"]
		require.Equal(t, declared, found)
	}
}
