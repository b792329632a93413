package s3

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

// The sender of a file chooses its key, which can contain a name.
func TestLogDoesNotContainKeys(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	g := &Gateway{config: Config{Logger: slog.New(slog.NewTextHandler(&log, nil))}}
	for path, logged := range map[string]string{
		"/files/drop/1/USER/-/Ada Lovelace.csv": "path=/files/drop/…",
		"/files/Ada Lovelace.csv":               "path=/files/…",
		"/files":                                "path=/files/…",
	} {
		log.Reset()
		g.respondError(httptest.NewRecorder(), &http.Request{Method: http.MethodPut, URL: &url.URL{Path: path}}, errRetry)
		require.Contains(t, log.String(), logged)
		require.NotContains(t, log.String(), "Lovelace")
	}
}
