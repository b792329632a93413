package cli

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// testFiles imports several files and pipes.
func (s *shell) testFiles(t *testing.T) {
	const n = 12
	args := []string{"import", "--type", "USER", "--mode", "upsert", "--yes"}
	for i := range n {
		name := fmt.Sprintf("part%02d.csv", i)
		s.writeFile(t, name, fmt.Sprintf("email,name\npart%d@example.org,P\n", i))
		args = append(args, name)
	}
	t.Run("output in the order of the arguments", func(t *testing.T) {
		var names []string
		for line := range strings.SplitSeq(strings.TrimSpace(s.mustRun(t, args...)), "\n") {
			fields := strings.Split(line, "\t")
			names = append(names, fields[len(fields)-1])
		}
		require.Equal(t, args[len(args)-n:], names)
	})
	t.Run("JSON is one array with names", func(t *testing.T) {
		e := s.run(t, "", append(args, "missing.csv", "--json", "unchangedCount")...)
		require.Equal(t, 1, e.code, e.err)
		require.Contains(t, e.err, "missing.csv: no such file or directory")
		var found []struct {
			File           string
			UnchangedCount int
		}
		require.NoError(t, json.Unmarshal([]byte(e.out), &found), e.out)
		require.Len(t, found, n+1)
		require.Equal(t, "part11.csv", found[n-1].File)
		require.Equal(t, 1, found[n-1].UnchangedCount)
		require.Equal(t, "missing.csv", found[n].File)
	})
	t.Run("JSON lines", func(t *testing.T) {
		require.Len(t, strings.Split(strings.TrimSpace(s.mustRun(t, append(args, "--jsonl")...)), "\n"), n)
	})
	t.Run("questions carry the names", func(t *testing.T) {
		s.writeFile(t, "asks1.csv", zzzCSV("one"))
		s.writeFile(t, "asks2.csv", zzzCSV("two"))
		e := s.run(t, "", "import", "asks1.csv", "asks2.csv", "--type", "USER", "--json", "all")
		require.Equal(t, 3, e.code, e.err)
		var found []struct{ File, Identifier, WaitingFor string }
		require.NoError(t, json.Unmarshal([]byte(e.out), &found), e.out)
		require.Equal(t, "asks2.csv", found[1].File)
		require.Equal(t, "COLUMN_MAPPINGS", found[1].WaitingFor)
		s.mustRun(t, "imports", "cancel", found[0].Identifier, found[1].Identifier)
	})
	t.Run("pipes", func(t *testing.T) {
		c := s.command(t)
		c.Path, c.Args = "/bin/bash", []string{"bash", "-c", `mkfifo fifo.csv; printf 'email,name\nfifo@example.org,F\n' > fifo.csv &
"$0" import fifo.csv <(printf 'email,name\npipe@example.org,F\n') --type USER --yes --parallel 1`, s.command(t).Path}
		output, err := c.CombinedOutput()
		require.NoError(t, err, "%s", output)
		require.Equal(t, 2, strings.Count(string(output), "completed\t1\t"), "%s", output)
	})
	require.Equal(t, 2, s.run(t, "", append(args, "--parallel", "-1")...).code)
	require.NoError(t, os.Mkdir(filepath.Join(s.dir, "folder"), 0o700))
	require.Contains(t, s.run(t, "", "import", "folder", "--type", "USER").err, "folder is a folder")
}

// testAutomation checks what scripts rely on.
func (s *shell) testAutomation(t *testing.T) {
	t.Run("unknown commands", func(t *testing.T) {
		for line, want := range map[string]string{
			"imports cancl x": "did you mean cancel?", "imprt": "did you mean import", "webhooks bogus": "webhooks --help", "context bogus": "context --help",
		} {
			e := s.run(t, "", strings.Fields(line)...)
			require.Equal(t, 2, e.code, line)
			require.Contains(t, e.err, want)
		}
	})
	t.Run("names of types", func(t *testing.T) {
		s.writeFile(t, "types.csv", "email,name\ntypes@example.org,T\n")
		e := s.run(t, "", "import", "types.csv")
		require.Equal(t, 2, e.code)
		require.Contains(t, e.err, "types.csv looks like --type USER (2 of 2 columns match)")
		require.Zero(t, s.run(t, "", "import", "types.csv", "--type", "users", "--mode", "upsert", "--yes").code)
		for name, want := range map[string]string{
			"usrs": "did you mean USER?", "shop.products": "no type imports into the table shop.products", "BOATS": `Unknown import type "BOATS"`,
		} {
			e := s.run(t, "", "import", "types.csv", "--type", name, "--yes")
			require.Equal(t, 1, e.code, name)
			require.Contains(t, e.err, want)
		}
	})
	t.Run("quiet", func(t *testing.T) {
		s.writeFile(t, "quiet.csv", "email,name,shoe\nquiet@example.org,Q,42\n")
		args := []string{"import", "quiet.csv", "--type", "USER", "--mode", "upsert", "--yes"}
		require.Contains(t, s.run(t, "", args...).err, "Note: ")
		require.Empty(t, s.run(t, "", append(args, "--quiet")...).err)
		require.Contains(t, s.run(t, "", append(args, "--verbose")...).err, ": completed\n")
	})
	t.Run("requests are logged without values", func(t *testing.T) {
		e := s.run(t, "", "history", "USER", "quiet@example.org", "--by", "EMAIL", "--debug", "--log-file", "requests.log")
		require.Zero(t, e.code, e.err)
		log, err := os.ReadFile(filepath.Join(s.dir, "requests.log"))
		require.NoError(t, err)
		for _, text := range []string{e.err, string(log)} {
			require.Regexp(t, `GET \S+/api/entities/USER/…/history 200 request [0-9a-f-]{36} \(\d+ ms\)`, text)
			require.NotContains(t, text, "quiet@")
		}
	})
	t.Run("a silent server", func(t *testing.T) {
		silent, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", "0"))
		require.NoError(t, err)
		t.Cleanup(func() { _ = silent.Close() })
		start := time.Now()
		e := s.run(t, "", "imports", "list", "--url", "http://"+silent.Addr().String(), "--timeout", "200ms")
		require.Equal(t, 1, e.code)
		require.Contains(t, e.err, "--timeout")
		require.Less(t, time.Since(start), 20*time.Second)
	})
	t.Run("request ID", func(t *testing.T) {
		e := s.run(t, "", "imports", "show", "01a1f9e7-1bde-7bf8-ac8c-500f93581dd4")
		require.Equal(t, 1, e.code)
		require.Regexp(t, `Request ID: [0-9a-f-]{36}`, e.err)
	})
	t.Run("plan without changes", func(t *testing.T) {
		e := s.run(t, "", "plan", "quiet.csv", "--type", "USER", "--mode", "upsert", "--yes")
		require.Zero(t, e.code, e.err)
		require.Contains(t, e.err, "Nothing would change.")
		id, _, _ := strings.Cut(e.out, "\t")
		require.Equal(t, "CANCELLED\n", s.mustRun(t, "imports", "show", id, "--jq", ".status"))
	})
	t.Run("--yes never asks", func(t *testing.T) {
		s.writeFile(t, "never.csv", "email,name\nnever@example.org,N\n")
		term := s.startTerminal(t, "import", "never.csv", "--type", "USER", "--plan", "--yes")
		require.Equal(t, 3, term.wait(t), term.text())
		require.NotContains(t, term.text(), "Apply these changes?")
	})
	t.Run("version", func(t *testing.T) {
		require.Regexp(t, `^\S+\t\S+\n$`, s.mustRun(t, "version"))
		require.Zero(t, s.run(t, "", "version", "--url", "http://127.0.0.1:1").code, "the version of the program is known")
	})
	t.Run("any request", func(t *testing.T) {
		require.Equal(t, "1\n", s.mustRun(t, "api", "/api/me", "--jq", ".organisationId"))
		require.Equal(t, "60\n", s.mustRun(t, "api", "/api/settings", "-X", "PATCH", "--field", "undoDays=60", "--jq", ".undoDays"))
		s.mustRun(t, "api", "/api/settings", "-X", "PATCH", "--field", "undoDays=null")
		require.Equal(t, 2, s.run(t, "", "api", "https://other.example.org/api/me").code)
		e := s.run(t, "", "api", "/api/nothing")
		require.Equal(t, 1, e.code)
		require.Contains(t, e.out, "NOT_FOUND")
	})
	t.Run("former names", func(t *testing.T) {
		require.Contains(t, s.mustRun(t, "installation", "list"), "local")
		require.Contains(t, s.mustRun(t, "context", "list", "--context", "local"), "local")
		require.NotContains(t, s.run(t, "", "--help").out, "context ")
	})
}
