package pglaunch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// binaries is an installation of Postgres.
type binaries struct {
	dir   string // contains initdb and postgres
	major int
}

func (b binaries) path(program string) string { return filepath.Join(b.dir, program) }

// statementsLibrary is the library that measures the cost of statements.
const statementsLibrary = "pg_stat_statements"

// hasStatementStats reports whether the installation contains that library.
func (b binaries) hasStatementStats() bool {
	for _, dir := range []string{"lib", "lib/postgresql"} {
		found, err := filepath.Glob(filepath.Join(filepath.Dir(b.dir), dir, statementsLibrary+".*"))
		if err == nil && len(found) > 0 {
			return true
		}
	}
	return false
}

// installDirs returns the folders, in addition to PATH, in which packages install Postgres: Debian
// and Ubuntu, Red Hat, Alpine, Homebrew on both kinds of Mac, Postgres.app.
func installDirs() []string {
	return []string{
		"/usr/lib/postgresql/*/bin",
		"/usr/pgsql-*/bin",
		"/usr/libexec/postgresql*",
		"/opt/homebrew/opt/postgresql*/bin",
		"/usr/local/opt/postgresql*/bin",
		"/Applications/Postgres.app/Contents/Versions/*/bin",
	}
}

// errNotInstalled means that no usable server binaries are on this machine.
var errNotInstalled = errors.New("no PostgreSQL server is installed")

// newestInstalled returns the newest binaries on this machine, or, unless major is
// 0, those of that major version.
func newestInstalled(ctx context.Context, major int) (binaries, error) {
	var best binaries
	for _, dir := range findCandidates() {
		b, err := inspectBinaries(ctx, dir)
		if err != nil {
			continue // not a candidate: the folder has no working server
		}
		if major != 0 && b.major != major {
			continue
		}
		if b.major > best.major {
			best = b
		}
	}
	if best.dir == "" {
		return binaries{}, errNotInstalled
	}
	return best, nil
}

func findCandidates() []string {
	var dirs []string
	for _, pattern := range installDirs() {
		found, err := filepath.Glob(pattern)
		if err == nil {
			dirs = append(dirs, found...)
		}
	}
	if initdb, err := exec.LookPath("initdb"); err == nil {
		dirs = append(dirs, filepath.Dir(initdb))
	}
	return dirs
}

// versionPattern matches "postgres (PostgreSQL) 15.19 (Debian …)", "… 18devel".
var versionPattern = regexp.MustCompile(`\(PostgreSQL\) (\d+)`)

func inspectBinaries(ctx context.Context, dir string) (binaries, error) {
	b := binaries{dir: dir}
	if _, err := os.Stat(b.path("initdb")); err != nil {
		return b, fmt.Errorf("inspect %s: %w", dir, err)
	}
	out, err := exec.CommandContext(ctx, b.path("postgres"), "--version").Output()
	if err != nil {
		return b, fmt.Errorf("inspect %s: %w", dir, err)
	}
	match := versionPattern.FindStringSubmatch(string(out))
	if match == nil {
		return b, fmt.Errorf("inspect %s: postgres --version returned %q", dir, strings.TrimSpace(string(out)))
	}
	b.major, err = strconv.Atoi(match[1])
	if err != nil {
		return b, fmt.Errorf("inspect %s: %w", dir, err)
	}
	return b, nil
}

// binEnv is the variable with the folder of the binaries to use.
const binEnv = "POSTGRES_BIN"

// Find returns the folder of the programs that Start would run in c.Dir, and their major version.
func Find(ctx context.Context, c Config) (binDir string, major int, err error) {
	c, err = c.withDefaults()
	if err != nil {
		return "", 0, err
	}
	b, err := findBinaries(ctx, c)
	return b.dir, b.major, err
}

// findBinaries returns the binaries for the cluster of c.
func findBinaries(ctx context.Context, c Config) (binaries, error) {
	if c.BinDir == "" {
		c.BinDir, _ = os.LookupEnv(binEnv)
	}
	major, err := clusterVersion(c.dataDir())
	if err != nil {
		return binaries{}, err
	}
	if c.BinDir != "" {
		b, err := inspectBinaries(ctx, c.BinDir)
		if err == nil && major != 0 && b.major != major {
			err = &VersionError{Dir: c.Dir, Data: major, Server: b.major}
		}
		return b, err
	}
	b, err := newestInstalled(ctx, major)
	if !errors.Is(err, errNotInstalled) {
		return b, err
	}
	if other, err := newestInstalled(ctx, 0); err == nil {
		return other, &VersionError{Dir: c.Dir, Data: major, Server: other.major}
	}
	b, err = downloadBinaries(ctx, c, major)
	if err != nil {
		return b, fmt.Errorf("%w%s, and it could not be downloaded; install one (apt-get install postgresql, brew install postgresql) or set DATABASE_URL: %w",
			errNotInstalled, filterMajor(major), err)
	}
	return b, nil
}

func filterMajor(major int) string {
	if major == 0 {
		return ""
	}
	return fmt.Sprintf(" of version %d, which created the existing data", major)
}

// clusterVersion returns the major version that created the cluster in dataDir; 0 if there is none.
func clusterVersion(dataDir string) (int, error) {
	text, err := os.ReadFile(filepath.Join(dataDir, "PG_VERSION"))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read the cluster's version: %w", err)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("read the cluster's version: %w", err)
	}
	return major, nil
}
