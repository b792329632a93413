package cli

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// testSaveFile checks what an export does to the files that exist.
func (s *shell) testSaveFile(t *testing.T) {
	export := []string{"export", "users", "--fields", "email", "--filter", `{"email":["ann@example.org"]}`}
	to := func(args ...string) []string { return append(append([]string{}, export...), args...) }
	path := func(name string) string { return filepath.Join(s.dir, name) }

	t.Run("standard output if it is no terminal", func(t *testing.T) {
		require.Contains(t, s.mustRun(t, export...), "email\r\n")
	})
	t.Run("an existing file is kept without --force", func(t *testing.T) {
		s.writeFile(t, "kept.csv", "precious")
		r := s.run(t, "", to("-o", "kept.csv")...)
		require.Equal(t, 2, r.code)
		require.Contains(t, r.err, "kept.csv exists; choose another name, or overwrite it with --force")
		require.Equal(t, "precious", readText(t, path("kept.csv")))
	})
	t.Run("an overwritten file keeps its mode", func(t *testing.T) {
		s.writeFile(t, "secret.csv", "old")
		require.NoError(t, os.Chmod(path("secret.csv"), 0o600))
		s.mustRun(t, to("-o", "secret.csv", "--force")...)
		require.Contains(t, readText(t, path("secret.csv")), "email\r\n")
		info, err := os.Stat(path("secret.csv"))
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	})
	t.Run("a link stays a link", func(t *testing.T) {
		require.NoError(t, os.Symlink("target.csv", path("link.csv")))
		s.mustRun(t, to("-o", "link.csv")...)
		require.Contains(t, readText(t, path("target.csv")), "email\r\n")
		info, err := os.Lstat(path("link.csv"))
		require.NoError(t, err)
		require.NotZero(t, info.Mode()&os.ModeSymlink)
		require.Equal(t, 2, s.run(t, "", to("-o", "link.csv")...).code, "its target exists now")
	})
	t.Run("a pipe is written into", func(t *testing.T) {
		require.NoError(t, syscall.Mkfifo(path("pipe"), 0o600))
		text := make(chan string, 1)
		go func() {
			pipe, err := os.Open(path("pipe"))
			if err != nil {
				text <- err.Error()
				return
			}
			read, _ := io.ReadAll(pipe)
			text <- string(read)
		}()
		s.mustRun(t, to("-o", "pipe")...)
		require.Contains(t, <-text, "email\r\n")
		info, err := os.Lstat(path("pipe"))
		require.NoError(t, err)
		require.NotZero(t, info.Mode()&os.ModeNamedPipe, "the pipe is still one")
	})
	t.Run("a path of standard output is written into", func(t *testing.T) {
		require.Contains(t, s.mustRun(t, to("-o", "/dev/stdout")...), "email\r\n")
	})
	t.Run("a folder is refused", func(t *testing.T) {
		require.Equal(t, 2, s.run(t, "", to("-o", s.dir)...).code)
	})
	leftovers, err := filepath.Glob(path(".loadbay-*"))
	require.NoError(t, err)
	require.Empty(t, leftovers)
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}
