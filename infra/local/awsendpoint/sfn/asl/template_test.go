package asl_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/asl"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/jsonpath"
)

func template(t *testing.T, text string) *asl.Template {
	t.Helper()
	m, err := asl.Parse([]byte(oneState(`"Type":"Pass","Parameters":` + text + `,"End":true`)))
	require.NoError(t, err, text)
	p, ok := m.States["S"].Action.(*asl.Pass)
	require.True(t, ok)
	return p.Parameters
}

func scope(t *testing.T, input string) jsonpath.Scope {
	t.Helper()
	value, err := jsonpath.Decode([]byte(input))
	require.NoError(t, err)
	return jsonpath.Scope{Input: value, Context: func() any { return map[string]any{"Execution": map[string]any{"Name": "n"}} }}
}

func TestTemplate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a":1,"b":[true,null,"$.v"]}`:                  `{"a":1,"b":[true,null,"$.v"]}`,
		`{"a.$":"$.v","b":{"c.$":"$.o.n"}}`:              `{"a":"value","b":{"c":1.50}}`,
		`{"all.$":"$"}`:                                  `{"all":{"o":{"n":1.50},"v":"value"}}`,
		`{"list":[{"a.$":"$.v"},"$.v"]}`:                 `{"list":[{"a":"value"},"$.v"]}`,
		`{"name.$":"$$.Execution.Name"}`:                 `{"name":"n"}`,
		`{"text.$":"States.Format('{}: {}', $.v, $.o)"}`: `{"text":"value: {\"n\":1.50}"}`,
		`"text"`: `"text"`,
	} {
		got, err := template(t, text).Eval(scope(t, `{"v":"value","o":{"n":1.50}}`))
		require.NoError(t, err, text)
		encoded, err := jsonpath.Encode(got)
		require.NoError(t, err)
		require.Equal(t, want, string(encoded), text)
	}
}

func TestTemplateMissing(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"value.$":"$.no_such"}`:                     `The JSONPath '$.no_such' specified for the field 'value.$' could not be found in the input '{"v":1}'`,
		`{"a":{"b.$":"$$.Execution.Input.x"}}`:        `The JSONPath '$$.Execution.Input.x' specified for the field 'b.$' could not be found in the input '{"v":1}'`,
		`{"a":[{"b.$":"States.Format('{}', $.no)"}]}`: `The JSONPath '$.no' specified for the field 'b.$' could not be found in the input '{"v":1}'`,
	} {
		_, err := template(t, text).Eval(scope(t, `{"v":1}`))
		require.EqualError(t, err, want)
	}
}
