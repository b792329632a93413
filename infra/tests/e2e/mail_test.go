package e2e

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/client"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// Whoever is away finds a letter in the mailbox, and nothing of the file in it.
func TestWhoIsNamedGetsALetter(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), longest)
	defer cancel()
	r := start(t)
	require.NoError(t, r.Do(ctx, http.MethodPatch, "/api/settings", "application/json", strings.NewReader(`{"mailDomains":["example.org"]}`), nil))
	var made client.Job
	file := "email,name\ncanary@example.org,Canary\nnobody,Canary\n"
	fields := map[string]string{"importType": "USER", "autoStart": "true", "label": "July", "notify": "ada@example.org"}
	require.NoError(t, r.Form(ctx, http.MethodPost, "/api/imports", "users.csv", []byte(file), fields, &made))

	var letters []string
	r.Await(t, "a letter", func() (found bool) {
		letters, _ = filepath.Glob(filepath.Join(r.Dir, "mailbox", "*.eml"))
		return len(letters) > 0
	})
	text, err := os.ReadFile(letters[0])
	require.NoError(t, err)
	require.Contains(t, string(text), "To: ada@example.org")
	require.Contains(t, string(text), "Subject: An import is complete, with errors: July: users.csv")
	require.NotContains(t, string(bytes.ToLower(text)), "canary")
	r.Await(t, "it is noted", func() bool {
		return stacktest.Query[int](t, r.Stack, `SELECT count(*) FROM event_mails`) == 1
	})
}
