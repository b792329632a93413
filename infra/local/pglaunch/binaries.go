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
	dir   string // with initdb and postgres in it
	major int
}

func (b binaries) path(program string) string { return filepath.Join(b.dir, program) }

// counter is the library that counts what statements cost.
const counter = "pg_stat_statements"

// counts reports whether the counter is among the libraries of the installation.
func (b binaries) counts() bool {
	for _, dir := range []string{"lib", "lib/postgresql"} {
		found, err := filepath.Glob(filepath.Join(filepath.Dir(b.dir), dir, counter+".*"))
		if err == nil && len(found) > 0 {
			return true
		}
	}
	return false
}

// places are where packages put Postgres, besides PATH: Debian and Ubuntu, Red
// Hat, Alpine, Homebrew on both kinds of Mac, Postgres.app.
func places() []string {
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

// installed returns the newest binaries on this machine, or, unless major is
// 0, those of that major version.
func installed(ctx context.Context, major int) (binaries, error) {
	var best binaries
	for _, dir := range candidates() {
		b, err := inspect(ctx, dir)
		if err != nil {
			continue // a folder without a server that runs is not a candidate
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

func candidates() []string {
	var dirs []string
	for _, pattern := range places() {
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

func inspect(ctx context.Context, dir string) (binaries, error) {
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
		return b, fmt.Errorf("inspect %s: postgres --version says %q", dir, strings.TrimSpace(string(out)))
	}
	b.major, err = strconv.Atoi(match[1])
	if err != nil {
		return b, fmt.Errorf("inspect %s: %w", dir, err)
	}
	return b, nil
}

// binEnv names the variable with the folder of the binaries to use.
const binEnv = "POSTGRES_BIN"

// find returns the binaries that are to run the cluster of c.
func find(ctx context.Context, c Config) (binaries, error) {
	if c.BinDir == "" {
		c.BinDir, _ = os.LookupEnv(binEnv)
	}
	if c.BinDir != "" {
		return inspect(ctx, c.BinDir)
	}
	major, err := clusterVersion(c.dataDir())
	if err != nil {
		return binaries{}, err
	}
	b, err := installed(ctx, major)
	if !errors.Is(err, errNotInstalled) {
		return b, err
	}
	b, err = download(ctx, c, major)
	if err != nil {
		return b, fmt.Errorf("%w%s, and it could not be downloaded; install one (apt-get install postgresql, brew install postgresql) or set DATABASE_URL: %w",
			errNotInstalled, ofMajor(major), err)
	}
	return b, nil
}

func ofMajor(major int) string {
	if major == 0 {
		return ""
	}
	return fmt.Sprintf(" of version %d, which made the data that is there", major)
}

// clusterVersion is the major version that made the cluster in dataDir; 0 if there is none.
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
