package httpapi_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// redocSHA256 is the hash of redoc.standalone.js in npm's redoc 2.5.4.
const redocSHA256 = "dcaf76612bc4a3fbcc923a8966dee2f6146a5f32e5ce1b6f02dd60cbbf89500b"

// The page refers only to relative addresses, and its policy prevents the renderer from contacting
// other servers.
func TestReferencePageIsSelfContained(t *testing.T) {
	t.Parallel()
	b := setup(t)
	page := b.do(t, request{method: "GET", path: "/docs", anonymous: true})
	require.Equal(t, http.StatusOK, page.Code)
	require.Equal(t, "text/html; charset=utf-8", page.Header().Get("Content-Type"))
	require.Equal(t, "no-store", page.Header().Get("Cache-Control"))
	policy := page.Header().Get("Content-Security-Policy")
	require.Contains(t, policy, "default-src 'none'; script-src 'self';")
	require.NotContains(t, policy, "//", "the page loads nothing from other servers")
	references := regexp.MustCompile(`(?:src|href|spec-url)="([^"]*)"`).FindAllStringSubmatch(page.Body.String(), -1)
	require.NotEmpty(t, references)
	for _, found := range references {
		if found[1] == "data:," { // no icon
			continue
		}
		require.Contains(t, []string{"openapi.yaml", "redoc.js"}, found[1])
		require.Equal(t, http.StatusOK, b.do(t, request{method: "GET", path: "/" + found[1], anonymous: true}).Code)
	}
}

// The renderer has the published hash, both compressed and uncompressed.
func TestRendererMatchesPublishedHash(t *testing.T) {
	t.Parallel()
	b := setup(t)
	packed := b.do(t, request{method: "GET", path: "/redoc.js", anonymous: true, headers: map[string]string{"Accept-Encoding": "br, gzip"}})
	require.Equal(t, "gzip", packed.Header().Get("Content-Encoding"))
	require.Less(t, packed.Body.Len(), 1<<20)
	unpacked, err := gzip.NewReader(bytes.NewReader(packed.Body.Bytes()))
	require.NoError(t, err)
	script, err := io.ReadAll(unpacked)
	require.NoError(t, err)
	sum := sha256.Sum256(script)
	require.Equal(t, redocSHA256, hex.EncodeToString(sum[:]))
	plain := b.do(t, request{method: "GET", path: "/redoc.js", anonymous: true})
	require.Empty(t, plain.Header().Get("Content-Encoding"))
	require.Equal(t, script, plain.Body.Bytes())
	require.True(t, strings.HasPrefix(plain.Header().Get("Cache-Control"), "public"))
}
