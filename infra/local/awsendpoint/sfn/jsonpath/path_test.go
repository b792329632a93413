package jsonpath_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/jsonpath"
)

const data = `{"a":{"x":2.50,"_y1":"é"},"n":null,"big":9007199254740993}`

func decode(t *testing.T, text string) any {
	t.Helper()
	value, err := jsonpath.Decode([]byte(text))
	require.NoError(t, err)
	return value
}

func encode(t *testing.T, value any) string {
	t.Helper()
	text, err := jsonpath.Encode(value)
	require.NoError(t, err)
	return string(text)
}

func TestGet(t *testing.T) {
	t.Parallel()
	scope := jsonpath.Scope{Input: decode(t, data), Context: func() any { return decode(t, `{"State":{"Name":"One"}}`) }}
	for path, want := range map[string]string{
		"$":             `{"a":{"_y1":"é","x":2.50},"big":9007199254740993,"n":null}`,
		"$.a.x":         `2.50`,
		"$.a._y1":       `"é"`,
		"$.n":           `null`,
		"$.big":         `9007199254740993`,
		"$$.State.Name": `"One"`,
		"$$":            `{"State":{"Name":"One"}}`,
	} {
		p, err := jsonpath.Parse(path)
		require.NoError(t, err, path)
		require.Equal(t, path, p.String())
		got, err := p.Get(scope)
		require.NoError(t, err, path)
		require.Equal(t, want, encode(t, got), path)
	}
}

// The messages are those of AWS, as recorded in histories of the real service.
func TestGetMissing(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"$.nothing":      "Invalid path '$.nothing' : No results for path: $['nothing']",
		"$.no.such.path": "Invalid path '$.no.such.path' : Missing property in path $['no']",
		"$.n.q":          "Invalid path '$.n.q' : No results for path: $['n']['q']",
	} {
		p, err := jsonpath.Parse(path)
		require.NoError(t, err)
		_, err = p.Get(jsonpath.Scope{Input: decode(t, data)})
		var missing *jsonpath.MissingError
		require.ErrorAs(t, err, &missing)
		require.EqualError(t, err, want)
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"", "a.b", "@.x", "$.", "$.a[", "$ .a", "$a", "$.a.length()", "$$$.a", "$.a[0]", "$.a[*]", "$..a", "$['a']", "$.a[?(@.x==1)]", "$.a-b"} {
		_, err := jsonpath.Parse(path)
		require.Error(t, err, path)
	}
}

func TestReferenceSet(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ root, path, want string }{
		{`{"a":1}`, "$", `"new"`},
		{`{"a":1}`, "$.a", `{"a":"new"}`},
		{`{"a":1}`, "$.b", `{"a":1,"b":"new"}`},
		{`{"a":1}`, "$.b.c.d", `{"a":1,"b":{"c":{"d":"new"}}}`},
		{`{"a":null}`, "$.a.b", `{"a":{"b":"new"}}`},
	} {
		r, err := jsonpath.ParseReference(c.path)
		require.NoError(t, err)
		root := decode(t, c.root)
		got, err := r.Set(root, "new")
		require.NoError(t, err)
		require.Equal(t, c.want, encode(t, got), c.path)
		require.Equal(t, c.root, encode(t, root), "the original is unchanged")
	}
}

func TestReferenceRefuses(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"$$.a", "$$", "$.a[0]", "a"} {
		_, err := jsonpath.ParseReference(path)
		require.Error(t, err, path)
	}
	for _, c := range []struct{ root, path string }{
		{`"text"`, "$.a"}, {`[1]`, "$.a"}, {`{"a":1}`, "$.a.b"},
	} {
		r, err := jsonpath.ParseReference(c.path)
		require.NoError(t, err)
		_, err = r.Set(decode(t, c.root), "new")
		require.Error(t, err, c.path)
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " ", "{", `{"a":1} 2`, "not", "'a'"} {
		_, err := jsonpath.Decode([]byte(text))
		require.Error(t, err, text)
	}
}
