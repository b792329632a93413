package pgtext_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/pgtext"
)

func TestValidText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"": true, "Zoë 😀": true, "\uFFFD": true, "a\x00": false, "\xff": false, "\xed\xa0\x80": false} {
		require.Equal(t, want, pgtext.ValidText(text), "%q", text)
	}
	require.Equal(t, "a\uFFFDb\uFFFD", pgtext.Sanitize("a\x00b\xff"))
}

func TestValidJSON(t *testing.T) {
	t.Parallel()
	for document, at := range map[string]string{
		`{"sheetName":"a\u0000"}`:                                 "sheetName",
		`{"a":{"b":[1,"x",{"c":"\ud800"}]}}`:                      "a.b.c",
		`{"a":1,"b":"\udc00\ud800"}`:                              "b",
		`{"a":{"b":1},"c":"` + "\xff" + `"}`:                      "c",
		`{"a":["x",2],"b":"\uD83D!"}`:                             "b",
		`["\u0000"]`:                                              "",
		`{"a` + "\x00" + `":1}`:                                   "",
		`{"a":"x\\\u0000"}`:                                       "a",
		`{"first":"\\u0000","second":"\ud83d\ude00\ude00"}`:       "second",
		`{"first":{"a":[],"b":{}},"second":"\u00e9 \u0000 \\\\"}`: "second",
	} {
		member, ok := pgtext.ValidJSON([]byte(document))
		require.False(t, ok, document)
		require.Equal(t, at, member, document)
	}
	for _, document := range []string{
		`{}`, `"\\u0000"`, `"\ud83d\ude00"`, `"\uD83D\uDE00\u00e9"`, `{"a":"\ufffd"}`, `"\\\\u0000"`, `{"a":"\"\\ud800\""}`, `nonsense`, ``,
	} {
		_, ok := pgtext.ValidJSON([]byte(document))
		require.True(t, ok, document)
	}
}

func TestSanitizeJSON(t *testing.T) {
	t.Parallel()
	in, err := json.Marshal([]string{"a\x00", `\u0000`, "\\\x00", "😀"})
	require.NoError(t, err)
	var out []string
	require.NoError(t, json.Unmarshal(pgtext.SanitizeJSON(in), &out))
	require.Equal(t, []string{"a\uFFFD", `\u0000`, "\\\uFFFD", "😀"}, out)
}
