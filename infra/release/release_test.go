package main

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Two builds of the same commit are identical, byte for byte.
func TestReleaseIsReproducible(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the functions for AWS twice")
	}
	t.Parallel()
	here, there := buildRelease(t, "v1.2.3"), buildRelease(t, "v1.2.3")
	require.NotEmpty(t, here)
	require.Equal(t, here, there)
}

// buildRelease builds a release of one function and of the command line for one platform, in
// its own copy of the source, and returns the checksums.
func buildRelease(t *testing.T, version string) string {
	t.Helper()
	source := copySource(t)
	run(t, exec.Command("make", "-C", source, "dist", "VERSION="+version, "FUNCTIONS=notify", "PLATFORMS=linux/amd64", "LOCAL_PLATFORMS="))
	sums, err := os.ReadFile(filepath.Join(source, "dist", "loadbay-"+version, "checksums.txt"))
	require.NoError(t, err)
	for _, name := range []string{"notify.zip", "loadbay-" + version + "-linux-amd64.tar.gz", "licenses.txt", "LICENSE", "NOTICE"} {
		require.Contains(t, string(sums), "  "+name+"\n")
	}
	return string(sums)
}

// copySource copies the source without its history.
func copySource(t *testing.T) string {
	t.Helper()
	source := t.TempDir()
	files := exec.Command("sh", "-c", `git ls-files -zco --exclude-standard | tar -c --null -T - | tar -x -C "$1"`, "sh", source)
	files.Dir = filepath.Join("..", "..")
	run(t, files)
	return source
}

// The list of modules and the checksums are the same at any time, and their signature is verified
// with the command in SECURITY.md.
func TestReleaseIsSigned(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the tools of .ci/release-tools")
	}
	t.Parallel()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	require.NoError(t, err)
	source, keys := copySource(t), t.TempDir()
	dist := filepath.Join(source, "dist", "loadbay-v1.2.3")
	require.NoError(t, os.MkdirAll(dist, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dist, "checksums.txt"), nil, 0o644))
	minisign := func(args ...string) *exec.Cmd {
		c := exec.Command("env", append([]string{"GOWORK=off", "go", "tool", "-modfile=" + filepath.Join(root, ".ci", "release-tools", "go.mod"), "minisign"}, args...)...)
		c.Dir = root
		return c
	}
	secret, public := filepath.Join(keys, "secret"), filepath.Join(keys, "public")
	run(t, minisign("-G", "-W", "-s", secret, "-p", public))
	sign := func() string {
		c := exec.Command("make", "-C", source, "sbom", "sign", "VERSION=v1.2.3")
		c.Env = append(os.Environ(), "SIGNING_KEY="+secret)
		run(t, c)
		sums, err := os.ReadFile(filepath.Join(dist, "checksums.txt"))
		require.NoError(t, err)
		return string(sums)
	}
	first := sign()
	require.Equal(t, first, sign())
	modules, err := os.ReadFile(filepath.Join(dist, "sbom.cdx.json"))
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("%x  sbom.cdx.json\n", sha256.Sum256(modules)), first)
	require.True(t, json.Valid(modules))
	require.Contains(t, string(modules), `"name": "github.com/jackc/pgx/v5"`)
	require.Contains(t, string(modules), `"purl": "pkg:golang/github.com/loadbay/loadbay@v1.2.3?`, "before the commit has its tag")

	sums := filepath.Join(dist, "checksums.txt")
	run(t, minisign("-V", "-p", public, "-m", sums))
	require.NoError(t, os.WriteFile(sums, []byte(first+"0  other\n"), 0o644))
	require.Error(t, minisign("-V", "-p", public, "-m", sums).Run())
}

// The component of the release, and what depends on it, have its version, also if the tool has found
// another one or none.
func TestSBOMHasVersionOfRelease(t *testing.T) {
	t.Parallel()
	for _, found := range []string{"", "@v0.1.1-0.20261124185549-d04f15150000"} {
		own := "pkg:golang/github.com/loadbay/loadbay" + found + "?type=module"
		stamped, err := stampVersion([]byte(`{"metadata": {"timestamp": "2026-11-24T18:55:49Z", "component": {"bom-ref": "`+own+`", "name": "github.com/loadbay/loadbay", "purl": "`+own+`&goos=linux"}},
			"components": [{"name": "<b> & c", "version": "v5.12.0"}], "dependencies": [{"ref": "`+own+`", "dependsOn": ["x"]}, {"ref": "y", "dependsOn": ["`+own+`"]}]}`), "v1.2.3")
		require.NoError(t, err)
		const want = "pkg:golang/github.com/loadbay/loadbay@v1.2.3?type=module"
		require.JSONEq(t, `{"metadata": {"component": {"bom-ref": "`+want+`", "name": "github.com/loadbay/loadbay", "version": "v1.2.3", "purl": "`+want+`&goos=linux"}},
			"components": [{"name": "<b> & c", "version": "v5.12.0"}], "dependencies": [{"ref": "`+want+`", "dependsOn": ["x"]}, {"ref": "y", "dependsOn": ["`+want+`"]}]}`, string(stamped))
		require.Contains(t, string(stamped), "<b> & c")
	}
	_, err := stampVersion([]byte(`{"components": []}`), "v1.2.3")
	require.ErrorContains(t, err, "no component of its own")
}

func TestWriteZips(t *testing.T) {
	t.Parallel()
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "loadbay-v1.2.3")
	for _, name := range []string{"process", "api", "not-asked-for"} {
		require.NoError(t, os.Mkdir(filepath.Join(from, name), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(from, name, program), []byte(name+" v1.2.3"), 0o700))
	}
	require.NoError(t, os.Mkdir(to, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(to, "of-an-earlier-run.zip"), nil, 0o644))
	files, err := writeZips("v1.2.3", from, []string{"process", "api"})
	require.NoError(t, err)
	require.NoError(t, writeRelease(to, files))

	entries, err := os.ReadDir(to)
	require.NoError(t, err)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	require.Equal(t, []string{"api.zip", "checksums.txt", "process.zip"}, names)
	check := exec.Command("sha256sum", "--check", "--strict", "checksums.txt")
	check.Dir = to
	run(t, check)
	archive, err := zip.OpenReader(filepath.Join(to, "api.zip"))
	require.NoError(t, err)
	defer archive.Close()
	require.Len(t, archive.File, 1)
	require.Equal(t, program, archive.File[0].Name)
	require.Equal(t, os.FileMode(0o755), archive.File[0].Mode(), "the program is executable for Lambda")
}

func TestWriteZipsRefuses(t *testing.T) {
	t.Parallel()
	from := t.TempDir()
	_, err := writeZips("v1.2.3", from, []string{"api"})
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.Mkdir(filepath.Join(from, "api"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(from, "api", program), []byte("v1.2.2"), 0o755))
	_, err = writeZips("v1.2.3", from, []string{"api"})
	require.ErrorContains(t, err, "does not have the version")
}

// stampedFolder creates a folder for an archive.
func stampedFolder(t *testing.T, folder, program string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "man", "man1"), 0o755))
	require.NoError(t, os.MkdirAll(filepath.Join(folder, ".flat"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, program), []byte("#!/bin/sh\necho v1.2.3\n"), 0o700))
	for _, name := range []string{"man/man1/loadbay.1", ".flat/hidden"} {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(name), 0o600))
	}
}

// The archives unpack, with the usual tools, to programs that start.
func TestArchivesContainPrograms(t *testing.T) {
	t.Parallel()
	from, to := t.TempDir(), t.TempDir()
	stampedFolder(t, filepath.Join(from, "loadbay-v1.2.3-linux-amd64"), "loadbay")
	stampedFolder(t, filepath.Join(from, "loadbay-v1.2.3-windows-arm64"), "loadbay.exe")
	files, err := writeArchives("v1.2.3", from, map[string][]byte{"LICENSE": []byte("free")})
	require.NoError(t, err)
	require.Len(t, files, 2)
	require.NoError(t, writeRelease(to, files))

	unpack := exec.Command("tar", "xzf", "loadbay-v1.2.3-linux-amd64.tar.gz")
	unpack.Dir = to
	run(t, unpack)
	unpacked := filepath.Join(to, "loadbay-v1.2.3-linux-amd64")
	output, err := exec.Command(filepath.Join(unpacked, "loadbay")).Output()
	require.NoError(t, err)
	require.Equal(t, "v1.2.3\n", string(output))
	require.FileExists(t, filepath.Join(unpacked, "man", "man1", "loadbay.1"))
	require.FileExists(t, filepath.Join(unpacked, "LICENSE"))
	require.NoDirExists(t, filepath.Join(unpacked, ".flat"))

	archive, err := zip.OpenReader(filepath.Join(to, "loadbay-v1.2.3-windows-arm64.zip"))
	require.NoError(t, err)
	defer archive.Close()
	var names []string
	for _, file := range archive.File {
		names = append(names, file.Name)
	}
	require.Equal(t, []string{"loadbay-v1.2.3-windows-arm64/loadbay.exe", "loadbay-v1.2.3-windows-arm64/man/man1/loadbay.1", "loadbay-v1.2.3-windows-arm64/LICENSE"}, names)

	_, err = writeArchives("v1.2.4", from, nil)
	require.ErrorContains(t, err, "no program has the version v1.2.4")
}

func run(t *testing.T, c *exec.Cmd) {
	t.Helper()
	output, err := c.CombinedOutput()
	require.NoError(t, err, strings.TrimSpace(string(output)))
}
