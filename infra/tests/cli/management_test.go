package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/creack/pty"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// testExports reads the status of an export and downloads its file again.
func (s *shell) testExports(t *testing.T) {
	require.Contains(t, s.mustRun(t, "export", "PERIOD"), "2026", "a type has two names")
	require.Equal(t, 1, s.run(t, "", "export", "nothing").code)
	s.mustRun(t, "export", "periods", "--force", "-o", "periods.csv")
	id := strings.TrimSpace(s.mustRun(t, "exports", "list", "--type", "period", "--limit", "1", "--jq", ".[0].identifier"))
	require.Regexp(t, `^`+id+`\tPERIOD\tcsv\tcompleted\t\d+\t`, s.mustRun(t, "exports", "list", "--limit", "1", "--status", "completed"))
	require.Contains(t, s.mustRun(t, "exports", "show", id), "state\tcompleted\n")
	require.Contains(t, s.mustRun(t, "__complete", "exports", "show", ""), id+"\tPERIOD as csv, completed\n")
	again := s.mustRun(t, "exports", "download", id)
	first, err := os.ReadFile(filepath.Join(s.dir, "periods.csv"))
	require.NoError(t, err)
	require.Equal(t, string(first), again)
	e := s.run(t, "", "exports", "cancel", id)
	require.Equal(t, 1, e.code, "the export has already ended")
	require.Contains(t, e.err, id)
}

// testProfiles saves a mapping as a profile, changes it, and restores the earlier version.
func (s *shell) testProfiles(t *testing.T) {
	s.writeFile(t, "mapping.json", `{"fields": [{"field": "EMAIL", "from": ["Mél"]}, {"field": "NAME", "from": ["Nom"]}]}`)
	require.Equal(t, 2, s.run(t, "", "profiles", "create", "Shop").code)
	s.mustRun(t, "profiles", "create", "Shop", "--type", "USER", "--mapping", "mapping.json", "--header", "Mél", "--header", "Nom")
	require.Regexp(t, `\tUSER\tShop\t1\t-\t`, s.mustRun(t, "profiles", "list", "--type", "user"))
	require.Contains(t, s.mustRun(t, "profiles", "show", "shop"), "headers\tMél, Nom\n")
	require.Contains(t, s.mustRun(t, "__complete", "profiles", "show", ""), "Shop\tUSER\n")

	s.writeFile(t, "shop.csv", "Mél,Nom\nnan@example.org,Nan\n")
	require.Contains(t, s.mustRun(t, "import", "shop.csv", "--type", "USER", "--profile", "Shop", "--yes"), "completed\t1\t")
	require.Contains(t, s.mustRun(t, "profiles", "imports", "Shop"), "\tUSER\tshop.csv\t")

	s.mustRun(t, "profiles", "change", "Shop", "--name", "The shop", "--auto")
	require.Equal(t, 1, s.run(t, "", "profiles", "show", "Shop").code)
	require.Contains(t, s.mustRun(t, "profiles", "show", "The shop"), "auto\tyes\n")
	require.Equal(t, 2, strings.Count(s.mustRun(t, "profiles", "versions", "The shop"), "\n"))
	var mapping struct{ Fields []struct{ Field string } }
	require.NoError(t, json.Unmarshal([]byte(s.mustRun(t, "profiles", "show", "The shop", "--version", "1", "--mapping")), &mapping))
	require.Equal(t, "EMAIL", mapping.Fields[0].Field)
	require.Contains(t, s.mustRun(t, "profiles", "restore", "The shop", "1"), "version\t3\n")
	require.Equal(t, 2, s.run(t, "", "profiles", "delete", "The shop").code, "no confirmation prompt in a pipe")
	asked := s.startTerminal(t, "profiles", "delete", "The shop")
	asked.awaitText(t, "Delete the profile")
	asked.press(t, "n")
	require.Equal(t, 1, asked.wait(t), asked.text())
	s.mustRun(t, "profiles", "delete", "The shop", "--yes")
	require.NotContains(t, s.mustRun(t, "profiles", "list"), "shop")
}

// testWebhooks registers a URL that rejects what it is sent.
func (s *shell) testWebhooks(t *testing.T) {
	require.Equal(t, 1, s.run(t, "", "webhooks", "show").code)
	require.Equal(t, 1, s.run(t, "", "webhooks", "set", "http://127.0.0.1/").code, "the address is not public")
	require.Contains(t, s.mustRun(t, "webhooks", "set", "https://hooks.invalid/loadbay"), "secret\twhsec_")
	require.NotContains(t, s.mustRun(t, "webhooks", "show"), "whsec_")
	require.Contains(t, s.mustRun(t, "webhooks", "rotate-secret"), "secret\twhsec_")
	event, _, _ := strings.Cut(s.mustRun(t, "webhooks", "test"), "\t")
	require.Contains(t, s.mustRun(t, "webhooks", "deliveries"), event+"\twebhook.test\t")
	require.Contains(t, []int{0, 1}, s.run(t, "", "webhooks", "redeliver", event).code, "redelivery succeeds only after the delivery was given up")
	require.Equal(t, 2, s.run(t, "", "webhooks", "redeliver", "x").code)
	s.mustRun(t, "webhooks", "delete", "--yes")
	require.Equal(t, 1, s.run(t, "", "webhooks", "show").code)
}

// testListen forwards the messages about an import to a server on this machine, without a webhook,
// until Ctrl-C.
func (s *shell) testListen(t *testing.T) {
	secret, received := client.NewWebhookSecret(), make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = client.VerifyWebhook(secret, r.Header, body)
		}
		if err != nil || r.URL.Path != "/hooks" {
			body = fmt.Append(nil, r.URL.Path, err)
		}
		received <- string(body)
		w.WriteHeader(http.StatusAccepted)
	}))
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	for _, width := range []uint16{60, 200} {
		c := s.command(t, "listen", "--forward-to", port+"/hooks", "--secret", secret)
		c.Env = append(c.Env, "TERM=xterm-256color")
		term := startPTY(t, c, pty.Winsize{Rows: 40, Cols: width})
		term.awaitText(t, "Waiting for messages.")
		s.writeFile(t, "listen.csv", fmt.Sprintf("email,name\nlis%d@example.org,Lis\n", width))
		id, _, _ := strings.Cut(s.mustRun(t, "import", "listen.csv", "--type", "USER", "--yes"), "\t")
		term.awaitText(t, "202 Accepted")
		require.Contains(t, <-received, `"jobId":"`+id+`"`)
		require.NoError(t, term.command.Process.Signal(os.Interrupt))
		require.Zero(t, term.wait(t), term.text())
		require.Contains(t, term.text(), "import.completed  ")
		for line := range strings.Lines(term.text()) {
			require.LessOrEqual(t, len([]rune(strings.TrimSpace(line))), int(width), line)
		}
		require.Empty(t, received, "each message is sent once")
	}
	for _, to := range []string{"https://example.org/hooks", "10.0.0.1:80", "ftp://localhost/"} {
		require.Equal(t, 2, s.run(t, "", "listen", "--forward-to", to).code, to)
	}
	require.Equal(t, 2, s.run(t, "", "listen", "--secret", "whsec_%").code)
}

// testKeys creates an API key, uses it instead of a token, rotates and revokes it.
func (s *shell) testKeys(t *testing.T) {
	require.Equal(t, 2, s.run(t, "", "keys", "create", "nightly").code, "no scope")
	key := strings.TrimSpace(s.mustRun(t, "keys", "create", "nightly", "--scope", "imports:read,imports:write", "--jq", ".key"))
	program := *s
	program.env = append(slices.Clone(s.env), "LOADBAY_URL=http://"+s.stack.API, "LOADBAY_TOKEN="+key)
	require.Contains(t, program.mustRun(t, "whoami"), "key:nightly\t")
	s.writeFile(t, "keys.csv", "email,name\nkay@example.org,Kay\n")
	require.Contains(t, program.mustRun(t, "import", "keys.csv", "--type", "USER", "--yes"), "completed\t1\t")
	require.Contains(t, s.mustRun(t, "imports", "list", "--person", "key:nightly"), "keys.csv")
	e := program.run(t, "", "settings", "set", "undoDays=3")
	require.Equal(t, 1, e.code)
	require.Contains(t, e.err, "settings:write")

	id := strings.TrimSpace(s.mustRun(t, "keys", "list", "--jq", ".[0].id"))
	require.Contains(t, s.mustRun(t, "__complete", "keys", "rotate", ""), id+"\tnightly\n")
	require.Contains(t, s.mustRun(t, "__complete", "keys", "create", "x", "--scope", ""), "imports:write\n")
	require.Contains(t, s.mustRun(t, "keys", "rotate", id), "key\tlbk_1_")
	program.mustRun(t, "whoami")
	require.Equal(t, 2, s.run(t, "", "keys", "revoke", id).code, "no confirmation prompt in a pipe")
	s.mustRun(t, "keys", "revoke", id, "--yes")
	require.Equal(t, 1, program.run(t, "", "whoami").code)
	require.NotContains(t, s.mustRun(t, "keys", "list"), "nightly")
	require.Contains(t, s.mustRun(t, "keys", "list", "--all"), id+"\tnightly\trevoked\t")
}

// testOrganisation exports the organisation, and requests and withdraws its deletion.
func (s *shell) testOrganisation(t *testing.T) {
	id := strings.TrimSpace(s.mustRun(t, "organisation", "export", "--jq", ".identifier"))
	require.Contains(t, s.mustRun(t, "exports", "show", id), "format\tzip\n")
	require.Equal(t, 1, s.run(t, "", "organisation", "deletion").code, "none is requested")
	requested := s.mustRun(t, "organisation", "delete")
	require.Contains(t, requested, "state\trequested\n")
	require.Equal(t, requested, s.mustRun(t, "organisation", "deletion"))
	wrong := s.run(t, "", "organisation", "confirm", "Another name")
	require.Equal(t, 1, wrong.code)
	require.Contains(t, wrong.err, "not the name of the organisation")
	require.Equal(t, 2, s.run(t, "", "organisation", "confirm").code)
	s.mustRun(t, "organisation", "withdraw")
	require.Equal(t, 1, s.run(t, "", "organisation", "deletion").code)
}

// testSettings changes import defaults and clears them.
func (s *shell) testSettings(t *testing.T) {
	require.Contains(t, s.mustRun(t, "settings", "set", "dateOrder=mdy", "undoDays=9", `mailDomains=["example.org"]`), "dateOrder\tmdy\n")
	require.Equal(t, "mdy 9 [\"example.org\"]\n", s.mustRun(t, "settings", "--jq", `"\(.dateOrder) \(.undoDays) \(.mailDomains)"`))
	require.Contains(t, s.mustRun(t, "settings"), "unconfirmedMailDomains\t[\"example.org\"]\n")
	require.Contains(t, s.mustRun(t, "settings", "set", "dateOrder=", "undoDays=", "mailDomains=[]"), "dateOrder\t-\n")
	require.Equal(t, 1, s.run(t, "", "settings", "set", "dateOrder=sideways").code)
	require.Equal(t, 2, s.run(t, "", "settings", "set", "dateOrder").code)
	require.Regexp(t, `(?m)^openImports\t\d+\t\d+$`, s.mustRun(t, "settings", "quotas"))
}

// testQuarantine returns a quarantined file to the drop folder, and deletes another.
func (s *shell) testQuarantine(t *testing.T) {
	for _, name := range []string{"back.csv", "gone.csv"} {
		s.dropFile(t, "drop/1/NONSENSE/-/"+name)
	}
	list := func() string { return s.mustRun(t, "quarantine", "list") }
	require.Eventually(t, func() bool { return strings.Contains(list(), "/back.csv") && strings.Contains(list(), "/gone.csv") }, maxWait, pollInterval)
	id := func(name string) string {
		return strings.TrimSpace(s.mustRun(t, "quarantine", "list", "--jq", `.[] | select(.filename == "`+name+`").id`))
	}
	require.Contains(t, list(), "\tdrop/1/NONSENSE/-/gone.csv\t")
	require.Equal(t, 2, s.run(t, "", "quarantine", "delete", id("gone.csv")).code)
	s.mustRun(t, "quarantine", "delete", id("gone.csv"), "--yes")
	require.NotContains(t, list(), "gone.csv")
	s.mustRun(t, "quarantine", "retry", id("back.csv"))
	require.Equal(t, 1, s.run(t, "", "quarantine", "delete", "01a1f9e7-1bde-7bf8-ac8c-500f93581dd4", "--yes").code)
}

// dropFile stores a file in the bucket.
func (s *shell) dropFile(t *testing.T, key string) {
	t.Helper()
	store := s3.NewFromConfig(s.stack.AWSConfig(), func(o *s3.Options) { o.UsePathStyle = true })
	_, err := store.PutObject(t.Context(), &s3.PutObjectInput{Bucket: &stacktest.Blueprint().Bucket.Name, Key: &key, Body: strings.NewReader("email\nx@example.org\n")})
	require.NoError(t, err)
}

// testOperator creates, as the operator, an organisation and the entities to which its files
// refer.
func (s *shell) testOperator(t *testing.T) {
	require.Equal(t, 1, s.run(t, "", "admin", "organisations", "list").code, "the token lacks the operator scope")
	token, err := rawclient.LocalOperatorToken(t.Context(), "http://"+s.stack.API)
	require.NoError(t, err)
	operator := *s
	operator.env = append(append([]string{}, s.env...), "LOADBAY_TOKEN="+token, "LOADBAY_URL=http://"+s.stack.API)
	admin := func(args ...string) string {
		return operator.mustRun(t, append([]string{"admin", "organisations"}, args...)...)
	}
	require.Contains(t, admin("list"), "1\tHarbour Athletics\tyes\t")
	id := strings.TrimSpace(admin("create", "Valley Swimmers", "--jq", ".id"))
	require.Contains(t, admin("rename", id, "Valley Club"), "name\tValley Club\n")
	require.Contains(t, admin("quotas", id, "openImports=5"), "openImports\t5\n")
	require.Contains(t, admin("quotas", id), "openImports\t-\n")
	require.Contains(t, admin("mail-domains", id, "example.org", "example.com"), "mailDomains\texample.com, example.org\n")
	require.Contains(t, admin("mail-domains", id), "mailDomains\t-\n")
	require.Contains(t, admin("deactivate", id), "active\t-\n")
	require.Contains(t, admin("activate", id), "active\tyes\n")
	period, _, _ := strings.Cut(admin("periods", "create", id, "2028", "--starts-on", "2028-01-01", "--ends-on", "2028-12-31"), "\t")
	require.Equal(t, period+"\t2028\t2028-01-01\t2028-12-31\n", admin("periods", "list", id))
	require.Contains(t, admin("periods", "update", id, period, "Year 2028", "--starts-on", "2028-02-01", "--ends-on", "2028-12-31"), "\tYear 2028\t2028-02-01\t")
	event, _, _ := strings.Cut(admin("events", "create", id, "Lake race"), "\t")
	require.Contains(t, admin("categories", "create", id, event, "Women"), "\tWomen\n")
	require.Contains(t, admin("categories", "list", id, event), "\tWomen\n")
	require.Contains(t, admin("membership-types", "create", id, "Senior"), "\tSenior\n")
	require.Equal(t, 1, operator.run(t, "", "admin", "organisations", "periods", "create", id, "2029").code)

	s.writeFile(t, "erased.csv", "First name,Last name,Email,Membership type\nIda,Ivy,ida@example.org,Masters\n")
	s.run(t, "", "import", "erased.csv", "--type", "MEMBERSHIP", "--context-id", "1", "--yes")
	require.Equal(t, 2, operator.run(t, "", "admin", "organisations", "erase", "1", "ida@example.org").code)
	require.Regexp(t, `^\d+\t\d+\n$`, admin("erase", "1", "ida@example.org", "--yes"))
	require.NotContains(t, s.mustRun(t, "export", "memberships", "-o", "-"), "ida@example.org")
}
