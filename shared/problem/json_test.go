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
		``:                                      "it ends too early",
		`{"name":`:                              "it ends too early",
		`name=x`:                                "it is no JSON from its character 2 on",
		`{"name":x}`:                            "it is no JSON from its character 9 on",
		`[]`:                                    "it must be an object and is a list",
		`"x"`:                                   "it must be an object and is a text",
		`{"name":7}`:                            "name must be a text and is a number",
		`{"count":"7"}`:                         "count must be a whole number and is a text",
		`{"count":1.5}`:                         "count must be a whole number and is a number 1.5",
		`{"share":true}`:                        "share must be a number and is true or false",
		`{"on":{}}`:                             "on must be true or false and is an object",
		`{"list":{}}`:                           "list must be a list and is an object",
		`{"inner":{"A":"x"}}`:                   "inner.A must be a whole number and is a text",
		`{"colour":"red"}`:                      "it has no member colour",
		`{"` + strings.Repeat("x", 99) + `":1}`: "it has no member " + strings.Repeat("x", 60) + "…",
	} {
		d := json.NewDecoder(strings.NewReader(in))
		d.DisallowUnknownFields()
		require.Equal(t, want, problem.DescribeJSON(d.Decode(&document{})), in)
	}
}
