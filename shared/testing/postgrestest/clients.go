package postgrestest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/testing/pglaunch"
)

// ClientDir returns the folder of client programs that know the server's version: those next to the
// server, or else the newest that are installed. Without any, the test is skipped.
func ClientDir(t testing.TB, admin string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), admin)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	var beside string
	var server int
	require.NoError(t, conn.QueryRow(t.Context(),
		`SELECT setting, current_setting('server_version_num')::int / 10000 FROM pg_config WHERE name = 'BINDIR'`).Scan(&beside, &server))
	installed, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	require.NoError(t, err)
	installed = append(installed, beside)
	slices.Reverse(installed)
	for _, dir := range installed {
		version, err := exec.CommandContext(t.Context(), filepath.Join(dir, "pg_dump"), "--version").Output()
		var major int
		if _, unread := fmt.Sscanf(string(version), "pg_dump (PostgreSQL) %d", &major); err == nil && unread == nil && major >= server {
			return dir
		}
	}
	t.Skipf("skipped: pg_dump for PostgreSQL %d is not installed", server)
	return ""
}

// OlderServer returns the programs of an installed PostgreSQL that Loadbay supports and that is older
// than the tested one, with its client programs. Without any, the test is skipped.
func OlderServer(t testing.TB) (binDir string, major int) {
	t.Helper()
	_, tested, err := pglaunch.Find(t.Context(), pglaunch.Config{Dir: t.TempDir()})
	require.NoError(t, err)
	for major = tested - 1; major >= 15; major-- {
		binDir = fmt.Sprintf("/usr/lib/postgresql/%d/bin", major)
		if _, err := os.Stat(filepath.Join(binDir, "pg_dumpall")); err == nil {
			return binDir, major
		}
	}
	t.Skipf("skipped: no PostgreSQL older than %d is installed", tested)
	return "", 0
}
