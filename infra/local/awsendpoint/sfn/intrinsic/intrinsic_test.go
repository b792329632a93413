package intrinsic_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/intrinsic"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/jsonpath"
)

const input = `{"name":"Ada","n":3,"half":2.50,"list":[1,2.0,"3",null,"<&>"],"no":null}`

func eval(t *testing.T, text string) (any, error) {
	t.Helper()
	e, err := intrinsic.Parse(text)
	require.NoError(t, err, text)
	require.Equal(t, text, e.String())
	value, err := jsonpath.Decode([]byte(input))
	require.NoError(t, err)
	return e.Eval(jsonpath.Scope{Input: value, Context: func() any { return map[string]any{"Task": map[string]any{"Token": "tok"}} }})
}

func TestEval(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`$.name`:                                      "Ada",
		`$$.Task.Token`:                               "tok",
		`States.Format('Hi {}!', $.name)`:             "Hi Ada!",
		`States.Format('{}{}', $.n, $.half)`:          "32.50",
		`States.Format('{}', $.list)`:                 `[1,2.0,"3",null,"<&>"]`,
		`States.Format('{} {}', $.no, $$.Task.Token)`: "null tok",
		`States.Format('it\'s \{\} \\ {}', $.name)`:   `it's {} \ Ada`,
		`States.Format('plain')`:                      "plain",
		`States.Format('a,b)c {}',$.name)`:            "a,b)c Ada",
		`States.Format( 'x{}' ,  $.n )`:               "x3",
	} {
		got, err := eval(t, text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
}

func TestEvalMissing(t *testing.T) {
	t.Parallel()
	_, err := eval(t, `States.Format('{}', $.gone)`)
	var missing *jsonpath.MissingError
	require.ErrorAs(t, err, &missing)
	require.Equal(t, "$.gone", missing.Path)
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	const form = "is neither a path nor States.Format("
	for text, want := range map[string]string{
		``:                                   form,
		`text`:                               form,
		`$.`:                                 "is not a JSONPath",
		`States.Nothing()`:                   "the intrinsic function 'States.Nothing' is not supported",
		`States.Format`:                      form,
		`States.Format()`:                    form,
		`States.Format('a'`:                  form,
		`States.Format('a' 'b')`:             form,
		`States.Format('a',)`:                form,
		`States.Format('a`:                   form,
		`States.Format('\n')`:                form,
		`States.Format("a")`:                 form,
		`States.Format('a') x`:               form,
		`States.Format($.tpl, $.n)`:          form,
		`States.Format('{}', 'text')`:        form,
		`States.Format('{}', 1)`:             form,
		`States.Format('{}', States.UUID())`: form,
		`States.Format('{}', $.a[0])`:        "is not a JSONPath",
		`States.Format('{}')`:                "has 1 places for 0 arguments",
		`States.Format('{}', $.a, $.b)`:      "has 1 places for 2 arguments",
	} {
		_, err := intrinsic.Parse(text)
		require.ErrorContains(t, err, want, text)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{`$.a`, `States.Format('{}', $.a)`, `States.Format('\'`, `States.Format('\\{}{', $, $$.b)`} {
		f.Add(seed)
	}
	f.Fuzz(func(_ *testing.T, text string) {
		e, err := intrinsic.Parse(text)
		if err != nil {
			return
		}
		_, _ = e.Eval(jsonpath.Scope{Input: map[string]any{}, Context: func() any { return map[string]any{} }})
	})
}
