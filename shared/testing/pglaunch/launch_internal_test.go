package pglaunch

import (
	"archive/zip"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// fakeInstallation writes programs that only report their version.
func fakeInstallation(t *testing.T, dir, version string) string {
	t.Helper()
	bin := filepath.Join(dir, "bin")
	require.NoError(t, os.MkdirAll(bin, 0o755))
	for _, name := range []string{"initdb", "postgres", "pg_ctl"} {
		script := "#!/bin/sh\n[ \"$1\" = --version ] && echo 'postgres (PostgreSQL) " + version + "' && exit\nexit 1\n"
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte(script), 0o755))
	}
	return bin
}

func TestInspectParsesVersion(t *testing.T) {
	t.Parallel()
	for version, major := range map[string]int{"15.19 (Debian 15.19-0+deb12u1)": 15, "18.3": 18, "19devel": 19, "17beta1": 17} {
		b, err := inspectBinaries(t.Context(), fakeInstallation(t, t.TempDir(), version))
		require.NoError(t, err)
		require.Equal(t, major, b.major)
	}
	_, err := inspectBinaries(t.Context(), t.TempDir())
	require.ErrorIs(t, err, os.ErrNotExist)
}

func TestDataOfAnotherVersionIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "data"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "data", "PG_VERSION"), []byte("9\n"), 0o600))
	for _, bin := range []string{"", fakeInstallation(t, t.TempDir(), "17.10")} {
		_, err := Start(t.Context(), Config{Dir: dir, DownloadDir: t.TempDir(), BinDir: bin})
		var version *VersionError
		require.ErrorAs(t, err, &version)
		require.Equal(t, 9, version.Data)
		require.ErrorContains(t, err, "make upgrade-data")
	}
}

func TestUpgradeRefusesOlderServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "data"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "data", "PG_VERSION"), []byte("18\n"), 0o600))
	_, _, err := Upgrade(t.Context(), Config{Dir: dir, BinDir: fakeInstallation(t, t.TempDir(), "17.10")})
	require.ErrorContains(t, err, "PostgreSQL 17 cannot read data of version 18")
	_, _, err = Upgrade(t.Context(), Config{Dir: t.TempDir()})
	require.ErrorContains(t, err, "there is no data")
}

// A kill between the last two steps leaves no data folder; a start must not create an empty one.
func TestInterruptedUpgradeIsFinished(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for path, text := range map[string]string{"data-15/PG_VERSION": "15\n", "upgrade/data/PG_VERSION": "18\n", "upgrade/complete": "15\n"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, path), []byte(text), 0o600))
	}
	_, err := Start(t.Context(), Config{Dir: dir})
	require.ErrorIs(t, err, errInterrupted)
	require.NoDirExists(t, filepath.Join(dir, "data"))

	from, to, err := Upgrade(t.Context(), Config{Dir: dir})
	require.NoError(t, err)
	require.Equal(t, []int{15, 18}, []int{from, to})
	require.FileExists(t, filepath.Join(dir, "data", "PG_VERSION"))
	require.FileExists(t, filepath.Join(dir, "data-15", "PG_VERSION"))
	require.NoDirExists(t, filepath.Join(dir, "upgrade"))
}

func TestDumpDoesNotCreateTheSuperuser(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	require.NoError(t, copyStatements(&out, strings.NewReader("SET x;\nCREATE ROLE other;\nCREATE ROLE postgres;\nALTER ROLE postgres;\nCREATE ROLE postgres;\n")))
	require.Equal(t, "SET x;\nCREATE ROLE other;\nALTER ROLE postgres;\nCREATE ROLE postgres;\n", out.String())
}

func TestDownloadIsReused(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // embedded-postgres writes its log there
	installation := t.TempDir()
	fakeInstallation(t, installation, "18.3")
	archive := filepath.Join(t.TempDir(), "postgres.txz")
	if out, err := exec.Command("tar", "-cJf", archive, "-C", installation, "bin").CombinedOutput(); err != nil {
		t.Skipf("tar with xz support is not installed: %s", out)
	}
	packed, err := os.ReadFile(archive)
	require.NoError(t, err)
	requests := make(chan string, 10)
	repository := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests <- r.URL.Path
		if !strings.HasSuffix(r.URL.Path, ".jar") {
			http.NotFound(w, r)
			return
		}
		jar := zip.NewWriter(w)
		file, err := jar.Create("postgres.txz")
		if err == nil {
			_, err = file.Write(packed)
		}
		if err == nil {
			err = jar.Close()
		}
		if err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(repository.Close)

	var messages []string
	c, err := Config{Dir: t.TempDir(), DownloadDir: t.TempDir(), DownloadFrom: repository.URL, Progress: func(s string) { messages = append(messages, s) }}.withDefaults()
	require.NoError(t, err)
	for range 2 {
		b, err := downloadBinaries(t.Context(), c, 18)
		require.NoError(t, err)
		require.Equal(t, 18, b.major)
	}
	require.Equal(t, []string{"No PostgreSQL server is installed; downloading PostgreSQL 18.3.0."}, messages)
	require.Len(t, requests, 2, "the archive and its checksum are requested once")
}

func TestDownloadReportsError(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // embedded-postgres writes its log there
	repository := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(repository.Close)
	c, err := Config{Dir: t.TempDir(), DownloadDir: t.TempDir(), DownloadFrom: repository.URL}.withDefaults()
	require.NoError(t, err)
	_, err = downloadBinaries(t.Context(), c, 0)
	require.ErrorContains(t, err, "no version found matching 18.3.0")
}

func TestSweepRemovesAbandonedClusters(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	long := time.Now().Add(-time.Hour)
	for _, name := range []string{"abandoned", "held", "young"} {
		require.NoError(t, os.MkdirAll(filepath.Join(base, temporaryPrefix+name), 0o755))
	}
	held, err := lockDir(filepath.Join(base, temporaryPrefix+"held"))
	require.NoError(t, err)
	t.Cleanup(func() { _ = held.Close() })
	for _, name := range []string{"abandoned", "held"} {
		require.NoError(t, os.Chtimes(filepath.Join(base, temporaryPrefix+name), long, long))
	}
	sweepAbandoned(t.Context(), base)
	require.NoDirExists(t, filepath.Join(base, temporaryPrefix+"abandoned"))
	require.DirExists(t, filepath.Join(base, temporaryPrefix+"held"))
	require.DirExists(t, filepath.Join(base, temporaryPrefix+"young"))
}

func TestParentsOfDataAreOpened(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root runs the server as another user")
	}
	base := t.TempDir()
	closed := filepath.Join(base, "home")
	dir := filepath.Join(closed, "project")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	require.NoError(t, os.Chmod(closed, 0o700))
	var messages []string
	require.NoError(t, (&owner{}).openParents(dir, func(s string) { messages = append(messages, s) }))
	require.Contains(t, messages[0], closed)
	info, err := os.Stat(closed)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o701), info.Mode().Perm())
}

func TestFindTakesTheFolderOfTheEnvironment(t *testing.T) {
	bin := fakeInstallation(t, t.TempDir(), "17.10")
	t.Setenv(binEnv, bin)
	b, err := findBinaries(t.Context(), Config{Dir: t.TempDir()})
	require.NoError(t, err)
	require.Equal(t, binaries{dir: bin, major: 17}, b)
}
