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

// oneState returns a machine with the single state S.
func oneState(state string) string { return `{"StartAt":"S","States":{"S":{` + state + `}}}` }

func TestParseImport(t *testing.T) {
	t.Parallel()
	m, err := asl.Parse([]byte(statemachine.Import))
	require.NoError(t, err)
	require.Equal(t, "Analyze", m.StartAt)
	await, ok := m.States["AwaitRows"].Action.(*asl.Task)
	require.True(t, ok)
	require.True(t, await.WaitForToken)
	require.EqualValues(t, 14*24*3600, await.TimeoutSeconds)
	require.Equal(t, asl.Retrier{
		ErrorEquals: asl.ErrorEquals{"Lambda.Unknown", "Runtime.ExitError", "Sandbox.Timedout"},
		Interval:    time.Second, BackoffRate: 2, MaxAttempts: 5, MaxDelay: time.Minute, FullJitter: true,
	}, await.Retry[1])
}

func TestParseDefaults(t *testing.T) {
	t.Parallel()
	m, err := asl.Parse([]byte(oneState(task + `,"Retry":[{"ErrorEquals":["A"]}],"End":true`)))
	require.NoError(t, err)
	a, ok := m.States["S"].Action.(*asl.Task)
	require.True(t, ok)
	require.Equal(t, "$", a.Result.Path.String())
	require.Equal(t, asl.Retrier{ErrorEquals: asl.ErrorEquals{"A"}, Interval: time.Second, BackoffRate: 2, MaxAttempts: 3}, a.Retry[0])
	require.Zero(t, a.TimeoutSeconds)
}

// Each definition has one error, which must be reported with its path.
func TestParseErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ definition, want string }{
		"not JSON":                               {`not`, "INVALID_JSON_DESCRIPTION: Definition must be valid JSON at /"},
		"not an object":                          {`[]`, "Value must be an object at /"},
		"nothing":                                {`{}`, "SCHEMA_VALIDATION_FAILED: These fields are required: [StartAt, States] at /"},
		"no states":                              {`{"StartAt":"S"}`, "These fields are required: [States] at /"},
		"unknown field":                          {`{"StartAt":"S","Start":1,"States":{"S":{"Type":"Succeed"}}}`, "Field 'Start' is not supported in a state machine at /"},
		"unknown StartAt target":                 {`{"StartAt":"X","States":{"S":{"Type":"Succeed"}}}`, "MISSING_TRANSITION_TARGET: Missing 'StartAt' target: X at /StartAt"},
		"unknown Next target":                    {oneState(`"Type":"Pass","Next":"X"`), "MISSING_TRANSITION_TARGET: Missing 'Next' target: X at /States/S/Next"},
		"unknown Catch target":                   {oneState(task + `,"End":true,"Catch":[{"ErrorEquals":["A"],"Next":"X"}]`), "Missing 'Next' target: X at /States/S/Catch"},
		"unknown Default target":                 {oneState(`"Type":"Choice","Choices":[{"Variable":"$.a","StringEquals":"b","Next":"S"}],"Default":"X"`), "Missing 'Next' target: X at /States/S/Default"},
		"unreachable":                            {`{"StartAt":"S","States":{"S":{"Type":"Succeed"},"T":{"Type":"Succeed"}}}`, `State "T" is not reachable. at /States/T`},
		"no terminal state":                      {oneState(`"Type":"Pass","Next":"S"`), "NO_TERMINAL_STATE"},
		"duplicate state name":                   {`{"StartAt":"S","States":{"S":{"Type":"Succeed"},"S":{"Type":"Succeed"}}}`, "DUPLICATE_NAME: The name 'S' occurs twice at /States/"},
		"long state name":                        {`{"StartAt":"S","States":{"S":{"Type":"Succeed"},"` + strings.Repeat("x", 81) + `":{"Type":"Succeed"}}}`, "must have 1 to 80 characters at /States"},
		"no type":                                {oneState(`"End":true`), "These fields are required: [Type] at /States/S"},
		"neither Next nor End":                   {oneState(`"Type":"Pass"`), "Exactly one of these fields must be given: [Next, End] at /States/S"},
		"both Next and End":                      {oneState(`"Type":"Pass","Next":"S","End":true`), "Exactly one of these fields must be given: [Next, End] at /States/S"},
		"End is false":                           {oneState(`"Type":"Pass","End":false`), "Value must be true at /States/S/End"},
		"Next on Succeed":                        {oneState(`"Type":"Succeed","Next":"S"`), "Field 'Next' is not supported in a Succeed state at /States/S"},
		"wrong value type":                       {oneState(`"Type":"Pass","End":"true"`), "Value must be a boolean at /States/S/End"},
		"no resource":                            {oneState(`"Type":"Task","End":true`), "These fields are required: [Resource, Parameters] at /States/S"},
		"no function":                            {oneState(`"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Parameters":{},"End":true`), "These fields are required: [FunctionName] at /States/S/Parameters"},
		"zero timeout":                           {oneState(task + `,"End":true,"TimeoutSeconds":0`), "Value is not in the range [1, 99999999] at /States/S/TimeoutSeconds"},
		"invalid template":                       {oneState(`"Type":"Pass","Parameters":{"x.$":"text"},"End":true`), "The value for the field 'x.$' must be a valid JSONPath or a valid intrinsic function call"},
		"template from a number":                 {oneState(`"Type":"Pass","Parameters":{"x.$":1},"End":true`), "The value for the field 'x.$' must be a string at /States/S/Parameters"},
		"field given twice":                      {oneState(`"Type":"Pass","Parameters":{"x.$":"$.a","x":1},"End":true`), "The fields 'x' and 'x.$' exclude each other"},
		"both Error and ErrorPath":               {oneState(`"Type":"Fail","Error":"a","ErrorPath":"$.a"`), "Only one of these fields may be given: [Error, ErrorPath] at /States/S"},
		"invalid CausePath":                      {oneState(`"Type":"Fail","CausePath":"States.Format('{}'"`), `"States.Format('{}'" is neither a path nor States.Format('…', $.path, …)`},
		"ResultPath in the context object":       {oneState(`"Type":"Pass","ResultPath":"$$.a","End":true`), "is not a Reference Path"},
		"rule without operator":                  {oneState(`"Type":"Choice","Choices":[{"Variable":"$.a","Next":"S"}]`), "These fields are required: [StringEquals] at /States/S/Choices[0]"},
		"operand":                                {oneState(`"Type":"Choice","Choices":[{"Variable":"$.a","StringEquals":1,"Next":"S"}]`), "Value must be a string at /States/S/Choices[0]/StringEquals"},
		"no choices":                             {oneState(`"Type":"Choice","Choices":[],"Default":"S"`), "Array must have at least 1 element at /States/S/Choices"},
		"rule without Next":                      {oneState(`"Type":"Choice","Choices":[{"Variable":"$.a","StringEquals":"b"}],"Default":"S"`), "These fields are required: [Next] at /States/S/Choices[0]"},
		"States.ALL with other errors":           {oneState(task + `,"End":true,"Retry":[{"ErrorEquals":["States.ALL","A"]}]`), "States.ALL must be alone, and in the last Retrier or Catcher"},
		"States.ALL before the last catcher":     {oneState(task + `,"End":true,"Catch":[{"ErrorEquals":["States.ALL"],"Next":"S"},{"ErrorEquals":["A"],"Next":"S"}]`), "States.ALL must be alone, and in the last Retrier or Catcher at /States/S/Catch[0]/ErrorEquals"},
		"no errors":                              {oneState(task + `,"End":true,"Retry":[{"ErrorEquals":[]}]`), "Array must have at least 1 element at /States/S/Retry[0]/ErrorEquals"},
		"unknown States error":                   {oneState(task + `,"End":true,"Retry":[{"ErrorEquals":["States.Oops"]}]`), "The error 'States.Oops' is not supported"},
		"backoff":                                {oneState(task + `,"End":true,"Retry":[{"ErrorEquals":["A"],"BackoffRate":0.5}]`), "Value must be at least 1.0 at /States/S/Retry[0]/BackoffRate"},
		"interval":                               {oneState(task + `,"End":true,"Retry":[{"ErrorEquals":["A"],"IntervalSeconds":0}]`), "at /States/S/Retry[0]/IntervalSeconds"},
		"MaxDelaySeconds not above the interval": {oneState(task + `,"End":true,"Retry":[{"ErrorEquals":["A"],"IntervalSeconds":9,"MaxDelaySeconds":9}]`), "Value must be greater than IntervalSeconds"},
		"jitter":                                 {oneState(task + `,"End":true,"Retry":[{"ErrorEquals":["A"],"JitterStrategy":"SOME"}]`), "Value must be FULL or NONE, not 'SOME'"},
		"Catch without Next":                     {oneState(task + `,"End":true,"Catch":[{"ErrorEquals":["A"]}]`), "These fields are required: [Next] at /States/S/Catch[0]"},
		"unknown Retry field":                    {oneState(task + `,"End":true,"Retry":[{"ErrorEquals":["A"],"Interval":1}]`), "Field 'Interval' is not supported in a Retrier"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := asl.Parse([]byte(c.definition))
			require.ErrorContains(t, err, c.want)
			var fault *asl.SchemaError
			require.ErrorAs(t, err, &fault)
		})
	}
}

// Features that AWS supports but this interpreter does not are rejected with an error that names
// them.
func TestUnsupportedFeaturesAreRefused(t *testing.T) {
	t.Parallel()
	field := func(name string) string { return "Field '" + name + "' is not supported in " }
	for definition, want := range map[string]string{
		`{"StartAt":"S","TimeoutSeconds":9,"States":{"S":{"Type":"Succeed"}}}`:                                                                      field("TimeoutSeconds") + "a state machine at /",
		`{"StartAt":"S","Version":"1.0","States":{"S":{"Type":"Succeed"}}}`:                                                                         field("Version") + "a state machine at /",
		`{"StartAt":"S","QueryLanguage":"JSONata","States":{"S":{"Type":"Succeed"}}}`:                                                               field("QueryLanguage") + "a state machine at /",
		oneState(`"Type":"Wait","Seconds":1,"End":true`):                                                                                            "The state type 'Wait' is not supported at /States/S/Type",
		oneState(`"Type":"Parallel","Branches":[],"End":true`):                                                                                      "The state type 'Parallel' is not supported at /States/S/Type",
		oneState(`"Type":"Map","End":true`):                                                                                                         "The state type 'Map' is not supported at /States/S/Type",
		oneState(`"Type":"Pass","End":true,"QueryLanguage":"JSONata"`):                                                                              field("QueryLanguage") + "a Pass state at /States/S",
		oneState(`"Type":"Pass","End":true,"Assign":{"a":1}`):                                                                                       field("Assign") + "a Pass state at /States/S",
		oneState(`"Type":"Pass","End":true,"Result":1`):                                                                                             field("Result") + "a Pass state at /States/S",
		oneState(`"Type":"Pass","End":true,"InputPath":"$.a"`):                                                                                      field("InputPath") + "a Pass state at /States/S",
		oneState(`"Type":"Succeed","OutputPath":"$.a"`):                                                                                             field("OutputPath") + "a Succeed state at /States/S",
		oneState(task + `,"End":true,"InputPath":null`):                                                                                             field("InputPath") + "a Task state at /States/S",
		oneState(task + `,"End":true,"OutputPath":"$"`):                                                                                             field("OutputPath") + "a Task state at /States/S",
		oneState(task + `,"End":true,"TimeoutSecondsPath":"$.t"`):                                                                                   field("TimeoutSecondsPath") + "a Task state at /States/S",
		oneState(task + `,"End":true,"HeartbeatSeconds":5`):                                                                                         field("HeartbeatSeconds") + "a Task state at /States/S",
		oneState(task + `,"End":true,"HeartbeatSecondsPath":"$.h"`):                                                                                 field("HeartbeatSecondsPath") + "a Task state at /States/S",
		oneState(task + `,"End":true,"Credentials":{}`):                                                                                             field("Credentials") + "a Task state at /States/S",
		oneState(task + `,"End":true,"Retry":[{"ErrorEquals":["States.HeartbeatTimeout"]}]`):                                                        "The error 'States.HeartbeatTimeout' is not supported at /States/S/Retry[0]/ErrorEquals",
		oneState(task + `,"End":true,"Retry":[{"ErrorEquals":["States.IntrinsicFailure"]}]`):                                                        "The error 'States.IntrinsicFailure' is not supported at /States/S/Retry[0]/ErrorEquals",
		oneState(`"Type":"Task","Resource":"arn:aws:states:::sqs:sendMessage","Parameters":{"FunctionName":"f"},"End":true`):                        "The resource 'arn:aws:states:::sqs:sendMessage' is not supported at /States/S/Resource",
		oneState(`"Type":"Task","Resource":"arn:aws:states:::lambda:invoke.sync","Parameters":{"FunctionName":"f"},"End":true`):                     "The resource 'arn:aws:states:::lambda:invoke.sync' is not supported at /States/S/Resource",
		oneState(`"Type":"Task","Resource":"arn:aws:lambda:us-east-1:000000000000:function:f","Parameters":{"FunctionName":"f"},"End":true`):        "function:f' is not supported at /States/S/Resource",
		oneState(`"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Parameters":{"FunctionName.$":"$.f"},"End":true`):                      field("FunctionName.$") + "lambda:invoke at /States/S/Parameters",
		oneState(`"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Parameters":{"FunctionName":"f","InvocationType":"Event"},"End":true`): field("InvocationType") + "lambda:invoke at /States/S/Parameters",
		oneState(`"Type":"Task","Resource":"arn:aws:states:::lambda:invoke","Parameters":{"FunctionName":"f","Qualifier":"1"},"End":true`):          field("Qualifier") + "lambda:invoke at /States/S/Parameters",
		oneState(`"Type":"Pass","ResultPath":"$.a[0]","End":true`):                                                                                  `"$.a[0]" is not a JSONPath of the kind that is supported, as $.a.b at /States/S/ResultPath`,
		oneState(`"Type":"Pass","Parameters":{"x.$":"$.a[*].b"},"End":true`):                                                                        `"$.a[*].b" is not a JSONPath of the kind that is supported`,
		oneState(`"Type":"Fail","ErrorPath":"States.UUID()"`):                                                                                       "the intrinsic function 'States.UUID' is not supported at /States/S/ErrorPath",
	} {
		_, err := asl.Parse([]byte(definition))
		require.ErrorContains(t, err, want, definition)
	}
	for _, operator := range []string{
		`"And":[]`, `"Or":[]`, `"Not":{}`, `"IsPresent":true`, `"IsNull":true`, `"IsString":true`, `"IsNumeric":true`, `"IsBoolean":true`, `"IsTimestamp":true`,
		`"StringEqualsPath":"$.b"`, `"StringLessThan":"b"`, `"StringMatches":"b*"`, `"NumericEquals":1`, `"BooleanEquals":true`, `"TimestampEquals":"2016-08-18T17:33:00Z"`,
	} {
		name := strings.Split(operator, `"`)[1]
		_, err := asl.Parse([]byte(oneState(`"Type":"Choice","Choices":[{"Variable":"$.a",` + operator + `,"Next":"S"}]`)))
		require.ErrorContains(t, err, field(name)+"a Choice Rule at /States/S/Choices[0]")
	}
	for _, call := range []string{
		`StringToJson('1')`, `JsonToString($.a)`, `StringSplit('a', ',')`, `UUID()`, `JsonMerge($.a, $.b, false)`, `Array()`, `ArrayPartition($.a, 1)`,
		`ArrayContains($.a, 1)`, `ArrayRange(1, 9, 2)`, `ArrayGetItem($.a, 0)`, `ArrayLength($.a)`, `ArrayUnique($.a)`, `Base64Encode('a')`, `Base64Decode('a')`,
		`Hash('a', 'MD5')`, `MathAdd(1, 2)`, `MathRandom(1, 2)`,
	} {
		name, _, _ := strings.Cut(call, "(")
		_, err := asl.Parse([]byte(oneState(`"Type":"Pass","Parameters":{"x.$":"States.` + call + `"},"End":true`)))
		require.ErrorContains(t, err, "the intrinsic function 'States."+name+"' is not supported at /States/S/Parameters")
	}
}

func TestParseReportsAllErrors(t *testing.T) {
	t.Parallel()
	_, err := asl.Parse([]byte(`{"StartAt":"A","States":{"A":{"Type":"Pass","Next":"B","Color":1},"B":{"Type":"Pass"},"C":{"Type":"Map"}}}`))
	require.ErrorContains(t, err, "Field 'Color'")
	require.ErrorContains(t, err, "/States/B")
	require.ErrorContains(t, err, "'Map'")
}
