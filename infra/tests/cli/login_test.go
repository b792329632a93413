package cli

import (
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/stacktest"
	"github.com/loadbay/loadbay/shared/runtime/signin"
)

// addressPattern matches the sign-in URL.
var addressPattern = regexp.MustCompile(`http://\S+/authorize\?\S+`)

// codePagePattern matches the URL at which a person confirms a code.
var codePagePattern = regexp.MustCompile(`http://\S+/device\?user_code=\S+`)

// signIn acts as a person in a browser and returns the last page.
func signIn(t *testing.T, to string, form url.Values) string {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	browser := &http.Client{Jar: jar}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, to, strings.NewReader(form.Encode()))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	answer, err := browser.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return string(page)
}

// login runs `loadbay login` in a terminal, with a simulated person at the browser.
func (s *shell) login(t *testing.T, form url.Values) *terminal {
	t.Helper()
	term := s.startTerminal(t, "login", "--no-browser")
	term.awaitText(t, "authorize?")
	term.awaitText(t, "state=")
	require.Eventually(t, func() bool { return addressPattern.MatchString(term.text()) }, maxWait, pollInterval)
	require.Contains(t, signIn(t, addressPattern.FindString(term.text()), form), "You are signed in")
	return term
}

// TestLoginInBrowser signs in on a stack that requires a token. The callback ports are fixed:
// one of them is in use, and the next one serves the callback.
func TestLoginInBrowser(t *testing.T) {
	stack := stacktest.Start(t, "LOCAL_AUTH=required", "AUTH_ORGANISATION_CLAIM=org", "AUTH_SCOPE_CLAIM=permissions")
	s := newShell(t, stack)
	s.mustRun(t, "context", "add", "local", "http://"+stack.API)
	e := s.run(t, "", "whoami")
	require.Equal(t, 1, e.code)
	require.Contains(t, e.err, "401")

	taken, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", "49210"))
	if err == nil {
		t.Cleanup(func() { _ = taken.Close() })
	}
	require.Equal(t, 49210, signin.CommandPorts()[0])
	term := s.login(t, url.Values{"name": {"ada"}, "organisation": {"2"}, "seconds": {"31"}})
	require.Zero(t, term.wait(t), term.text())
	require.Contains(t, term.text(), "Signed in as ada for")
	require.Contains(t, strings.Join(strings.Fields(term.text()), " "), "readable only by you", "without a keyring the token is stored in a file")
	require.NotContains(t, addressPattern.FindString(term.text()), "redirect_uri=http%3A%2F%2F127.0.0.1%3A49210")

	kept := filepath.Join(s.dir, "tokens", "local")
	info, err := os.Stat(kept)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.Equal(t, "ada\t2\n", s.mustRun(t, "whoami", "--jq", `"\(.subject)\t\(.organisationId)"`))

	t.Run("expiring token is refreshed", func(t *testing.T) {
		before, err := os.ReadFile(kept)
		require.NoError(t, err)
		require.Eventually(t, func() bool {
			s.mustRun(t, "whoami")
			after, err := os.ReadFile(kept)
			require.NoError(t, err)
			return string(after) != string(before)
		}, maxWait, pollInterval)
	})
	t.Run("LOADBAY_TOKEN overrides the stored token", func(t *testing.T) {
		other := *s
		other.env = append(append([]string{}, s.env...), "LOADBAY_TOKEN=not.a.token")
		require.Equal(t, 1, other.run(t, "", "whoami").code)
	})
	t.Run("refresh token is revoked", func(t *testing.T) {
		text, err := os.ReadFile(kept)
		require.NoError(t, err)
		spent := regexp.MustCompile(`"refresh_token":"[^"]*"`).ReplaceAllString(string(text), `"refresh_token":"spent"`)
		spent = regexp.MustCompile(`"expiry":"[^"]*"`).ReplaceAllString(spent, `"expiry":"2020-01-01T00:00:00Z"`)
		require.NoError(t, os.WriteFile(kept, []byte(spent), 0o600))
		e := s.run(t, "", "whoami")
		require.Equal(t, 1, e.code)
		require.Contains(t, e.err, "loadbay login")
	})
	s.mustRun(t, "logout")
	require.NoFileExists(t, kept)
}

func TestLoginReportsIssuerRefusal(t *testing.T) {
	stack := stacktest.Start(t, "LOCAL_AUTH=required", "AUTH_SCOPES=imports:read")
	s := newShell(t, stack)
	require.Equal(t, 2, s.run(t, "", "login").code)
	s.mustRun(t, "context", "add", "local", "http://"+stack.API)
	term := s.startTerminal(t, "login", "--no-browser")
	require.Eventually(t, func() bool { return addressPattern.MatchString(term.text()) }, maxWait, pollInterval)
	require.Contains(t, signIn(t, addressPattern.FindString(term.text()), url.Values{}), "Sign-in failed.")
	require.Equal(t, 1, term.wait(t))
	require.Contains(t, term.text(), "invalid_scope")
	require.NoFileExists(t, filepath.Join(s.dir, "tokens", "local"))
}

// TestLoginWithDeviceCode signs in on a machine without a browser; another one confirms.
func TestLoginWithDeviceCode(t *testing.T) {
	stack := stacktest.Start(t, "LOCAL_AUTH=required")
	s := newShell(t, stack)
	s.env = withoutVariables(s.env, "DISPLAY", "WAYLAND_DISPLAY")
	s.mustRun(t, "context", "add", "local", "http://"+stack.API)
	require.Equal(t, 2, s.run(t, "", "login", "--device", "--no-browser").code)

	shown := func(args ...string) (*terminal, url.Values, string) {
		term := s.startTerminal(t, args...)
		term.awaitText(t, "before you confirm")
		page := codePagePattern.FindString(term.text())
		to, err := url.Parse(page)
		require.NoError(t, err, term.text())
		code := to.Query().Get("user_code")
		require.Contains(t, term.text(), "shows the code "+code)
		return term, url.Values{"name": {"ada"}, "organisation": {"2"}, "user_code": {code}}, page
	}
	term, form, page := shown("login", "--device")
	form.Set("answer", "refuse")
	require.Contains(t, signIn(t, page, form), "not signed in")
	require.Equal(t, 1, term.wait(t))
	require.Contains(t, term.text(), "rejected in the browser")
	require.NoFileExists(t, filepath.Join(s.dir, "tokens", "local"))

	term, form, page = shown("login")
	require.Contains(t, signIn(t, page, form), "The terminal is signed in")
	require.Zero(t, term.wait(t), term.text())
	require.Contains(t, term.text(), "Signed in as ada for")
	require.Equal(t, "ada\t2\n", s.mustRun(t, "whoami", "--jq", `"\(.subject)\t\(.organisationId)"`))
}
