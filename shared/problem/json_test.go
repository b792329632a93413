package problem_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
)

func TestDescribeJSON(t *testing.T) {
	t.Parallel()
	type document struct {
		Name  string          `json:"name"`
		Count *int64          `json:"count"`
		Share float64         `json:"share"`
		On    bool            `json:"on"`
		List  []string        `json:"list"`
		Inner struct{ A int } `json:"inner"`
	}
	for in, want := range map[string]string{
		``:                                      "it is incomplete",
		`{"name":`:                              "it is incomplete",
		`name=x`:                                "it is not valid JSON at character 2",
		`{"name":x}`:                            "it is not valid JSON at character 9",
		`[]`:                                    "it must be an object, not an array",
		`"x"`:                                   "it must be an object, not a string",
		`{"name":7}`:                            "name must be a string, not a number",
		`{"count":"7"}`:                         "count must be a whole number, not a string",
		`{"count":1.5}`:                         "count must be a whole number, not a number 1.5",
		`{"share":true}`:                        "share must be a number, not true or false",
		`{"on":{}}`:                             "on must be true or false, not an object",
		`{"list":{}}`:                           "list must be an array, not an object",
		`{"inner":{"A":"x"}}`:                   "inner.A must be a whole number, not a string",
		`{"colour":"red"}`:                      "unknown member colour",
		`{"` + strings.Repeat("x", 99) + `":1}`: "unknown member " + strings.Repeat("x", 60) + "…",
	} {
		d := json.NewDecoder(strings.NewReader(in))
		d.DisallowUnknownFields()
		require.Equal(t, want, problem.DescribeJSON(d.Decode(&document{})), in)
	}
}
