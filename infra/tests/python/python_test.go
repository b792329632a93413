package python

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// environment is a virtual environment with the client.
type environment struct {
	python, dir, client string
	packages            []string // wheels that are imported without installing them
}

// install builds the wheel and installs it.
func install(t *testing.T) *environment {
	t.Helper()
	system, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	e := &environment{python: system, dir: t.TempDir(), client: filepath.Join(stacktest.Root(t), "client", "python")}
	home := filepath.Join(e.dir, "venv")
	e.run(t, nil, "-m", "venv", home)
	e.python = filepath.Join(home, "bin", "python")
	e.run(t, nil, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps", "--no-build-isolation", "-w", e.dir, e.client)
	wheels, err := filepath.Glob(filepath.Join(e.dir, "loadbay-*-py3-none-any.whl"))
	require.NoError(t, err)
	require.Len(t, wheels, 1)
	e.run(t, nil, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheels[0])
	return e
}

// run runs Python and returns its output.
func (e *environment) run(t *testing.T, env []string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), e.python, args...)
	c.Dir, c.Env = e.dir, append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "PIP_DISABLE_PIP_VERSION_CHECK=1")
	if e.packages != nil {
		c.Env = append(c.Env, "PYTHONPATH="+strings.Join(e.packages, ":"))
	}
	c.Env = append(c.Env, env...)
	output, err := c.CombinedOutput()
	require.NoError(t, err, "%s", output)
	return string(output)
}

// maxExample is the number of lines of the first example in the README.
const maxExample = 15

// firstExample returns the first example of the README.
func (e *environment) firstExample(t *testing.T) string {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join(e.client, "README.md"))
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(readme), "```python\n")
	example, _, ok := strings.Cut(rest, "```")
	require.True(t, ok)
	require.LessOrEqual(t, strings.Count(example, "\n"), maxExample)
	return example
}

const script = `
import os
from loadbay import ApiError, Client, needs_input

client = Client(os.environ["LOADBAY_URL"], token=os.environ["LOADBAY_TOKEN"])
try:
    client.get("01a1f9e7-1bde-7bf8-ac8c-500f93581dd4")
    raise AssertionError("it does not exist")
except ApiError as error:
    assert (error.status, error.code) == (404, "NOT_FOUND"), error
    assert error.request_id

# Questions: a column that no field receives.
job = client.import_rows([{"Zzz": "x@example.org", "name": "Xe"}], "USER")
assert needs_input(job) and job["waitingFor"] == "COLUMN_MAPPINGS", job
answers = [{"id": c["id"], "targetField": "EMAIL"} for c in client.columns(job["identifier"]) if c["status"] == "UNRESOLVED"]
client.answer_columns(job["identifier"], answers)
job = client.wait(job["identifier"], timeout=60)
assert (job["status"], job["createdCount"]) == ("COMPLETED", 1), job

# A plan, its changes, and its undo.
plan = client.plan("plan.csv", "USER", mode="upsert")
assert plan["status"] == "AWAITING_APPROVAL", plan
assert len(list(client.changes(plan["identifier"]))) == 1
done = client.apply(plan)
assert (done["status"], done["updatedCount"]) == ("COMPLETED", 1), done
preview = client.undo(plan["identifier"], preview=True)
assert preview["dryRun"], preview
assert client.undo(plan["identifier"])["status"] == "COMPLETED"

# An API key.
key = client.request("POST", "/api/settings/api-keys", body={"name": "python", "scopes": ["imports:read"]})
assert Client(os.environ["LOADBAY_URL"], token=key["key"]).request("GET", "/api/me")["subject"] == "key:python"
print("done")
`

func TestClient(t *testing.T) {
	t.Parallel()
	stacktest.SkipShort(t)
	e := install(t)
	e.run(t, nil, "-m", "unittest", "discover", filepath.Join(e.client, "tests"))
	stack := stacktest.Start(t)
	token, err := rawclient.LocalToken(t.Context(), "http://"+stack.API, 1)
	require.NoError(t, err)
	env := []string{"LOADBAY_URL=http://" + stack.API, "LOADBAY_TOKEN=" + token}
	require.NoError(t, os.WriteFile(filepath.Join(e.dir, "users.csv"), []byte("email,name\nann@example.org,Ann\nnonsense,Bo\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(e.dir, "plan.csv"), []byte("email,name\nann@example.org,Ann Other\n"), 0o600))
	example := strings.ReplaceAll(e.firstExample(t), `"https://loadbay.example.org"`, `os.environ["LOADBAY_URL"]`)
	output := e.run(t, env, "-c", example)
	require.Contains(t, output, "COMPLETED 1 created, 1 errors")
	require.Contains(t, output, "line 3")
	require.Contains(t, e.run(t, env, "-c", script), "done")
	if pandas := e.withPandas(t); pandas != nil {
		pandas.run(t, nil, "-m", "unittest", "discover", filepath.Join(e.client, "tests"))
		require.Contains(t, pandas.run(t, env, "-c", frameScript), "done")
	}
}

const frameScript = `
import os
import pandas
from loadbay import Client

client = Client(os.environ["LOADBAY_URL"], token=os.environ["LOADBAY_TOKEN"])
frame = pandas.DataFrame({"email": ["fay@example.org", "nonsense"], "name": ["Fay", None]})
job = client.import_frame(frame, "USER", autoStart=True)
assert (job["status"], job["createdCount"], job["errorCount"]) == ("COMPLETED", 1, 1), job
print("done")
`

// withPandas returns an environment of Debian's Python with the wheel and the package
// python3-pandas, or nil if that is not installed.
func (e *environment) withPandas(t *testing.T) *environment {
	t.Helper()
	const debian = "/usr/bin/python3"
	if exec.CommandContext(t.Context(), debian, "-c", "import pandas").Run() != nil {
		t.Log("not tested: data frames of pandas, which Debian's Python does not have")
		return nil
	}
	wheels, err := filepath.Glob(filepath.Join(e.dir, "loadbay-*-py3-none-any.whl"))
	require.NoError(t, err)
	return &environment{python: debian, dir: e.dir, client: e.client, packages: wheels}
}
