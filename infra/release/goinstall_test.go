package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

const (
	rootModule   = "github.com/loadbay/loadbay"
	clientModule = rootModule + "/client"
)

// `go install` gets the command line from a module proxy, which serves both modules as their tags
// would contain them. The client's version is the one that go.mod requires.
func TestGoInstallFromModuleProxy(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command line")
	}
	t.Parallel()
	source, proxy, home := copySource(t), t.TempDir(), t.TempDir()
	clientVersion := requiredClientVersion(t, source)
	addModule(t, proxy, source, module.Version{Path: rootModule, Version: "v0.99.0"})
	addModule(t, proxy, filepath.Join(source, "client"), module.Version{Path: clientModule, Version: clientVersion})

	install := exec.Command("go", "install", "-trimpath", rootModule+"/cmd/loadbay@v0.99.0")
	install.Dir = home
	install.Env = withoutGoVariables(append(os.Environ(), moduleEnvironment(t, proxy, home)...))
	install.Env = append(install.Env, "CGO_ENABLED=0", "GOBIN="+filepath.Join(home, "bin"))
	run(t, install)
	version, err := exec.Command(filepath.Join(home, "bin", "loadbay"), "--version").Output()
	require.NoError(t, err)
	require.Contains(t, string(version), "v0.99.0")

	// A program of somebody else needs nothing of the service.
	program := filepath.Join(home, "program")
	require.NoError(t, os.Mkdir(program, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(program, "go.mod"), []byte("module example.org/program\n\ngo 1.26.0\n\nrequire "+clientModule+" "+clientVersion+"\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(program, "main.go"), []byte("package main\n\nimport _ \""+clientModule+"\"\n\nfunc main() {}\n"), 0o644))
	list := exec.Command("go", "list", "-mod=mod", "-deps", "-f", "{{with .Module}}{{.Path}}@{{.Version}}{{end}}", ".")
	list.Dir, list.Env = program, install.Env
	output, err := list.CombinedOutput()
	require.NoError(t, err, "%s", output)
	require.Contains(t, string(output), clientModule+"@"+clientVersion+"\n")
	require.NotContains(t, string(output), rootModule+"@")
}

// requiredClientVersion returns the version of the client in go.mod.
func requiredClientVersion(t *testing.T, source string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(source, "go.mod"))
	require.NoError(t, err)
	require.NotRegexp(t, `(?m)^replace|^\s+.* => `, string(text), "go install refuses a module with replacements")
	found := regexp.MustCompile(regexp.QuoteMeta(clientModule) + ` (v\S+)`).FindSubmatch(text)
	require.NotNil(t, found)
	return string(found[1])
}

// moduleEnvironment makes the go command read the proxy, and other modules from the cache of this
// machine, into a cache of its own: the real one would keep modules that were never released.
func moduleEnvironment(t *testing.T, proxy, home string) []string {
	t.Helper()
	cached, err := command("go", "env", "GOMODCACHE", "GOPROXY")
	require.NoError(t, err)
	cache, others, _ := strings.Cut(cached, "\n")
	return []string{
		"GOPROXY=file://" + proxy + ",file://" + filepath.Join(cache, "cache", "download") + "," + others,
		"GOMODCACHE=" + filepath.Join(home, "modules"), "GONOSUMDB=*", "GOFLAGS=-modcacherw", "GOWORK=off", "GOTOOLCHAIN=local",
	}
}

// withoutGoVariables removes variables that this test run has and a user has not.
func withoutGoVariables(env []string) (kept []string) {
	for _, e := range env {
		if !strings.HasPrefix(e, "GOMOD=") && !strings.HasPrefix(e, "GOPRIVATE=") && !strings.HasPrefix(e, "GONOPROXY=") {
			kept = append(kept, e)
		}
	}
	return kept
}

// addModule adds a module version to a proxy (https://go.dev/ref/mod#goproxy-protocol). Its zip does
// not contain modules in folders below.
func addModule(t *testing.T, proxy, folder string, m module.Version) {
	t.Helper()
	to := filepath.Join(proxy, filepath.FromSlash(m.Path), "@v")
	require.NoError(t, os.MkdirAll(to, 0o755))
	write := func(ending string, content []byte) {
		require.NoError(t, os.WriteFile(filepath.Join(to, m.Version+ending), content, 0o644))
	}
	info, err := json.Marshal(map[string]string{"Version": m.Version, "Time": "2026-01-02T03:04:05Z"})
	require.NoError(t, err)
	write(".info", info)
	text, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	require.NoError(t, err)
	write(".mod", text)
	require.NoError(t, os.WriteFile(filepath.Join(to, "list"), []byte(m.Version+"\n"), 0o644))
	file, err := os.Create(filepath.Join(to, m.Version+".zip"))
	require.NoError(t, err)
	defer file.Close()
	require.NoError(t, zip.CreateFromDir(file, m, folder), fmt.Sprintf("zip of %s", m))
}
