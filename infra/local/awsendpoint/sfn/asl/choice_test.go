package asl_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/asl"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/jsonpath"
)

// rule parses the rule of a Choice.
func rule(t *testing.T, text string) asl.Rule {
	t.Helper()
	definition := fmt.Sprintf(`{"StartAt":"S","States":{"S":{"Type":"Choice","Choices":[%s],"Default":"D"},"D":{"Type":"Succeed"}}}`, text)
	m, err := asl.Parse([]byte(definition))
	require.NoError(t, err, text)
	c, ok := m.States["S"].Action.(*asl.Choice)
	require.True(t, ok)
	return c.Rules[0].Rule
}

func scope(t *testing.T, input string) jsonpath.Scope {
	t.Helper()
	value, err := jsonpath.Decode([]byte(input))
	require.NoError(t, err)
	return jsonpath.Scope{Input: value, Context: func() any { return map[string]any{"Execution": map[string]any{"Name": "n"}} }}
}

func TestComparisons(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		operator, value string // value of $.v
		want            bool
	}{
		{`"StringEquals":"b"`, `"b"`, true},
		{`"StringEquals":"b"`, `"B"`, false},
		{`"StringEquals":"1"`, `1`, false},
		{`"StringLessThan":"b"`, `"a"`, true},
		{`"StringLessThan":"b"`, `"b"`, false},
		{`"StringLessThanEquals":"b"`, `"b"`, true},
		{`"StringGreaterThan":"b"`, `"c"`, true},
		{`"StringGreaterThan":"b"`, `"b"`, false},
		{`"StringGreaterThanEquals":"b"`, `"b"`, true},
		{`"StringEqualsPath":"$.w"`, `"text"`, true},
		{`"StringEqualsPath":"$$.Execution.Name"`, `"n"`, true},
		{`"StringLessThanPath":"$.w"`, `"zzz"`, false},
		{`"StringEqualsPath":"$.n"`, `"5"`, false},
		{`"NumericEquals":1`, `1.0`, true},
		{`"NumericEquals":1`, `"1"`, false},
		{`"NumericEquals":9007199254740993`, `9007199254740992`, false},
		{`"NumericLessThan":5`, `4.9`, true},
		{`"NumericLessThanEquals":5`, `5`, true},
		{`"NumericGreaterThan":5`, `5.1`, true},
		{`"NumericGreaterThan":5`, `null`, false},
		{`"NumericGreaterThanEquals":5`, `4`, false},
		{`"NumericEqualsPath":"$.n"`, `5`, true},
		{`"NumericGreaterThanPath":"$.n"`, `6`, true},
		{`"BooleanEquals":true`, `true`, true},
		{`"BooleanEquals":true`, `false`, false},
		{`"BooleanEquals":true`, `"true"`, false},
		{`"BooleanEqualsPath":"$.t"`, `true`, true},
		{`"TimestampEquals":"2016-08-18T17:33:00Z"`, `"2016-08-18T19:33:00+02:00"`, true},
		{`"TimestampEquals":"2016-08-18T17:33:00Z"`, `"yesterday"`, false},
		{`"TimestampLessThan":"2016-08-18T17:33:00Z"`, `"2016-08-18T17:32:59.999Z"`, true},
		{`"TimestampLessThanEquals":"2016-08-18T17:33:00Z"`, `"2016-08-18T17:33:00Z"`, true},
		{`"TimestampGreaterThan":"2016-08-18T17:33:00Z"`, `"2017-01-01T00:00:00Z"`, true},
		{`"TimestampGreaterThanEqualsPath":"$.at"`, `"2016-08-18T17:33:00Z"`, true},
		{`"StringMatches":"log-*.txt"`, `"log-2016.txt"`, true},
		{`"StringMatches":"log-*.txt"`, `"log-2016.txt.gz"`, false},
		{`"StringMatches":"*"`, `""`, true},
		{`"StringMatches":"a\\*b"`, `"a*b"`, true},
		{`"StringMatches":"a\\*b"`, `"axb"`, false},
		{`"StringMatches":"a\\\\*"`, `"a\\b"`, true},
		{`"StringMatches":"*é.*"`, `"caf\u00e9.x"`, true},
		{`"StringMatches":"*é.*"`, `"caf\u00e9!x"`, false},
		{`"StringMatches":"a*b*c"`, `"a\nb b c"`, true},
		{`"StringMatches":"1*"`, `12`, false},
		{`"IsNull":true`, `null`, true},
		{`"IsNull":false`, `0`, true},
		{`"IsString":true`, `""`, true},
		{`"IsString":true`, `1`, false},
		{`"IsNumeric":true`, `1.5`, true},
		{`"IsNumeric":false`, `"1"`, true},
		{`"IsBoolean":true`, `false`, true},
		{`"IsBoolean":true`, `null`, false},
		{`"IsTimestamp":true`, `"2016-08-18T17:33:00.123Z"`, true},
		{`"IsTimestamp":true`, `"2016-08-18T17:33:00"`, false},
		{`"IsTimestamp":false`, `"2016-08-18"`, true},
		{`"IsPresent":true`, `null`, true},
		{`"IsPresent":false`, `{"a":1}`, false},
	} {
		r := rule(t, `{"Variable":"$.v",`+c.operator+`,"Next":"D"}`)
		got, err := r(scope(t, `{"v":`+c.value+`,"w":"text","n":5,"t":true,"at":"2016-08-18T17:33:00Z"}`))
		require.NoError(t, err)
		require.Equal(t, c.want, got, "%s of %s", c.operator, c.value)
	}
}

func TestCombinations(t *testing.T) {
	t.Parallel()
	yes, no := `{"Variable":"$.v","IsPresent":true}`, `{"Variable":"$.v","IsPresent":false}`
	for text, want := range map[string]bool{
		`"And":[` + yes + `,` + yes + `]`:                 true,
		`"And":[` + yes + `,` + no + `]`:                  false,
		`"Or":[` + no + `,` + yes + `]`:                   true,
		`"Or":[` + no + `,` + no + `]`:                    false,
		`"Not":` + no:                                     true,
		`"Not":{"And":[` + yes + `,{"Not":` + yes + `}]}`: true,
	} {
		got, err := rule(t, `{`+text+`,"Next":"D","Comment":"c"}`)(scope(t, `{"v":1}`))
		require.NoError(t, err)
		require.Equal(t, want, got, text)
	}
}

func TestMissingVariable(t *testing.T) {
	t.Parallel()
	present, err := rule(t, `{"Variable":"$.gone","IsPresent":false,"Next":"D"}`)(scope(t, `{}`))
	require.NoError(t, err)
	require.True(t, present)
	for _, text := range []string{
		`{"Variable":"$.gone","IsNull":true,"Next":"D"}`,
		`{"Variable":"$.gone","StringEquals":"a","Next":"D"}`,
		`{"Variable":"$.v","StringEqualsPath":"$.gone","Next":"D"}`,
		`{"Or":[{"Variable":"$.gone","IsNull":true},{"Variable":"$.v","IsString":true}],"Next":"D"}`,
	} {
		_, err := rule(t, text)(scope(t, `{"v":"a"}`))
		require.EqualError(t, err, "Invalid path '$.gone': The choice state's condition path references an invalid value.", text)
	}
	// The first rule decides; the second, which would fail, is not looked at.
	got, err := rule(t, `{"Or":[{"Variable":"$.v","IsString":true},{"Variable":"$.gone","IsNull":true}],"Next":"D"}`)(scope(t, `{"v":"a"}`))
	require.NoError(t, err)
	require.True(t, got)
}
