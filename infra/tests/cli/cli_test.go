package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// shell runs the command line as a script does, with settings of its own.
type shell struct {
	stack *stacktest.Stack
	dir   string // of its files
	env   []string
}

func open(t *testing.T, stack *stacktest.Stack) *shell {
	t.Helper()
	dir := t.TempDir()
	return &shell{stack: stack, dir: dir, env: append(without(os.Environ(), "CI", "LOADBAY_URL", "LOADBAY_TOKEN"),
		"LOADBAY_CONFIG="+filepath.Join(dir, "settings.json"), "DBUS_SESSION_BUS_ADDRESS=/nowhere", "NO_COLOR=1")}
}

func without(env []string, names ...string) []string {
	var kept []string
	for _, entry := range env {
		name, _, _ := strings.Cut(entry, "=")
		drop := false
		for _, n := range names {
			drop = drop || n == name
		}
		if !drop {
			kept = append(kept, entry)
		}
	}
	return kept
}

// ended is how a command ended, and what it said.
type ended struct {
	code     int
	out, err string
}

func (s *shell) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path := filepath.Join(stacktest.Root(t), "bin", "loadbay")
	require.FileExists(t, path, "run `make build` first")
	c := exec.CommandContext(t.Context(), path, args...)
	c.Dir, c.Env = s.dir, s.env
	return c
}

// run runs a command in a pipe.
func (s *shell) run(t *testing.T, in string, args ...string) ended {
	t.Helper()
	c := s.command(t, args...)
	var out, err bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(in), &out, &err
	failed := c.Run()
	var exit *exec.ExitError
	if failed != nil {
		require.True(t, errors.As(failed, &exit), failed)
	}
	return ended{code: c.ProcessState.ExitCode(), out: out.String(), err: err.String()}
}

// must runs a command that is to succeed and returns what it found.
func (s *shell) must(t *testing.T, args ...string) string {
	t.Helper()
	e := s.run(t, "", args...)
	require.Zero(t, e.code, "%v: %s", args, e.err)
	return e.out
}

func (s *shell) file(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600))
}

// TestTheCommandLine tries every command on one stack, in the order of a person's work.
func TestTheCommandLine(t *testing.T) {
	t.Parallel()
	stack := stacktest.Start(t)
	s := open(t, stack)
	t.Run("without a context it says what to do", func(t *testing.T) {
		e := s.run(t, "", "imports", "list")
		require.Equal(t, 2, e.code)
		require.Contains(t, e.err, "which installation?")
	})
	s.must(t, "context", "add", "local", "http://"+stack.API)
	t.Run("contexts", s.contexts)
	t.Run("what there is", s.surroundings)
	t.Run("the tab key", s.completes)
	t.Run("the tab key where nobody answers", s.proposesNothing)
	t.Run("the tab key in bash", s.completesInAShell)
	t.Run("a file in a pipe", s.importsInAPipe)
	t.Run("standard input", s.importsStandardInput)
	t.Run("rows are put right", s.corrects)
	t.Run("a file is checked before it is sent", s.checks)
	t.Run("what waits for a person", s.leavesOpen)
	t.Run("a plan", s.plans)
	t.Run("a person approves", s.approves)
	t.Run("declared imports", s.declared)
	t.Run("a person answers", s.answers)
	t.Run("Ctrl-C", s.interrupts)
	t.Run("an import is undone", s.undoes)
	t.Run("what has changed", s.changes)
	t.Run("exports", s.exports)
	t.Run("profiles", s.profiles)
	t.Run("webhooks", s.webhooks)
	t.Run("settings", s.settings)
	t.Run("the drop folder", s.quarantine)
	t.Run("the operator", s.operates)
	t.Run("conventions", s.conventions)
	t.Run("faults", s.faults)
}

// undoes looks at what an undo would do, does it, and is told why it cannot again.
func (s *shell) undoes(t *testing.T) {
	s.file(t, "undone.csv", "email,name\nfay@example.org,Fay\ngus@example.org,Gus\n")
	id, _, _ := strings.Cut(s.must(t, "import", "undone.csv", "--type", "USER", "--yes"), "\t")
	fay := func() string {
		return s.must(t, "export", "users", "--fields", "email", "--filter", `{"email":["fay@example.org"]}`, "-o", "-")
	}
	e := s.run(t, "", "undo", id, "--preview")
	require.Zero(t, e.code, e.err)
	require.Contains(t, e.err, "2 of 2 changes would be taken back, 0 would stay.")
	require.Contains(t, fay(), "fay@example.org")
	e = s.run(t, "", "imports", "undo", id)
	require.Zero(t, e.code, e.err)
	require.Contains(t, e.err, "2 of 2 changes taken back, 0 stay.")
	require.NotContains(t, fay(), "fay@example.org")
	e = s.run(t, "", "imports", "undo", id)
	require.Equal(t, 1, e.code)
	require.Contains(t, e.err, "It can be undone itself.")
}

// changes asks what imports have changed, in every form, and where values are from.
func (s *shell) changes(t *testing.T) {
	imported := func(name, text string) string {
		s.file(t, name, text)
		id, _, _ := strings.Cut(s.must(t, "import", name, "--type", "USER", "--mode", "upsert", "--yes"), "\t")
		return id
	}
	imported("dot.csv", "email,name\ndot@example.org,Dot\n")
	id := imported("dora.csv", "email,name\ndot@example.org,Dora\neli@example.org,Eli\n")
	require.Regexp(t, `(?m)^2\tUPDATED\tusers\t\S+\tNAME\tDot\tDora$`, s.must(t, "changes", id, "--field", "name"))
	require.NotContains(t, s.must(t, "diff", id, "--kind", "created"), "Dora")
	require.Equal(t, 1, strings.Count(s.must(t, "changes", id, "--limit", "1"), "users\t")-1, "each field of one change")
	require.Equal(t, "1\n", s.must(t, "changes", id, "--summary", "--jq", `.fields[] | select(.field == "NAME").changed`))
	require.Contains(t, s.must(t, "changes", id, "--summary"), "users\t-\t1\t1\t0\t-\n")
	require.Equal(t, 2, strings.Count(s.must(t, "changes", id, "--ndjson", "-"), "\n"))
	s.must(t, "changes", id, "--xlsx", "changes.xlsx")
	book, err := os.ReadFile(filepath.Join(s.dir, "changes.xlsx"))
	require.NoError(t, err)
	require.True(t, bytes.HasPrefix(book, []byte("PK")))
	require.Equal(t, 2, s.run(t, "", "changes", id, "--summary", "--xlsx", "x.xlsx").code)
	require.Equal(t, 1, s.run(t, "", "changes", "01a1f9e7-1bde-7bf8-ac8c-500f93581dd4").code)

	known := s.must(t, "history", "user", "dot@example.org", "--by", "email")
	require.Contains(t, known, "users\tNAME\tDora\tdora.csv\t2\t")
	require.Contains(t, known, "users\tEMAIL\tdot@example.org\tdot.csv\t2\t")
	require.Equal(t, 1, s.run(t, "", "history", "USER", "nobody@example.org", "--by", "EMAIL").code)
	require.Equal(t, 2, s.run(t, "", "history", "USER").code)
}

func (s *shell) contexts(t *testing.T) {
	require.Equal(t, "*\tlocal\thttp://"+s.stack.API+"\n", s.must(t, "context", "list"))
	e := s.run(t, "not.a.token\n", "context", "add", "other", "http://"+s.stack.API, "--with-token")
	require.Zero(t, e.code, e.err)
	require.Contains(t, e.err, "which only you can read")
	e = s.run(t, "", "whoami", "--context", "other")
	require.Equal(t, 1, e.code)
	require.Contains(t, e.err, "401")
	s.must(t, "context", "use", "other")
	require.Equal(t, 1, s.run(t, "", "whoami").code)
	s.must(t, "context", "remove", "other")
	s.must(t, "context", "use", "local")
	require.Equal(t, 2, s.run(t, "", "context", "add", "x", "nonsense").code)
	require.Equal(t, 2, s.run(t, "", "context", "add", "x").code)
}

func (s *shell) surroundings(t *testing.T) {
	require.Contains(t, s.must(t, "whoami"), "Harbour Athletics\t1\t")
	require.Contains(t, s.must(t, "types"), "USER\tUsers\tinsert upsert\tusers\t-\n")
	require.Contains(t, s.must(t, "types", "users"), "EMAIL\temail\tEmail\temail\tyes\n")
	require.Equal(t, 2, s.run(t, "", "types", "nothing").code)
	s.must(t, "template", "USER", "-o", "t.xlsx")
	require.FileExists(t, filepath.Join(s.dir, "t.xlsx"))
	require.Equal(t, "USER\n", s.must(t, "types", "--jq", `.[] | select(.resource == "users").name`))
	require.Contains(t, s.must(t, "__complete", "import", "--type", ""), "USER\tUsers\n")
}

const users = "email,name\nann@example.org,Ann\nbob@example.org,Bob\nnonsense,Cy\n"

func (s *shell) importsInAPipe(t *testing.T) {
	s.file(t, "users.csv", users)
	e := s.run(t, "", "import", "users.csv", "--type", "USER", "--yes")
	require.Equal(t, 4, e.code, e.err)
	id, counts, _ := strings.Cut(e.out, "\t")
	require.Equal(t, "completed\t2\t0\t0\t0\t1\n", counts)
	require.Equal(t, "4\tERROR\tEMAIL\tnonsense\t", s.must(t, "errors", id)[:len("4\tERROR\tEMAIL\tnonsense\t")])
	require.Equal(t, "CREATED,CREATED,ERROR\n", s.must(t, "results", id, "--jq", "map(.outcome) | join(\",\")"))
	require.Contains(t, s.must(t, "imports", "list", "--status", "completed"), id)
	require.Contains(t, s.must(t, "imports", "show", id, "--json", "status"), "COMPLETED")
	require.Equal(t, 4, s.run(t, "", "imports", "watch", id).code)
	s.must(t, "errors", id, "--xlsx", "wrong.xlsx")
	require.FileExists(t, filepath.Join(s.dir, "wrong.xlsx"))
	require.Contains(t, s.must(t, "export", "users", "--fields", "email", "--filter", `{"email":["ann@example.org"]}`, "-o", "-"), "ann@example.org")

	s.file(t, "more.csv", "email,name\ndee@example.org,Dee\n")
	e = s.run(t, "", "import", "missing.csv", "more.csv", "--type", "USER", "--yes")
	require.Equal(t, 1, e.code, "one of two failed")
	require.Contains(t, e.err, "missing.csv: ")
	require.Contains(t, e.out, "completed\t1\t0\t0\t0\t0\n")
}

func (s *shell) importsStandardInput(t *testing.T) {
	e := s.run(t, "email,name\neve@example.org,Eve\n", "import", "-", "--type", "USER", "--yes")
	require.Equal(t, 2, e.code)
	require.Contains(t, e.err, "--name")
	e = s.run(t, "email,name\neve@example.org,Eve\n", "import", "-", "--name", "users.csv", "--type", "USER", "--yes", "--json", "createdCount")
	require.Zero(t, e.code, e.err)
	require.JSONEq(t, `{"createdCount": 1}`, e.out)
}

const members = "First name,Last name,Email,Membership type\nAnn,Ash,ann@example.org,Mastres\n"

func (s *shell) leavesOpen(t *testing.T) {
	s.file(t, "members.csv", members)
	e := s.run(t, "", "import", "members.csv", "--type", "MEMBERSHIP", "--context-id", "1")
	require.Equal(t, 3, e.code, e.err)
	var asked struct {
		WaitingFor string
		Values     []struct{ SourceValue string }
	}
	require.NoError(t, json.Unmarshal([]byte(e.out), &asked), e.out)
	require.Equal(t, "CELL_MAPPINGS", asked.WaitingFor)
	require.Equal(t, "Mastres", asked.Values[0].SourceValue)
}

// plans shows what a file would change, and writes it when that is applied.
func (s *shell) plans(t *testing.T) {
	s.file(t, "plan.csv", "email,name\nplan@example.org,Pia\n")
	e := s.run(t, "", "import", "plan.csv", "--type", "USER", "--yes", "--plan")
	require.Equal(t, 3, e.code, e.err)
	var asked struct{ Identifier, WaitingFor, PlanDigest string }
	require.NoError(t, json.Unmarshal([]byte(e.out), &asked), e.out)
	require.Equal(t, "APPROVAL", asked.WaitingFor)
	require.Equal(t, 2, s.run(t, "", "imports", "apply", asked.Identifier).code)
	require.Equal(t, 1, s.run(t, "", "imports", "apply", asked.Identifier, "--digest", strings.Repeat("0", 64)).code)
	e = s.run(t, "", "imports", "apply", asked.Identifier, "--digest", asked.PlanDigest, "--on-stale", "abort")
	require.Zero(t, e.code, e.err)
	require.Contains(t, e.out+e.err, "completed")

	plan := []string{"plan", "plan.csv", "--type", "USER", "--mode", "upsert", "--yes"}
	require.Zero(t, s.run(t, "", plan...).code, "it is written already")
	s.file(t, "plan.csv", "email,name\nplan@example.org,Pia Plan\n")
	e = s.run(t, "", plan...)
	require.Equal(t, 5, e.code, e.err)
	require.NoError(t, json.Unmarshal([]byte(e.out), &asked), e.out)
	e = s.run(t, "", "apply", asked.Identifier, "--digest", asked.PlanDigest)
	require.Zero(t, e.code, e.err)
}

// answers imports the same file on a terminal, where the most similar type is offered
// first.
func (s *shell) answers(t *testing.T) {
	term := s.terminal(t, "import", "members.csv", "--type", "MEMBERSHIP", "--context-id", "1")
	term.await(t, "Mastres")
	term.press(t, "\r")
	require.Zero(t, term.wait(t), term.said())
	require.Contains(t, term.said(), "completed")
}

// interrupts stops watching an import that goes on, and then one that it cancels.
func (s *shell) interrupts(t *testing.T) {
	for _, c := range []struct{ key, want, status string }{
		{"n", "The import goes on.", "CELL_MAPPING"},
		{"y", "Cancelled ", "CANCELLED"},
	} {
		term := s.terminal(t, "imports", "watch", s.slow(t))
		term.await(t, "Reading")
		require.NoError(t, term.command.Process.Signal(os.Interrupt))
		term.await(t, "Cancel the import, too?")
		term.press(t, c.key)
		require.Equal(t, 130, term.wait(t), term.said())
		require.Contains(t, term.said(), c.want)
	}
}

// slow is an import that goes on as long as nothing is sent.
func (s *shell) slow(t *testing.T) string {
	t.Helper()
	var job struct{ Identifier string }
	require.NoError(t, s.stack.Post(t.Context(), "/api/imports", map[string]any{"importType": "USER", "filename": "later.csv", "sizeBytes": 10}, &job))
	return job.Identifier
}

func (s *shell) faults(t *testing.T) {
	require.Equal(t, 2, s.run(t, "", "import", "users.csv").code)
	require.Equal(t, 2, s.run(t, "", "import", "users.csv", "--type", "USER", "--nonsense").code)
	e := s.run(t, "", "import", "users.csv", "--type", "NONSENSE")
	require.Equal(t, 1, e.code)
	require.Contains(t, e.err, "type")
	e = s.run(t, "", "errors", "nonsense")
	require.Equal(t, 1, e.code)
	start := time.Now()
	e = s.run(t, "", "imports", "list", "--url", "http://127.0.0.1:1")
	require.Equal(t, 1, e.code)
	require.Contains(t, e.err, "refused")
	require.Less(t, time.Since(start), time.Minute)
}
