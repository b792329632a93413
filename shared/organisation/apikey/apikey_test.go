package apikey_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/organisation/apikey"
)

func TestTokenRoundTrip(t *testing.T) {
	t.Parallel()
	for range 100 { // secrets may contain underscores
		token := apikey.NewToken(7, uuid.New())
		parsed, ok := apikey.Parse(token.Text())
		require.True(t, ok)
		require.Equal(t, token, parsed)
		require.Equal(t, token.Hash(), parsed.Hash())
		require.NotEqual(t, token.Hash(), apikey.NewToken(7, token.ID).Hash())
	}
}

func TestInvalidTokens(t *testing.T) {
	t.Parallel()
	text := apikey.NewToken(7, uuid.New()).Text()
	for _, wrong := range []string{
		"", "lbk_", "lbk___", text[4:], text[:len(text)-1], text + "A", strings.Replace(text, "lbk_7", "lbk_-7", 1), strings.Replace(text, "lbk_7", "lbk_07", 1),
		strings.Replace(text, "lbk_7", "lbk_", 1), "eyJhbGciOiJSUzI1NiJ9.e30.x", "lbk_7_" + strings.Repeat("g", 32) + text[len(text)-44:],
	} {
		_, ok := apikey.Parse(wrong)
		require.False(t, ok, fmt.Sprintf("%q", wrong))
	}
}

func FuzzParse(f *testing.F) {
	f.Add("lbk_7_0193b2a46f1e7c3a9d531c2b3a4d5e6f_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
	f.Fuzz(func(t *testing.T, text string) {
		if token, ok := apikey.Parse(text); ok && !strings.EqualFold(token.Text(), text) {
			t.Errorf("%q became %q", text, token.Text())
		}
	})
}
