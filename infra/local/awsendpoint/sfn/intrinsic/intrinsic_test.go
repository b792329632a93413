package intrinsic_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/intrinsic"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/jsonpath"
)

const input = `{"name":"Ada","n":3,"half":2.5,"list":[1,2,3,3.0,"3",null],"o":{"a":1,"b":{"c":2}},"p":{"b":3},
	"json":"{\"x\": [1.50, true]}","a b":"spaced","tpl":"{} and {}"}`

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
		`$.name`:                                            `"Ada"`,
		`$$.Task.Token`:                                     `"tok"`,
		`States.Format('Hi {}!', $.name)`:                   `"Hi Ada!"`,
		`States.Format('{}{}', $.n, $.half)`:                `"32.5"`,
		`States.Format('{} {} {}', true, null, -1.5e3)`:     `"true null -1.5e3"`,
		`States.Format('{}', $.list)`:                       `"[1,2,3,3.0,\"3\",null]"`,
		`States.Format('{}', $['a b'])`:                     `"spaced"`,
		`States.Format('{}', $.list[0])`:                    `"1"`,
		`States.Format('it\'s \{\} \\ {}', 'x')`:            `"it's {} \\ x"`,
		`States.Format('plain')`:                            `"plain"`,
		`States.Format($.tpl, 'a', 'b')`:                    `"a and b"`,
		`States.Format('a,b)c {}', ' , ')`:                  `"a,b)c  , "`,
		`States.Format('{}', '{}')`:                         `"{}"`,
		`States.StringToJson($.json)`:                       `{"x":[1.50,true]}`,
		`States.JsonToString($.o)`:                          `"{\"a\":1,\"b\":{\"c\":2}}"`,
		`States.JsonToString('<a&b>')`:                      `"\"<a&b>\""`,
		`States.StringSplit('a.b+c', '.+')`:                 `["a","b","c"]`,
		`States.StringSplit('abc', ',')`:                    `["abc"]`,
		`States.StringSplit('', ',')`:                       `[]`,
		`States.JsonMerge($.o, $.p, false)`:                 `{"a":1,"b":3}`,
		`States.Array()`:                                    `[]`,
		`States.Array('a', $.n, null, States.Array(1))`:     `["a",3,null,[1]]`,
		`States.ArrayPartition(States.Array(1,2,3,4,5), 2)`: `[[1,2],[3,4],[5]]`,
		`States.ArrayPartition(States.Array(), 2)`:          `[]`,
		`States.ArrayContains($.list, 3.0)`:                 `true`,
		`States.ArrayContains($.list, '3')`:                 `true`,
		`States.ArrayContains($.list, '2')`:                 `false`,
		`States.ArrayContains($.list, null)`:                `true`,
		`States.ArrayRange(1, 9, 2)`:                        `[1,3,5,7,9]`,
		`States.ArrayRange(0, -4, -2)`:                      `[0,-2,-4]`,
		`States.ArrayRange(5, 1, 1)`:                        `[]`,
		`States.ArrayGetItem($.list, 1)`:                    `2`,
		`States.ArrayLength($.list)`:                        `6`,
		`States.ArrayUnique($.list)`:                        `[1,2,3,"3",null]`,
		`States.Base64Encode('Data to encode')`:             `"RGF0YSB0byBlbmNvZGU="`,
		`States.Base64Decode('RGF0YSB0byBlbmNvZGU=')`:       `"Data to encode"`,
		`States.Hash('abc', 'MD5')`:                         `"900150983cd24fb0d6963f7d28e17f72"`,
		`States.Hash('abc', 'SHA-1')`:                       `"a9993e364706816aba3e25717850c26c9cd0d89d"`,
		`States.Hash('abc', 'SHA-256')`:                     `"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"`,
		`States.Hash('abc', 'SHA-384')`:                     `"cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"`,
		`States.Hash('abc', 'SHA-512')`:                     `"ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"`,
		`States.MathAdd($.n, -1)`:                           `2`,
		`States.MathAdd(2147483647, 1)`:                     `2147483648`,
		`States.MathAdd(1.5, 1.4)`:                          `3`,
		`States.MathRandom(4, 5)`:                           `4`,
		`States.Format( 'x{}' ,  States.MathAdd( 1 , 2 ) )`: `"x3"`,
	} {
		got, err := eval(t, text)
		require.NoError(t, err, text)
		encoded, err := jsonpath.Encode(got)
		require.NoError(t, err)
		require.Equal(t, want, string(encoded), text)
	}
}

func TestEvalFails(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`States.Format('{}')`:                                             "the template has 1 places for 0 arguments",
		`States.Format('{}', 1, 2)`:                                       "the template has 1 places for 2 arguments",
		`States.Format($.n)`:                                              "the template must be a string",
		`States.StringToJson('{')`:                                        "the string is not JSON",
		`States.StringToJson($.n)`:                                        "the argument must be a string",
		`States.StringSplit($.n, ',')`:                                    "both arguments must be strings",
		`States.JsonMerge($.o, $.n, false)`:                               "the first two arguments must be objects",
		`States.JsonMerge($.o, $.p, true)`:                                "only shallow merging",
		`States.ArrayPartition($.list, 0)`:                                "must be positive",
		`States.ArrayPartition($.n, 1)`:                                   "the first argument must be an array",
		`States.ArrayContains($.n, 1)`:                                    "the first argument must be an array",
		`States.ArrayRange(1, 9, 0)`:                                      "the step must not be zero",
		`States.ArrayRange(0, 1000, 1)`:                                   "more than 1000",
		`States.ArrayRange(-9223372036854775807, 9223372036854775807, 1)`: "out of range",
		`States.MathAdd(9223372036854775807, 1)`:                          "out of range",
		`States.ArrayRange('a', 9, 1)`:                                    "a number expected",
		`States.ArrayGetItem($.list, 6)`:                                  "there is no element 6",
		`States.ArrayGetItem($.list, -1)`:                                 "there is no element -1",
		`States.ArrayLength('abc')`:                                       "the first argument must be an array",
		`States.ArrayUnique('abc')`:                                       "the first argument must be an array",
		`States.Base64Encode($.n)`:                                        "the argument must be a string",
		`States.Base64Decode('?')`:                                        "not Base64",
		`States.Hash('abc', 'CRC')`:                                       "there is no algorithm CRC",
		`States.MathAdd('1', 2)`:                                          `a number expected, not 1`,
		`States.MathRandom(5, 5)`:                                         "must be less than the end",
		`States.Base64Encode('` + strings.Repeat("x", 10001) + `')`:       "longer than 10000",
	} {
		_, err := eval(t, text)
		var fault *intrinsic.Error
		require.ErrorAs(t, err, &fault, text)
		require.ErrorContains(t, err, want, text)
		require.ErrorContains(t, err, "The function '"+text+"' had the following error: ")
	}
}

func TestEvalMissing(t *testing.T) {
	t.Parallel()
	_, err := eval(t, `States.Format('{}', States.JsonToString($.no))`)
	var missing *jsonpath.MissingError
	require.ErrorAs(t, err, &missing)
	require.Equal(t, "$.no", missing.Path)
}

func TestRandom(t *testing.T) {
	t.Parallel()
	seen := map[any]bool{}
	for range 200 {
		got, err := eval(t, `States.MathRandom(-1, 2)`)
		require.NoError(t, err)
		seen[got] = true
	}
	require.Equal(t, map[any]bool{json.Number("-1"): true, json.Number("0"): true, json.Number("1"): true}, seen)
	first, err := eval(t, `States.MathRandom(0, 1000000, 42)`)
	require.NoError(t, err)
	second, err := eval(t, `States.MathRandom(0, 1000000, 42)`)
	require.NoError(t, err)
	require.Equal(t, first, second)
}

func TestUUID(t *testing.T) {
	t.Parallel()
	first, err := eval(t, `States.UUID()`)
	require.NoError(t, err)
	second, err := eval(t, `States.UUID()`)
	require.NoError(t, err)
	require.NotEqual(t, first, second)
	id, err := uuid.Parse(first.(string))
	require.NoError(t, err)
	require.EqualValues(t, 4, id.Version())
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("States.Array(", 11) + strings.Repeat(")", 11)
	for text, want := range map[string]string{
		``:                           "( expected",
		`text`:                       "( expected",
		`$.`:                         "not a JSONPath",
		`States.Nothing()`:           `there is no function "States.Nothing"`,
		`States.Format`:              "( expected",
		`States.Format(`:             "expected",
		`States.Format('a'`:          ", or ) expected",
		`States.Format('a' 'b')`:     ", or ) expected",
		`States.Format('a',)`:        "expected",
		`States.Format('a`:           "a string is not closed",
		`States.Format('\n')`:        "unknown escape",
		`States.Format("a")`:         "expected",
		`States.Format('a') x`:       "nothing may follow",
		`States.Format($.a[)`:        "not a JSONPath",
		`States.Format()`:            "does not take 0 arguments",
		`States.UUID(1)`:             "does not take 1 arguments",
		`States.ArrayRange(1,2)`:     "does not take 2 arguments",
		`States.MathRandom(1,2,3,4)`: "does not take 4 arguments",
		`States.Array(x)`:            "expected",
		deep:                         "deeper than 10",
	} {
		_, err := intrinsic.Parse(text)
		require.ErrorContains(t, err, want, text)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{`$.a`, `States.Format('{}', $.a['b,c'], 1)`, `States.Array(States.UUID(), null)`, `States.Format('\'`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := intrinsic.Parse(text)
		if err != nil {
			return
		}
		_, _ = e.Eval(jsonpath.Scope{Input: map[string]any{}, Context: func() any { return map[string]any{} }})
	})
}
