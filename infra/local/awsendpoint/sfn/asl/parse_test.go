package asl_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/asl"
	"github.com/loadbay/loadbay/infra/statemachine"
)

const task = `"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Parameters":{"FunctionName":"f"}`

// one is a machine of the one state S.
func one(state string) string { return `{"StartAt":"S","States":{"S":{` + state + `}}}` }

func TestParseImport(t *testing.T) {
	t.Parallel()
	m, err := asl.Parse([]byte(statemachine.Import))
	require.NoError(t, err)
	require.Equal(t, "Analyze", m.StartAt)
	await, ok := m.States["AwaitRows"].Action.(*asl.Task)
	require.True(t, ok)
	require.True(t, await.Resource.WaitForToken)
	require.EqualValues(t, 14*24*3600, await.Timeout.Value)
	require.Equal(t, asl.Retrier{
		ErrorEquals: asl.ErrorEquals{"Transient", "Lambda.ServiceException", "Lambda.AWSLambdaException", "Lambda.SdkClientException",
			"Lambda.TooManyRequestsException", "Lambda.Unknown", "Runtime.ExitError", "Sandbox.Timedout"},
		Interval: time.Second, BackoffRate: 2, MaxAttempts: 5, MaxDelay: time.Minute, FullJitter: true,
	}, await.Retry[0])
}

func TestParseDefaults(t *testing.T) {
	t.Parallel()
	m, err := asl.Parse([]byte(one(task + `,"Retry":[{"ErrorEquals":["A"]}],"End":true`)))
	require.NoError(t, err)
	s := m.States["S"]
	require.Equal(t, "$", s.Input.Path.String())
	require.Equal(t, "$", s.Output.Path.String())
	a, ok := s.Action.(*asl.Task)
	require.True(t, ok)
	require.Equal(t, "$", a.Result.Path.String())
	require.Equal(t, asl.Retrier{ErrorEquals: asl.ErrorEquals{"A"}, Interval: time.Second, BackoffRate: 2, MaxAttempts: 3}, a.Retry[0])
	require.Zero(t, m.Timeout)
}

// Each definition has one fault, which the error must name with its place.
func TestParseFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ definition, want string }{
		"not JSON":             {`not`, "INVALID_JSON_DESCRIPTION: Definition must be valid JSON at /"},
		"not an object":        {`[]`, "Value must be an object at /"},
		"nothing":              {`{}`, "SCHEMA_VALIDATION_FAILED: These fields are required: [StartAt, States] at /"},
		"no states":            {`{"StartAt":"S"}`, "These fields are required: [States] at /"},
		"unknown field":        {`{"StartAt":"S","Start":1,"States":{"S":{"Type":"Succeed"}}}`, "Field 'Start' is not supported in a state machine at /"},
		"version":              {`{"StartAt":"S","Version":"2.0","States":{"S":{"Type":"Succeed"}}}`, "Value must be 1.0 at /Version"},
		"JSONata":              {`{"StartAt":"S","QueryLanguage":"JSONata","States":{"S":{"Type":"Succeed"}}}`, "The query language 'JSONata' is not supported at /QueryLanguage"},
		"JSONata in a state":   {one(`"Type":"Pass","End":true,"QueryLanguage":"JSONata"`), "at /States/S/QueryLanguage"},
		"start nowhere":        {`{"StartAt":"X","States":{"S":{"Type":"Succeed"}}}`, "MISSING_TRANSITION_TARGET: Missing 'StartAt' target: X at /StartAt"},
		"next nowhere":         {one(`"Type":"Pass","Next":"X"`), "MISSING_TRANSITION_TARGET: Missing 'Next' target: X at /States/S/Next"},
		"catch nowhere":        {one(task + `,"End":true,"Catch":[{"ErrorEquals":["A"],"Next":"X"}]`), "Missing 'Next' target: X at /States/S/Catch"},
		"default nowhere":      {one(`"Type":"Choice","Choices":[{"Variable":"$.a","IsNull":true,"Next":"S"}],"Default":"X"`), "Missing 'Next' target: X at /States/S/Default"},
		"unreachable":          {`{"StartAt":"S","States":{"S":{"Type":"Succeed"},"T":{"Type":"Succeed"}}}`, `State "T" is not reachable. at /States/T`},
		"no end":               {one(`"Type":"Pass","Next":"S"`), "NO_TERMINAL_STATE"},
		"twice the same name":  {`{"StartAt":"S","States":{"S":{"Type":"Succeed"},"S":{"Type":"Succeed"}}}`, "DUPLICATE_NAME: The name 'S' stands here twice at /States/"},
		"long name":            {`{"StartAt":"S","States":{"S":{"Type":"Succeed"},"` + strings.Repeat("x", 81) + `":{"Type":"Succeed"}}}`, "must have 1 to 80 characters at /States"},
		"no type":              {one(`"End":true`), "These fields are required: [Type] at /States/S"},
		"Parallel":             {one(`"Type":"Parallel","Branches":[],"End":true`), "The state type 'Parallel' is not supported at /States/S/Type"},
		"Map":                  {one(`"Type":"Map","End":true`), "The state type 'Map' is not supported at /States/S/Type"},
		"neither next nor end": {one(`"Type":"Pass"`), "Exactly one of these fields must be given: [Next, End] at /States/S"},
		"next and end":         {one(`"Type":"Pass","Next":"S","End":true`), "Exactly one of these fields must be given: [Next, End] at /States/S"},
		"end false":            {one(`"Type":"Pass","End":false`), "Value must be true at /States/S/End"},
		"next on Succeed":      {one(`"Type":"Succeed","Next":"S"`), "Field 'Next' is not supported in a Succeed state at /States/S"},
		"variables":            {one(`"Type":"Pass","End":true,"Assign":{"a":1}`), "Field 'Assign' is not supported in a Pass state at /States/S"},
		"credentials":          {one(task + `,"End":true,"Credentials":{}`), "Field 'Credentials' is not supported in a Task state at /States/S"},
		"type of a value":      {one(`"Type":"Pass","End":"true"`), "Value must be a boolean at /States/S/End"},
		"no resource":          {one(`"Type":"Task","End":true`), "These fields are required: [Resource] at /States/S"},
		"other service":        {one(`"Type":"Task","Resource":"arn:aws:states:::sqs:sendMessage","End":true`), "The resource 'arn:aws:states:::sqs:sendMessage' is not supported at /States/S/Resource"},
		"sync":                 {one(`"Type":"Task","Resource":"arn:aws:states:::lambda:invoke.sync","End":true`), "is not supported at /States/S/Resource"},
		"no function":          {one(`"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Parameters":{},"End":true`), "[FunctionName, FunctionName.$] at /States/S/Parameters"},
		"asynchronous":         {one(`"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Parameters":{"FunctionName":"f","InvocationType":"Event"},"End":true`), "The invocation type 'Event' is not supported at /States/S/Parameters/InvocationType"},
		"qualifier":            {one(`"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Parameters":{"FunctionName":"f","Qualifier":"1"},"End":true`), "Field 'Qualifier' is not supported in lambda:invoke"},
		"timeout zero":         {one(task + `,"End":true,"TimeoutSeconds":0`), "Value is not in the range [1, 99999999] at /States/S/TimeoutSeconds"},
		"two timeouts":         {one(task + `,"End":true,"TimeoutSeconds":1,"TimeoutSecondsPath":"$.t"`), "Only one of these fields may be given: [TimeoutSeconds, TimeoutSecondsPath] at /States/S"},
		"heartbeat too long":   {one(task + `,"End":true,"TimeoutSeconds":5,"HeartbeatSeconds":5`), "Value must be smaller than TimeoutSeconds at /States/S/HeartbeatSeconds"},
		"bad path":             {one(`"Type":"Pass","InputPath":"a.b","End":true`), "is not a JSONPath"},
		"bad result path":      {one(`"Type":"Pass","ResultPath":"$.a[*]","End":true`), "is not a Reference Path"},
		"result in context":    {one(`"Type":"Pass","ResultPath":"$$.a","End":true`), "is not a Reference Path"},
		"bad template":         {one(`"Type":"Pass","Parameters":{"x.$":"text"},"End":true`), "The value for the field 'x.$' must be a valid JSONPath or a valid intrinsic function call"},
		"template of a number": {one(`"Type":"Pass","Parameters":{"x.$":1},"End":true`), "The value for the field 'x.$' must be a string at /States/S/Parameters"},
		"field twice":          {one(`"Type":"Pass","Parameters":{"x.$":"$.a","x":1},"End":true`), "The fields 'x' and 'x.$' exclude each other"},
		"unknown intrinsic":    {one(`"Type":"Pass","Parameters":{"x.$":"States.Shout('a')"},"End":true`), `there is no function "States.Shout"`},
		"wait for nothing":     {one(`"Type":"Wait","End":true`), "Exactly one of these fields must be given: [Seconds, SecondsPath, Timestamp, TimestampPath] at /States/S"},
		"wait for two":         {one(`"Type":"Wait","Seconds":1,"SecondsPath":"$.s","End":true`), "Exactly one of these fields must be given"},
		"bad timestamp":        {one(`"Type":"Wait","Timestamp":"2016-12-05 21:29:29Z","End":true`), "String does not match RFC3339 timestamp at /States/S/Timestamp"},
		"error and path":       {one(`"Type":"Fail","Error":"a","ErrorPath":"$.a"`), "Only one of these fields may be given: [Error, ErrorPath] at /States/S"},
		"fail with a path":     {one(`"Type":"Fail","InputPath":"$"`), "A Fail state has neither InputPath nor OutputPath at /States/S"},
		"bad cause path":       {one(`"Type":"Fail","CausePath":"States.Format('{}'"`), ", or ) expected"},
		"no choices":           {one(`"Type":"Choice","Choices":[],"Default":"S"`), "Array must have at least 1 element at /States/S/Choices"},
		"rule without next":    {one(`"Type":"Choice","Choices":[{"Variable":"$.a","IsNull":true}],"Default":"S"`), "These fields are required: [Next] at /States/S/Choices[0]"},
		"nested next":          {one(`"Type":"Choice","Choices":[{"Not":{"Variable":"$.a","IsNull":true,"Next":"S"},"Next":"S"}]`), "Field 'Next' is not supported in a Choice Rule at /States/S/Choices[0]/Not"},
		"two operators":        {one(`"Type":"Choice","Choices":[{"Variable":"$.a","IsNull":true,"IsString":true,"Next":"S"}]`), "A Choice Rule must have exactly one operator"},
		"unknown operator":     {one(`"Type":"Choice","Choices":[{"Variable":"$.a","StringContains":"x","Next":"S"}]`), "The operator 'StringContains' is not supported"},
		"boolean order":        {one(`"Type":"Choice","Choices":[{"Variable":"$.a","BooleanLessThan":true,"Next":"S"}]`), "The operator 'BooleanLessThan' is not supported"},
		"operand":              {one(`"Type":"Choice","Choices":[{"Variable":"$.a","NumericEquals":"1","Next":"S"}]`), "Value must be a numeric at /States/S/Choices[0]/NumericEquals"},
		"empty and":            {one(`"Type":"Choice","Choices":[{"And":[],"Next":"S"}]`), "Array must have at least 1 element at /States/S/Choices[0]/And"},
		"all with others":      {one(task + `,"End":true,"Retry":[{"ErrorEquals":["States.ALL","A"]}]`), "States.ALL must be alone, and in the last Retrier or Catcher"},
		"all before others":    {one(task + `,"End":true,"Catch":[{"ErrorEquals":["States.ALL"],"Next":"S"},{"ErrorEquals":["A"],"Next":"S"}]`), "States.ALL must be alone, and in the last Retrier or Catcher at /States/S/Catch[0]/ErrorEquals"},
		"no errors":            {one(task + `,"End":true,"Retry":[{"ErrorEquals":[]}]`), "Array must have at least 1 element at /States/S/Retry[0]/ErrorEquals"},
		"invented error":       {one(task + `,"End":true,"Retry":[{"ErrorEquals":["States.Oops"]}]`), "'States.Oops' is not a predefined error name"},
		"backoff":              {one(task + `,"End":true,"Retry":[{"ErrorEquals":["A"],"BackoffRate":0.5}]`), "Value must be at least 1.0 at /States/S/Retry[0]/BackoffRate"},
		"interval":             {one(task + `,"End":true,"Retry":[{"ErrorEquals":["A"],"IntervalSeconds":0}]`), "at /States/S/Retry[0]/IntervalSeconds"},
		"max delay":            {one(task + `,"End":true,"Retry":[{"ErrorEquals":["A"],"IntervalSeconds":9,"MaxDelaySeconds":9}]`), "Value must be greater than IntervalSeconds"},
		"jitter":               {one(task + `,"End":true,"Retry":[{"ErrorEquals":["A"],"JitterStrategy":"SOME"}]`), "Value must be FULL or NONE, not 'SOME'"},
		"catch without next":   {one(task + `,"End":true,"Catch":[{"ErrorEquals":["A"]}]`), "These fields are required: [Next] at /States/S/Catch[0]"},
		"retry field":          {one(task + `,"End":true,"Retry":[{"ErrorEquals":["A"],"Interval":1}]`), "Field 'Interval' is not supported in a Retrier"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := asl.Parse([]byte(c.definition))
			require.ErrorContains(t, err, c.want)
			var fault *asl.Fault
			require.ErrorAs(t, err, &fault)
		})
	}
}

func TestParseTellsAllFaults(t *testing.T) {
	t.Parallel()
	_, err := asl.Parse([]byte(`{"StartAt":"A","States":{"A":{"Type":"Pass","Next":"B","Color":1},"B":{"Type":"Wait","End":true},"C":{"Type":"Map"}}}`))
	require.ErrorContains(t, err, "Field 'Color'")
	require.ErrorContains(t, err, "/States/B")
	require.ErrorContains(t, err, "'Map'")
}
