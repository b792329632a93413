package canary

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A needle is found in every form in which it may occur, also after bytes that are not text:
// the file of a stopped stack is full of them.
func TestFindNeedles(t *testing.T) {
	t.Parallel()
	const n = "cvabcdefghij"
	binary := strings.Repeat("\xff\x00İ", 500)
	for name, text := range map[string]string{
		"unchanged":  binary + n + binary,
		"upper case": binary + strings.ToUpper(n),
		"base64":     binary + base64.StdEncoding.EncodeToString([]byte("some"+n+"thing")) + binary,
	} {
		found := findNeedles("there", []byte(text), []string{"cvzyxwvutsrq", n})
		require.Len(t, found, 1, name)
		require.Equal(t, n, found[0].needle, name)
		require.Equal(t, "there", found[0].place, name)
	}
	require.Empty(t, findNeedles("there", []byte(binary), []string{n}))
}
