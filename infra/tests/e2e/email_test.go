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

	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// E-mails go to the import's own recipients and to those of the profile with which it is read;
// they contain nothing of the file.
func TestRecipientsGetEmail(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), maxWait)
	defer cancel()
	r := start(t)
	require.NoError(t, r.Do(ctx, http.MethodPatch, "/api/settings", "application/json", strings.NewReader(`{"mailDomains":["example.org"]}`), nil))
	require.NoError(t, r.Operator(t).Do(ctx, http.MethodPut, "/api/admin/organisations/1/mail-domains", "application/json", strings.NewReader(`{"mailDomains":["example.org"]}`), nil))
	profile := `{"name":"Shop","importType":"USER","mapping":{},"notify":["ben@example.org"]}`
	require.NoError(t, r.Do(ctx, http.MethodPost, "/api/profiles", "application/json", strings.NewReader(profile), nil))
	var made rawclient.Job
	file := "email,name\ncanary@example.org,Canary\nnobody,Canary\n"
	fields := map[string]string{"importType": "USER", "autoStart": "true", "label": "July", "notify": "ada@example.org", "profile": "Shop"}
	require.NoError(t, r.PostForm(ctx, http.MethodPost, "/api/imports", "users.csv", []byte(file), fields, &made))

	var letters []string
	r.Await(t, "two e-mails are written", func() (found bool) {
		letters, _ = filepath.Glob(filepath.Join(r.Dir, "mailbox", "*.eml"))
		return len(letters) == 2
	})
	var text []byte
	for _, letter := range letters {
		one, err := os.ReadFile(letter)
		require.NoError(t, err)
		text = append(text, one...)
	}
	for _, to := range []string{"To: ada@example.org", "To: ben@example.org"} {
		require.Contains(t, string(text), to)
	}
	require.Contains(t, string(text), "Subject: An import was completed with errors: July: users.csv")
	require.NotContains(t, string(bytes.ToLower(text)), "canary")
	r.Await(t, "both e-mails are recorded", func() bool {
		return stacktest.Query[int](t, r.Stack, `SELECT count(*) FROM event_mails`) == 2
	})
}
