package cli

import (
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// completions returns the proposals for the last of the words.
func (s *shell) completions(t *testing.T, words ...string) []string {
	t.Helper()
	e := s.run(t, "", append([]string{"__complete"}, words...)...)
	require.Zero(t, e.code, e.err)
	require.Len(t, strings.Split(strings.TrimSpace(e.err), "\n"), 1, "standard error contains only cobra's debug line: %s", e.err)
	lines := strings.Split(strings.TrimSpace(e.out), "\n")
	return lines[:len(lines)-1] // the last line tells the shell whether to propose files too
}

// testCompletion completes input with data of the installation.
func (s *shell) testCompletion(t *testing.T) {
	id := s.startPendingImport(t)
	require.NoError(t, s.stack.Post(t.Context(), "/api/profiles", map[string]any{
		"name": "From the club", "importType": "USER", "mapping": map[string]any{},
	}, nil))
	entry := id + "\tUSER later.csv, waits for file"
	for _, c := range []struct {
		words []string
		want  string
	}{
		{[]string{"import", "--type", ""}, "USER\tUsers"},
		{[]string{"imports", "list", "--type", ""}, "USER\tUsers"},
		{[]string{"import", "--type", "USER", "--profile", ""}, "From the club\tUSER"},
		{[]string{"import", "--retry-of", ""}, entry},
		{[]string{"imports", "list", "--status", ""}, "COLUMN_MAPPING"},
		{[]string{"imports", "undo", "--mode", ""}, "cascade"},
		{[]string{"import", "--mode", ""}, "upsert"},
		{[]string{"results", ""}, entry},
		{[]string{"imports", "show", ""}, entry},
		{[]string{"template", ""}, "USER\tUsers"},
		{[]string{"export", ""}, "users\tUsers"},
		{[]string{"context", "use", ""}, "local"},
		{[]string{"imports", "list", "--context", ""}, "local"},
		{[]string{"history", "USER", "x", "--by", ""}, "EMAIL\tEmail"},
		{[]string{"export", "users", "--fields", ""}, "email\tEmail"},
		{[]string{"rows", id, "--field", ""}, "EMAIL\tEmail"},
		{[]string{"import", "--type", "USER", "--create-missing", ""}, "EMAIL\tEmail"},
		{[]string{"import", "--option", ""}, "dateOrder="},
		{[]string{"settings", "set", ""}, "review=\tReview"},
		{[]string{"import", "--type", "USER", "--value", ""}, "EMAIL:\tEmail"},
		{[]string{"imports", "list", "--json", ""}, "identifier"},
		{[]string{"imports", "list", "--json", "identifier,st"}, "identifier,status"},
		{[]string{"help", ""}, "duplicates"},
		{[]string{"exp"}, "export\tExport data as a file that can be imported again"},
	} {
		require.Contains(t, s.completions(t, c.words...), c.want, "%v", c.words)
	}
	for _, words := range [][]string{
		{"imports", "show", id, ""},
		{"history", "USER", ""},
		{"context", "use", "local", ""},
		{"import", "--type", "MEMBERSHIP", "--profile", ""},
	} {
		require.Empty(t, s.completions(t, words...), "%v", words)
	}
	require.NotContains(t, s.completions(t, "imports", "cancel", id, ""), entry, "arguments already given are not proposed")
	require.Contains(t, s.run(t, "", "__complete", "imports", "resume", id, "").out, ":0\n", "file names are proposed")
}

// testCompletionWithoutServer checks that completion ends soon if no server answers.
func (s *shell) testCompletionWithoutServer(t *testing.T) {
	silent, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", "0"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = silent.Close() })
	for _, address := range []string{"http://" + silent.Addr().String(), "http://127.0.0.1:1"} {
		start := time.Now()
		require.Empty(t, s.completions(t, "import", "--url", address, "--type", ""))
		require.Less(t, time.Since(start), maxWait/10, "completion ends after its own timeout of one second")
	}
}

// testBashCompletion runs the script of `loadbay completion bash` as bash does. The package
// bash-completion, which splits the line, may not be installed.
func (s *shell) testBashCompletion(t *testing.T) {
	program := s.command(t).Path
	c := exec.CommandContext(t.Context(), "bash", "-c", `loadbay() { "$PROGRAM" "$@"; }
_get_comp_words_by_ref() { words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=${words[cword]}; prev=${words[cword-1]}; }
source <(loadbay completion bash)
COMP_WORDS=(loadbay import --type US) COMP_CWORD=3 COMP_LINE="loadbay import --type US" COMP_POINT=24 COMP_TYPE=9
__start_loadbay
printf '%s\n' "${COMPREPLY[@]}"`)
	c.Dir, c.Env = s.dir, append(s.env, "PROGRAM="+program)
	output, err := c.Output() // its error output only complains about the missing Tab key
	require.NoError(t, err, "%s", output)
	require.Equal(t, "USER", strings.TrimSpace(string(output)))
	for _, shell := range []string{"zsh", "fish", "powershell"} {
		require.Contains(t, s.mustRun(t, "completion", shell), "__complete")
	}
}
