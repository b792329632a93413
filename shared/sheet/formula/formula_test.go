package formula_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/sheet/formula"
)

func TestGuard(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                              "",
		"plain, = text":                 "plain, = text",
		"=1":                            "'=1",
		"'=1":                           "''=1",
		"x;=cmd|' /C calc'!A0;y":        "x;'=cmd|' /C calc'!A0;y",
		"a\n- item\n+2":                 "a\n'- item\n'+2",
		"a\r\n@b":                       "a\r\n'@b",
		"a|-b":                          "a|'-b",
		"\t=a":                          "'\t'=a",
		"＝a":                            "'＝a",
		"x;＠y":                          "x;'＠y",
		"O'Neil; 'quoted' and -negated": "O'Neil; 'quoted' and -negated",
	} {
		guarded := formula.Guard(nil, []byte(text))
		require.Equal(t, want, string(guarded), "%q", text)
		require.Equal(t, text, string(formula.Strip(guarded)), "%q", text)
	}
}

func TestStripKeepsOtherApostrophes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"'+27 82": "+27 82", "'": "'", "'a": "'a", "it's; 'fine'": "it's; 'fine'", "''": "''"} {
		require.Equal(t, want, string(formula.Strip([]byte(text))), "%q", text)
	}
}

func FuzzStripRestoresText(f *testing.F) {
	f.Add("a;'=b\n''-c|＝")
	f.Fuzz(func(t *testing.T, text string) {
		before := []byte(text)
		require.Equal(t, text, string(formula.Strip(formula.Guard(nil, before))))
		require.Equal(t, text, string(before), "the text is not changed")
	})
}
