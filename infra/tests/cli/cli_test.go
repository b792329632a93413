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

// shell runs the command line as a script does, with its own settings.
type shell struct {
	stack *stacktest.Stack
	dir   string // working folder
	env   []string
}

func newShell(t *testing.T, stack *stacktest.Stack) *shell {
	t.Helper()
	dir := t.TempDir()
	return &shell{stack: stack, dir: dir, env: append(withoutVariables(os.Environ(), "CI", "LOADBAY_URL", "LOADBAY_TOKEN"),
		"LOADBAY_CONFIG="+filepath.Join(dir, "settings.json"), "DBUS_SESSION_BUS_ADDRESS=/nowhere", "NO_COLOR=1")}
}

func withoutVariables(env []string, names ...string) []string {
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

// commandResult holds a command's exit code and output.
type commandResult struct {
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
func (s *shell) run(t *testing.T, in string, args ...string) commandResult {
	t.Helper()
	c := s.command(t, args...)
	var out, err bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(in), &out, &err
	failed := c.Run()
	var exit *exec.ExitError
	if failed != nil {
		require.True(t, errors.As(failed, &exit), failed)
	}
	return commandResult{code: c.ProcessState.ExitCode(), out: out.String(), err: err.String()}
}

// mustRun runs a command that must succeed and returns its output.
func (s *shell) mustRun(t *testing.T, args ...string) string {
	t.Helper()
	e := s.run(t, "", args...)
	require.Zero(t, e.code, "%v: %s", args, e.err)
	return e.out
}

func (s *shell) writeFile(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600))
}

// TestCommands runs every command on one stack, in the order in which a person uses them.
func TestCommands(t *testing.T) {
	t.Parallel()
	stack := stacktest.Start(t)
	s := newShell(t, stack)
	t.Run("without a context, the error names the remedy", func(t *testing.T) {
		e := s.run(t, "", "imports", "list")
		require.Equal(t, 2, e.code)
		require.Contains(t, e.err, "no installation selected")
	})
	s.mustRun(t, "installation", "add", "local", "http://"+stack.API)
	t.Run("contexts", s.testContexts)
	t.Run("metadata", s.testMetadata)
	t.Run("completion", s.testCompletion)
	t.Run("completion without a server", s.testCompletionWithoutServer)
	t.Run("completion in bash", s.testBashCompletion)
	t.Run("import with piped output", s.testImport)
	t.Run("import from standard input", s.testStandardInput)
	t.Run("files and pipes", s.testFiles)
	t.Run("automation", s.testAutomation)
	t.Run("answers in advance", s.testAnswerFlags)
	t.Run("periods by name", s.testContextNames)
	t.Run("lists of imports", s.testImportLists)
	t.Run("watched folder", s.testWatchedFolder)
	t.Run("saved files", s.testSaveFile)
	t.Run("corrected rows are retried", s.testCorrections)
	t.Run("file is checked before the upload", s.testCheck)
	t.Run("list of pending decisions", s.testPendingQuestions)
	t.Run("a plan", s.testPlan)
	t.Run("plan is approved", s.testApproval)
	t.Run("imports from a manifest", s.testManifest)
	t.Run("profiles from a manifest", s.testManifestProfiles)
	t.Run("decisions at the prompt", s.testPrompts)
	t.Run("Ctrl-C", s.testInterrupt)
	t.Run("undo of an import", s.testUndo)
	t.Run("undo with retries", s.testUndoRetries)
	t.Run("list of changes", s.testChanges)
	t.Run("exports", s.testExports)
	t.Run("profiles", s.testProfiles)
	t.Run("webhooks", s.testWebhooks)
	t.Run("listen", s.testListen)
	t.Run("keys", s.testKeys)
	t.Run("organisation", s.testOrganisation)
	t.Run("settings", s.testSettings)
	t.Run("drop folder", s.testQuarantine)
	t.Run("operator commands", s.testOperator)
	t.Run("conventions", s.testConventions)
	t.Run("faults", s.testErrors)
}

// testUndo previews an undo, runs it, and is refused a second one with a reason.
func (s *shell) testUndo(t *testing.T) {
	s.writeFile(t, "undone.csv", "email,name\nfay@example.org,Fay\ngus@example.org,Gus\n")
	id, _, _ := strings.Cut(s.mustRun(t, "import", "undone.csv", "--type", "USER", "--yes"), "\t")
	fay := func() string {
		return s.mustRun(t, "export", "users", "--fields", "email", "--filter", `{"email":["fay@example.org"]}`, "-o", "-")
	}
	e := s.run(t, "", "undo", id, "--preview")
	require.Zero(t, e.code, e.err)
	require.Contains(t, e.err, "2 of 2 changes would be reverted, 0 would be kept.")
	require.Contains(t, fay(), "fay@example.org")
	e = s.run(t, "", "imports", "undo", id)
	require.Zero(t, e.code, e.err)
	require.Contains(t, e.err, "2 of 2 changes reverted, 0 kept.")
	require.NotContains(t, fay(), "fay@example.org")
	e = s.run(t, "", "imports", "undo", id)
	require.Equal(t, 1, e.code)
	require.Contains(t, e.err, "That undo can itself be undone.")
}

// testUndoRetries undoes an import whose failed row was corrected and retried: the retry is mentioned,
// and is undone as well with --retries, unless a person has undone it before.
func (s *shell) testUndoRetries(t *testing.T) {
	emails := func() string {
		return s.mustRun(t, "export", "users", "--fields", "email", "--filter", `{"email":["hal@example.org","ida@example.org"]}`, "-o", "-")
	}
	imported := func(name string) (id, retry string) {
		s.writeFile(t, name, "email,name\nhal@example.org,Hal\nida(at)example.org,Ida\n")
		e := s.run(t, "", "import", name, "--type", "USER", "--yes")
		require.Equal(t, 4, e.code, e.err)
		id, _, _ = strings.Cut(e.out, "\t")
		s.mustRun(t, "correct", id, "--field", "email", "--replace", "(at)=@")
		retry, _, _ = strings.Cut(s.mustRun(t, "retry", id), "\t")
		return id, retry
	}
	id, _ := imported("first.csv")
	e := s.run(t, "", "undo", id, "--retries", "--preview")
	require.Zero(t, e.code, e.err)
	require.Contains(t, e.err, "2 of 2 changes would be reverted")
	require.Contains(t, e.err, "This includes the retries of the import (1).")
	e = s.run(t, "", "undo", id)
	require.Zero(t, e.code, e.err)
	require.Contains(t, e.err, "Retries of this import (1) keep their changes. Use --retries")
	require.Contains(t, emails(), "ida@example.org")
	s.mustRun(t, "undo", id, "--retries")
	require.NotContains(t, emails(), "example.org")

	id, retry := imported("second.csv")
	s.mustRun(t, "undo", retry)
	e = s.run(t, "", "undo", id, "--retries")
	require.Zero(t, e.code, e.err)
	require.NotContains(t, e.err, "retries", "a person has undone the only one")
	require.NotContains(t, emails(), "example.org")
}

// testChanges reads what imports have changed, in every format, and the origin of values.
func (s *shell) testChanges(t *testing.T) {
	imported := func(name, text string) string {
		s.writeFile(t, name, text)
		id, _, _ := strings.Cut(s.mustRun(t, "import", name, "--type", "USER", "--mode", "upsert", "--yes"), "\t")
		return id
	}
	imported("dot.csv", "email,name\ndot@example.org,Dot\n")
	id := imported("dora.csv", "email,name\ndot@example.org,Dora\neli@example.org,Eli\n")
	require.Regexp(t, `(?m)^2\tUPDATED\tusers\t\S+\tNAME\tDot\tDora$`, s.mustRun(t, "changes", id, "--field", "name"))
	require.NotContains(t, s.mustRun(t, "diff", id, "--kind", "created"), "Dora")
	require.Equal(t, 1, strings.Count(s.mustRun(t, "changes", id, "--limit", "1"), "users\t")-1, "one line for each field of the change")
	require.Equal(t, "1\n", s.mustRun(t, "changes", id, "--summary", "--jq", `.fields[] | select(.field == "NAME").changed`))
	require.Contains(t, s.mustRun(t, "changes", id, "--summary"), "users\t-\t1\t1\t0\t-\n")
	require.Equal(t, 2, strings.Count(s.mustRun(t, "changes", id, "--ndjson", "-"), "\n"))
	s.mustRun(t, "changes", id, "--xlsx", "changes.xlsx")
	book, err := os.ReadFile(filepath.Join(s.dir, "changes.xlsx"))
	require.NoError(t, err)
	require.True(t, bytes.HasPrefix(book, []byte("PK")))
	require.Equal(t, 2, s.run(t, "", "changes", id, "--summary", "--xlsx", "x.xlsx").code)
	require.Equal(t, 1, s.run(t, "", "changes", "01a1f9e7-1bde-7bf8-ac8c-500f93581dd4").code)

	known := s.mustRun(t, "history", "user", "dot@example.org", "--by", "email")
	require.Contains(t, known, "users\tNAME\tDora\tdora.csv\t2\t")
	require.Contains(t, known, "users\tEMAIL\tdot@example.org\tdot.csv\t2\t")
	require.Equal(t, 1, s.run(t, "", "history", "USER", "nobody@example.org", "--by", "EMAIL").code)
	require.Equal(t, 2, s.run(t, "", "history", "USER").code)
}

func (s *shell) testContexts(t *testing.T) {
	require.Equal(t, "*\tlocal\thttp://"+s.stack.API+"\n", s.mustRun(t, "context", "list"))
	e := s.run(t, "not.a.token\n", "context", "add", "other", "http://"+s.stack.API, "--with-token")
	require.Zero(t, e.code, e.err)
	require.Contains(t, e.err, "readable only by you")
	e = s.run(t, "", "whoami", "--context", "other")
	require.Equal(t, 1, e.code)
	require.Contains(t, e.err, "401")
	s.mustRun(t, "context", "use", "other")
	require.Equal(t, 1, s.run(t, "", "whoami").code)
	s.mustRun(t, "context", "remove", "other")
	s.mustRun(t, "context", "use", "local")
	require.Equal(t, 2, s.run(t, "", "context", "add", "x", "nonsense").code)
	require.Equal(t, 2, s.run(t, "", "context", "add", "x").code)
}

func (s *shell) testMetadata(t *testing.T) {
	require.Contains(t, s.mustRun(t, "whoami"), "Harbour Athletics\t1\t")
	require.Contains(t, s.mustRun(t, "types"), "USER\tUsers\tinsert upsert\tusers\t-\n")
	require.Contains(t, s.mustRun(t, "types", "users"), "EMAIL\temail\tEmail\temail\tyes\n")
	require.Equal(t, 2, s.run(t, "", "types", "nothing").code)
	s.mustRun(t, "template", "USER", "-o", "t.xlsx")
	require.FileExists(t, filepath.Join(s.dir, "t.xlsx"))
	require.Equal(t, "USER\n", s.mustRun(t, "types", "--jq", `.[] | select(.resource == "users").name`))
	require.Contains(t, s.mustRun(t, "__complete", "import", "--type", ""), "USER\tUsers\n")
}

const usersCSV = "email,name\nann@example.org,Ann\nbob@example.org,Bob\nnonsense,Cy\n"

func (s *shell) testImport(t *testing.T) {
	s.writeFile(t, "users.csv", usersCSV)
	e := s.run(t, "", "import", "users.csv", "--type", "USER", "--yes")
	require.Equal(t, 4, e.code, e.err)
	id, counts, _ := strings.Cut(e.out, "\t")
	s.writeFile(t, "later.csv", "email,name\nlater@example.org,Lea\n")
	require.NotContains(t, s.mustRun(t, "import", "later.csv", "--type", "USER", "--no-wait"), "waits for file", "it has been uploaded")
	require.Equal(t, "completed\t2\t0\t0\t0\t1\n", counts)
	require.Equal(t, "4\tERROR\tEMAIL\tnonsense\t", s.mustRun(t, "errors", id)[:len("4\tERROR\tEMAIL\tnonsense\t")])
	require.Equal(t, "CREATED,CREATED,ERROR\n", s.mustRun(t, "results", id, "--jq", "map(.outcome) | join(\",\")"))
	require.Contains(t, s.mustRun(t, "imports", "list", "--status", "completed"), id)
	require.Contains(t, s.mustRun(t, "imports", "show", id, "--json", "status"), "COMPLETED")
	require.Equal(t, 4, s.run(t, "", "imports", "watch", id).code)
	s.mustRun(t, "errors", id, "--xlsx", "wrong.xlsx")
	require.FileExists(t, filepath.Join(s.dir, "wrong.xlsx"))
	require.Contains(t, s.mustRun(t, "export", "users", "--fields", "email", "--filter", `{"email":["ann@example.org"]}`, "-o", "-"), "ann@example.org")

	s.writeFile(t, "more.csv", "email,name\ndee@example.org,Dee\n")
	e = s.run(t, "", "import", "missing.csv", "more.csv", "--type", "USER", "--yes")
	require.Equal(t, 1, e.code, "one of two files failed")
	require.Contains(t, e.err, "missing.csv: ")
	require.Contains(t, e.out, "completed\t1\t0\t0\t0\t0\tmore.csv\n")
}

func (s *shell) testStandardInput(t *testing.T) {
	e := s.run(t, "email,name\neve@example.org,Eve\n", "import", "-", "--type", "USER", "--yes")
	require.Zero(t, e.code, e.err)
	e = s.run(t, "email,name\neve@example.org,Eve\n", "import", "-", "--name", "users.csv", "--type", "USER", "--mode", "upsert", "--yes", "--json", "unchangedCount")
	require.Zero(t, e.code, e.err)
	require.JSONEq(t, `{"unchangedCount": 1}`, e.out)
}

const membersCSV = "First name,Last name,Email,Membership type\nAnn,Ash,ann@example.org,Mastres\n"

func (s *shell) testPendingQuestions(t *testing.T) {
	s.writeFile(t, "members.csv", membersCSV)
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

// testPlan previews the changes of a file and writes them when the plan is applied.
func (s *shell) testPlan(t *testing.T) {
	s.writeFile(t, "plan.csv", "email,name\nplan@example.org,Pia\n")
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
	require.Zero(t, s.run(t, "", plan...).code, "the plan's rows are already written")
	e = s.run(t, "", "plan", "plan.csv", "--type", "USER", "--yes")
	require.Equal(t, 4, e.code, "the only row exists")
	require.Contains(t, e.err, "Nothing would change: 1 of 1 rows have errors.")
	s.writeFile(t, "plan.csv", "email,name\nplan@example.org,Pia Plan\n")
	e = s.run(t, "", plan...)
	require.Equal(t, 5, e.code, e.err)
	require.NoError(t, json.Unmarshal([]byte(e.out), &asked), e.out)
	e = s.run(t, "", "apply", asked.Identifier, "--digest", asked.PlanDigest)
	require.Zero(t, e.code, e.err)
}

// testInterrupt stops watching an import that continues, and then one that it cancels.
func (s *shell) testInterrupt(t *testing.T) {
	for _, c := range []struct{ key, want, status string }{
		{"n", "The import continues.", "CELL_MAPPING"},
		{"y", "Cancelled ", "CANCELLED"},
	} {
		term := s.startTerminal(t, "imports", "watch", s.startPendingImport(t))
		term.awaitText(t, "Reading")
		require.NoError(t, term.command.Process.Signal(os.Interrupt))
		term.awaitText(t, "Cancel the import as well?")
		term.press(t, c.key)
		require.Equal(t, 130, term.wait(t), term.text())
		require.Contains(t, term.text(), c.want)
	}
}

// startPendingImport starts an import that stays pending until its file is uploaded.
func (s *shell) startPendingImport(t *testing.T) string {
	t.Helper()
	var job struct{ Identifier string }
	require.NoError(t, s.stack.Post(t.Context(), "/api/imports", map[string]any{"importType": "USER", "filename": "later.csv", "sizeBytes": 10}, &job))
	return job.Identifier
}

func (s *shell) testErrors(t *testing.T) {
	require.Equal(t, 2, s.run(t, "", "import", "users.csv").code)
	require.Equal(t, 2, s.run(t, "", "import", "users.csv", "--type", "USER", "--nonsense").code)
	e := s.run(t, "", "imports", "list", "--json")
	require.Equal(t, 2, e.code)
	require.Contains(t, e.err, "\n  identifier\n", "--json alone lists them")
	e = s.run(t, "", "import", "users.csv", "--type", "NONSENSE")
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
