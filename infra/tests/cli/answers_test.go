package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// testAnswerFlags answers the questions of a file with flags, and uses the answers for the next one.
func (s *shell) testAnswerFlags(t *testing.T) {
	s.writeFile(t, "answers.csv", "Qqq,Last name,Email,Gender,Www\nAda,Ash,ada.answers@example.org,Homme,Hon. members\n")
	args := []string{"import", "answers.csv", "--type", "MEMBERSHIP", "--period", "2026", "--mode", "upsert", "--yes"}
	require.NotZero(t, s.run(t, "", args...).code)
	answered := append(args, "--map", "Qqq=FIRST_NAME", "--map", "Www=membership_type_id", "--value", "GENDER:Homme=MALE", "--create-missing", "MEMBERSHIP_TYPE_ID", "--strict")
	e := s.run(t, "", answered...)
	require.Zero(t, e.code, e.err)
	require.Contains(t, e.out, "completed\t1\t0\t0\t0\t0\n")
	id, _, _ := strings.Cut(e.out, "\t")
	require.Contains(t, s.mustRun(t, "imports", "columns", id), "Qqq\tFirst name\tdecided\tAda\n")

	s.writeFile(t, "mapping.json", s.mustRun(t, "imports", "mapping", id))
	e = s.run(t, "", append(args, "--mapping", "mapping.json")...)
	require.Zero(t, e.code, e.err)
	require.Contains(t, e.out, "completed\t0\t0\t1\t0\t0\n")

	s.writeFile(t, "typo.json", `{"feilds": []}`)
	for want, flags := range map[string][]string{
		`"feilds"`:               {"--mapping", "typo.json"},
		`"dateOrdr"`:             {"--option", "dateOrdr=dmy"},
		"use COLUMN=FIELD":       {"--map", "Qqq"},
		"use FIELD:VALUE=TARGET": {"--value", "GENDER=MALE"},
	} {
		e := s.run(t, "", append(args, flags...)...)
		require.Equal(t, 2, e.code, "%v", flags)
		require.Contains(t, e.err, want)
	}
	require.Equal(t, 1, s.run(t, "", append(args, "--map", "Qqq=NO_SUCH_FIELD")...).code)
}

// testContextNames finds periods by their names.
func (s *shell) testContextNames(t *testing.T) {
	require.Contains(t, s.mustRun(t, "contexts", "MEMBERSHIP"), "1\t2026\t2026-01-01\n")
	require.Contains(t, s.completions(t, "import", "--type", "MEMBERSHIP", "--period", ""), "2026")
	require.Contains(t, s.completions(t, "import", "--type", "MEMBERSHIP", "--context-id", ""), "1\t2026")
	s.writeFile(t, "named.csv", "First name,Last name,Email,Membership type\nNed,Nil,ned.named@example.org,Masters\n")
	args := []string{"import", "named.csv", "--type", "MEMBERSHIP", "--mode", "upsert", "--yes"}
	for want, flags := range map[string][]string{
		`did you mean`:                     {"--period", "202"},
		`loadbay contexts MEMBERSHIP`:      {"--period", "never"},
		"use only one of":                  {"--period", "2026", "--context-id", "1"},
		"no entry is called \"elsewhere\"": {"--belongs-to", "elsewhere"},
	} {
		e := s.run(t, "", append(args, flags...)...)
		require.Equal(t, 2, e.code, "%v", flags)
		require.Contains(t, e.err, want)
	}
	s.writeFile(t, "period.yaml", "imports: [{source: named.csv, type: MEMBERSHIP, period: 2026, mode: upsert}]")
	s.mustRun(t, "apply", "-f", "period.yaml")
	text, err := os.ReadFile(filepath.Join(s.dir, "period.yaml"))
	require.NoError(t, err)
	e := s.run(t, string(text), "apply", "-f", "-")
	require.Zero(t, e.code, e.err)
	require.Contains(t, e.out, "completed\t0\t0\t1\t0\t0\n")
}

// testImportLists shows what an import is, and by which one it was undone.
func (s *shell) testImportLists(t *testing.T) {
	s.writeFile(t, "listed.csv", "email,name\nlisted@example.org,L\n")
	id, _, _ := strings.Cut(s.mustRun(t, "import", "listed.csv", "--type", "USER", "--label", "listed", "--yes"), "\t")
	preview, _, _ := strings.Cut(s.mustRun(t, "undo", id, "--preview"), "\t")
	undo, _, _ := strings.Cut(s.mustRun(t, "undo", id), "\t")
	listed := s.mustRun(t, "imports", "list", "--label", "listed", "--person", "local", "--since", "2026-01-01", "--active", "false")
	require.Regexp(t, `(?m)^`+id+`\t.*\timport\t`+undo+`\tlisted\tlocal$`, listed)
	all := s.mustRun(t, "imports", "list", "--filename", "listed")
	require.Regexp(t, `(?m)^`+preview+`\t.*\tundo preview\t`, all)
	require.Regexp(t, `(?m)^`+undo+`\t.*\tundo\t`, all)
	require.Empty(t, s.mustRun(t, "imports", "list", "--label", "listed", "--waiting"))
	require.Equal(t, 2, s.run(t, "", "imports", "list", "--active", "perhaps").code)
	require.Contains(t, s.mustRun(t, "imports", "show", id), "undone by\t"+undo+"\n")
}

// testWatchedFolder imports files that appear in a folder, and moves them.
func (s *shell) testWatchedFolder(t *testing.T) {
	inbox := filepath.Join(s.dir, "inbox")
	require.NoError(t, os.Mkdir(inbox, 0o700))
	s.writeFile(t, "inbox/good.csv", "email,name\nwatched@example.org,W\n")
	s.writeFile(t, "inbox/bad.csv", "email,name\nnonsense,W\n")
	long := time.Now().Add(-time.Hour)
	for _, name := range []string{"good.csv", "bad.csv"} {
		require.NoError(t, os.Chtimes(filepath.Join(inbox, name), long, long))
	}
	c := s.command(t, "import", "--watch", "inbox", "--type", "USER")
	require.NoError(t, c.Start())
	require.Eventually(t, func() bool {
		done, _ := filepath.Glob(filepath.Join(inbox, "done", "*-good.csv"))
		failed, _ := filepath.Glob(filepath.Join(inbox, "failed", "*-bad.csv"))
		return len(done) == 1 && len(failed) == 1
	}, maxWait, pollInterval)
	require.NoError(t, c.Process.Signal(os.Interrupt))
	_ = c.Wait()
	require.Equal(t, 130, c.ProcessState.ExitCode())
	require.Contains(t, s.mustRun(t, "export", "users", "--fields", "email", "-o", "-"), "watched@example.org")
}
