package stack_test

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/statemachine"
)

// TestTemplateMatchesBlueprint converts the templates back into a blueprint and compares: nothing
// may be missing, additional or different. The local stack runs the same blueprint, so both have
// the same resources.
func TestTemplateMatchesBlueprint(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		want, got := normalised(w.blueprint, w.settings.Functions), readBack(t, w)
		if !w.settings.Stage.RetainData {
			for i := range want.Functions { // dev reserves nothing: TestDevReservesNoConcurrency
				want.Functions[i].Concurrency, want.Functions[i].ReservedConcurrency = 0, 0
			}
		}
		require.Equal(t, want.Functions, got.Functions)
		require.Equal(t, want, got)
	})
}

// TestDriftIsDetected changes the blueprint in every relevant way, and expects the comparison to
// detect it.
func TestDriftIsDetected(t *testing.T) {
	t.Parallel()
	w := synthesize(t, "prod-instance")
	got := readBack(t, w)
	tests := map[string]func(*blueprint.Blueprint){
		"function gone":      func(b *blueprint.Blueprint) { b.Functions = b.Functions[1:] },
		"function new":       func(b *blueprint.Blueprint) { b.Functions = append(b.Functions, blueprint.Function{Name: "new"}) },
		"purpose":            func(b *blueprint.Blueprint) { b.Functions[0].Purpose = "" },
		"memory":             func(b *blueprint.Blueprint) { b.Functions[0].Memory++ },
		"timeout":            func(b *blueprint.Blueprint) { b.Functions[0].Timeout += time.Second },
		"room":               func(b *blueprint.Blueprint) { b.Functions[0].ReservedConcurrency++ },
		"concurrency":        func(b *blueprint.Blueprint) { b.Functions[0].Concurrency++ },
		"disk":               func(b *blueprint.Blueprint) { b.Functions[0].Disk = 1024 },
		"streaming":          func(b *blueprint.Blueprint) { b.Functions[0].Streams = true },
		"database role":      func(b *blueprint.Blueprint) { b.Functions[0].Database = blueprint.MaintenanceRole },
		"variable":           func(b *blueprint.Blueprint) { b.Functions[0].Env[0].Name = "OTHER" },
		"reference":          func(b *blueprint.Blueprint) { b.Functions[0].Env[0].Ref = blueprint.TableName },
		"queue gone":         func(b *blueprint.Blueprint) { b.Queues = b.Queues[1:] },
		"visibility":         func(b *blueprint.Blueprint) { b.Queues[0].Visibility += time.Second },
		"queue retention":    func(b *blueprint.Blueprint) { b.Queues[0].Retention += time.Second },
		"receives":           func(b *blueprint.Blueprint) { b.Queues[0].MaxReceive++ },
		"dead letters":       func(b *blueprint.Blueprint) { b.Queues[0].DeadLetter = blueprint.EventsDeadLetters },
		"batch":              func(b *blueprint.Blueprint) { b.EventSources[0].BatchSize++ },
		"event source":       func(b *blueprint.Blueprint) { b.EventSources[0].Function = "drop" },
		"mapping's limit":    func(b *blueprint.Blueprint) { b.EventSources[0].MaxConcurrency++ },
		"object event":       func(b *blueprint.Blueprint) { b.ObjectEvents[0].Prefix = "other/" },
		"object event's end": func(b *blueprint.Blueprint) { b.ObjectEvents[0].DeadLetter = blueprint.RowsDeadLetters },
		"event bus":          func(b *blueprint.Blueprint) { b.EventBus.Name = "other" },
		"event rule":         func(b *blueprint.Blueprint) { b.EventBus.Rules[0].Source = "other" },
		"event rule gone":    func(b *blueprint.Blueprint) { b.EventBus.Rules = nil },
		"schedule":           func(b *blueprint.Blueprint) { b.Schedules[0].Expression = "rate(2 minutes)" },
		"schedule gone":      func(b *blueprint.Blueprint) { b.Schedules = b.Schedules[1:] },
		"lifecycle":          func(b *blueprint.Blueprint) { b.Bucket.Rules[0].ExpireDays++ },
		"lifecycle's tag":    func(b *blueprint.Blueprint) { b.Bucket.Rules[len(b.Bucket.Rules)-1].Tag = "other=yes" },
		"multipart uploads":  func(b *blueprint.Blueprint) { b.Bucket.Rules[0].AbortUploadDays++ },
		"time to live":       func(b *blueprint.Blueprint) { b.Table.TTLAttr = "other" },
		"secret":             func(b *blueprint.Blueprint) { b.Secret.Name = "other" },
		"sort key":           func(b *blueprint.Blueprint) { b.Table.SortKey = "other" },
		"state machine":      func(b *blueprint.Blueprint) { b.StateMachine.Name = "other" },
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := blueprint.New()
			spoil(b)
			require.NotEqual(t, normalised(b, w.settings.Functions), got)
		})
	}
}

// A new account allows only ten concurrent executions and refuses every reservation.
func TestDevReservesNoConcurrency(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		for _, f := range w.blueprint.Functions {
			_, r := w.function(t, f.Name)
			require.Equal(t, w.stage == "prod" && f.Concurrency+f.ReservedConcurrency > 0, r.Properties["ReservedConcurrentExecutions"] != nil, f.Name)
		}
	})
}

// TestDefinitionEqualsLocalOne compares the workflow byte for byte.
func TestDefinitionEqualsLocalOne(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		_, machine := w.single(t, "AWS::StepFunctions::StateMachine", "", "")
		require.Equal(t, statemachine.Import, machine.Properties["DefinitionString"])
		functions := map[string]string{}
		for name, arn := range machine.Properties["DefinitionSubstitutions"].(map[string]any) {
			functions[name] = w.functionName(w.text(arn))
		}
		for name, function := range functions {
			require.Equal(t, name, function)
		}
		require.Equal(t, strings.Count(statemachine.Import, "${"), countUses(functions))
	})
}

// countUses counts the placeholders that the substitutions fill.
func countUses(functions map[string]string) int {
	n := 0
	for name := range functions {
		n += strings.Count(statemachine.Import, "${"+name+"}")
	}
	return n
}

// normalised removes parts that a template does not contain (permissions, tested by
// TestRolePoliciesMatchBlueprint; the limits of one machine; unset settings) and sorts the rest.
func normalised(b *blueprint.Blueprint, settings map[string]string) blueprint.Blueprint {
	c := *b
	c.Functions = slices.Clone(b.Functions)
	for i := range c.Functions {
		c.Functions[i].Grants = nil
		c.Functions[i].Env = withValues(c.Functions[i].Env, settings)
		slices.SortFunc(c.Functions[i].Env, func(x, y blueprint.Env) int { return cmp.Compare(x.Name, y.Name) })
	}
	c.EventSources = slices.Clone(b.EventSources)
	for i := range c.EventSources {
		c.EventSources[i].LocalConcurrency = 0
	}
	sortParts(&c)
	return c
}

// withValues returns the variables that have a value.
func withValues(env []blueprint.Env, settings map[string]string) (kept []blueprint.Env) {
	for _, e := range env {
		if e.Ref == blueprint.Setting {
			e = blueprint.Env{Name: e.Name, Value: settings[e.Name]}
		}
		if e.Ref != "" || e.Value != "" {
			kept = append(kept, e)
		}
	}
	return kept
}

func sortParts(b *blueprint.Blueprint) {
	slices.SortFunc(b.Functions, func(x, y blueprint.Function) int { return cmp.Compare(x.Name, y.Name) })
	slices.SortFunc(b.Queues, func(x, y blueprint.Queue) int { return cmp.Compare(x.Name, y.Name) })
	slices.SortFunc(b.EventSources, func(x, y blueprint.EventSource) int { return cmp.Compare(x.Queue, y.Queue) })
	slices.SortFunc(b.ObjectEvents, func(x, y blueprint.ObjectEvent) int { return cmp.Compare(x.Prefix, y.Prefix) })
	slices.SortFunc(b.Schedules, func(x, y blueprint.Schedule) int { return cmp.Compare(x.Name, y.Name) })
	slices.SortFunc(b.Bucket.Rules, func(x, y blueprint.LifecycleRule) int { return cmp.Compare(x.Name, y.Name) })
}

// readBack converts the templates to a blueprint.
func readBack(t *testing.T, w *stageTemplates) blueprint.Blueprint {
	t.Helper()
	b := blueprint.Blueprint{
		Functions:    readFunctions(t, w),
		Queues:       readQueues(t, w),
		EventSources: readEventSources(t, w),
		ObjectEvents: readObjectEvents(t, w),
		EventBus:     readEventBus(t, w),
		Schedules:    readSchedules(w),
		Bucket:       readBucket(t, w),
		Table:        readTable(t, w),
		Secret:       readSecret(t, w),
	}
	_, machine := w.single(t, "AWS::StepFunctions::StateMachine", "", "")
	b.StateMachine.Name = strings.TrimSuffix(machine.Properties["StateMachineName"].(string), "-"+w.stage)
	sortParts(&b)
	return b
}

func intValue(v any) int {
	n, _ := v.(float64)
	return int(n)
}

func seconds(v any) time.Duration { return time.Duration(intValue(v)) * time.Second }

func readFunctions(t *testing.T, w *stageTemplates) []blueprint.Function {
	t.Helper()
	streams := map[string]bool{}
	for _, url := range w.ofType("AWS::Lambda::Url") {
		streams[w.functionName(w.text(url.Properties["TargetFunctionArn"]))] = true
	}
	var functions []blueprint.Function
	for _, r := range w.ofType("AWS::Lambda::Function") {
		name := w.functionName(w.text(map[string]any{"Fn::Join": []any{"", []any{":function:", r.Properties["FunctionName"]}}}))
		if name == "migrations-provider" { // the CDK's own function: see migrations.go
			continue
		}
		f := blueprint.Function{
			Name: name, Purpose: w.text(r.Properties["Description"]),
			Memory: intValue(r.Properties["MemorySize"]), Timeout: seconds(r.Properties["Timeout"]),
			Concurrency: intValue(r.Properties["ReservedConcurrentExecutions"]),
			Disk:        intValue(nested(t, r.Properties, "EphemeralStorage", "Size")),
			Streams:     streams[name],
		}
		if known, _ := w.blueprint.Function(name); known.ReservedConcurrency > 0 { // templates have only one property for both
			f.ReservedConcurrency, f.Concurrency = f.Concurrency, 0
		}
		if f.Disk == 512 {
			f.Disk = 0
		}
		f.Env, f.Database = readEnv(w, r)
		functions = append(functions, f)
	}
	return functions
}

// databaseSettings are the blueprint's variables about the database.
var databaseSettings = []string{"DATABASE_CONNECTIONS", "DATABASE_CONNECT_TIMEOUT"}

// readEnv separates the blueprint's variables from those that the database adds.
func readEnv(w *stageTemplates, r resource) (env []blueprint.Env, role blueprint.DatabaseRole) {
	variables := r.variables()
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		switch {
		case w.settings.UserPool && slices.Contains(blueprint.IssuerSettings(), name): // covered by TestAPIAcceptsUserPoolTokens
		case name == "DATABASE_SECRET_ARN":
			role = blueprint.AdminRole
		case name == "DATABASE_USER":
			role = blueprint.DatabaseRole(w.text(variables[name]))
		case (!strings.HasPrefix(name, "DATABASE_") || slices.Contains(databaseSettings, name)) && !strings.HasPrefix(name, "AWS_") && name != blueprint.MetricNamespaceEnv:
			env = append(env, readVariable(w, name, w.text(variables[name])))
		}
	}
	return env, role
}

func readVariable(w *stageTemplates, name, value string) blueprint.Env {
	for id, r := range w.resources {
		switch {
		case r.Type == "AWS::Lambda::Function" && value == r.Properties["FunctionName"]:
			return blueprint.Env{Name: name, Ref: blueprint.FunctionName, RefName: w.baseName(value)}
		case r.Type == "AWS::S3::Bucket" && value == "${"+id+"}":
			return blueprint.Env{Name: name, Ref: blueprint.BucketName}
		case r.Type == "AWS::DynamoDB::Table" && value == "${"+id+"}":
			return blueprint.Env{Name: name, Ref: blueprint.TableName}
		case r.Type == "AWS::SQS::Queue" && value == "${"+id+"}":
			return blueprint.Env{Name: name, Ref: blueprint.QueueURL, RefName: w.queue(value)}
		case r.Type == "AWS::Lambda::Function" && value == w.text(r.Properties["FunctionName"]):
			return blueprint.Env{Name: name, Ref: blueprint.FunctionName, RefName: w.baseName(value)}
		case r.Type == "AWS::Lambda::Url" && value == "${"+id+".FunctionUrl}":
			return blueprint.Env{Name: name, Ref: blueprint.FunctionURL, RefName: w.functionName(w.text(r.Properties["TargetFunctionArn"]))}
		case r.Type == "AWS::Events::EventBus" && value == w.text(r.Properties["Name"]):
			return blueprint.Env{Name: name, Ref: blueprint.EventBusName}
		case r.Type == "AWS::SecretsManager::Secret" && value == w.text(r.Properties["Name"]):
			return blueprint.Env{Name: name, Ref: blueprint.SecretName}
		case r.Type == "AWS::StepFunctions::StateMachine" && strings.HasSuffix(value, ":stateMachine:"+w.text(r.Properties["StateMachineName"])):
			return blueprint.Env{Name: name, Ref: blueprint.StateMachineARN}
		}
	}
	return blueprint.Env{Name: name, Value: value}
}
