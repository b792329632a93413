package earlier

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// The clients import a file with an error, and a file with a question, on a server of the last release.
func TestClientsUseEarlierServer(t *testing.T) {
	t.Parallel()
	stack := stacktest.Start(t)
	address := serveEarlier(t, stack)
	t.Run("what is new is hidden", func(t *testing.T) { testEarlierServer(t, address) })
	t.Run("Go", func(t *testing.T) { testGo(t, address) })
	t.Run("command line", func(t *testing.T) { testCommandLine(t, address) })
	t.Run("TypeScript", func(t *testing.T) { testTypeScript(t, address) })
	t.Run("Python", func(t *testing.T) { testPython(t, address) })
}

// The proxy would prove nothing if it let everything pass.
func testEarlierServer(t *testing.T, address string) {
	c, err := client.New(address)
	require.NoError(t, err)
	_, err = client.Read[api.Settings](c.API.GetSettings(t.Context()))
	require.True(t, client.HasCode(err, "NOT_FOUND"), "%v", err)
	text := "email,name\nnew@example.org,New\n"
	label := api.Label("nightly")
	_, err = c.Import(t.Context(), "", api.Creation{ImportType: "USER", Filename: "users.csv", Label: &label}, strings.NewReader(text), int64(len(text)), nil)
	require.ErrorContains(t, err, "unknown member label")
}

func testGo(t *testing.T, address string) {
	c, err := client.New(address)
	require.NoError(t, err)
	start := true
	text := "email,name\ngo@example.org,Go\nnonsense,Bo\n"
	job, err := c.Import(t.Context(), "", api.Creation{ImportType: "USER", Filename: "users.csv", AutoStart: &start}, strings.NewReader(text), int64(len(text)), nil)
	require.NoError(t, err)
	job, err = c.Wait(t.Context(), job.Identifier.String(), nil)
	require.NoError(t, err)
	require.Equal(t, api.StatusCOMPLETED, job.Status)
	require.Equal(t, []int64{1, 1}, []int64{job.CreatedCount, job.ErrorCount})

	text = "Zzz,name\ngo2@example.org,Go\n"
	job, err = c.Import(t.Context(), "", api.Creation{ImportType: "USER", Filename: "asked.csv"}, strings.NewReader(text), int64(len(text)), nil)
	require.NoError(t, err)
	job, err = c.Decide(t.Context(), job.Identifier.String(), func(q client.Question) client.Answer {
		if q.Column.Status != "UNRESOLVED" {
			return client.Answer{}
		}
		field := "EMAIL"
		return client.Answer{Column: &api.ColumnAnswer{TargetField: &field}}
	})
	require.NoError(t, err)
	require.Equal(t, api.StatusCOMPLETED, job.Status)
}

func testCommandLine(t *testing.T, address string) {
	dir := t.TempDir()
	command := exec.CommandContext(t.Context(), filepath.Join(stacktest.Root(t), "bin", "loadbay"), "import", writeFile(t, dir, "users.csv", "email,name\ncli@example.org,Cli\n"), "--type", "USER", "--yes", "--jq", ".status")
	command.Env = append(os.Environ(), "LOADBAY_URL="+address, "LOADBAY_CONFIG="+filepath.Join(dir, "none.json"))
	require.Contains(t, run(t, command), "COMPLETED")
}

const module = `
import assert from 'node:assert/strict'
const { importFile, loadbay, pages, waitForImport } = await import(process.env.CLIENT)

const api = loadbay({ baseUrl: process.env.LOADBAY_URL })
const file = new Blob(['email,name\nts@example.org,Ts\nnonsense,Bo\n'])
const { identifier } = await importFile(api, file, { importType: 'USER', filename: 'users.csv', autoStart: true })
const job = await waitForImport(api, identifier)
assert.deepEqual([job.status, job.createdCount, job.errorCount], ['COMPLETED', 1, 1])
const params = { path: { importId: identifier }, query: { outcome: 'ERROR' } }
const rows = []
for await (const row of pages((start) => api.GET('/api/imports/{importId}/results', { params: { ...params, query: { ...params.query, ...start } } }))) rows.push(row.rowNumber)
assert.deepEqual(rows, [3])
console.log('done')
`

func testTypeScript(t *testing.T, address string) {
	built := filepath.Join(stacktest.Root(t), "client", "typescript", "dist", "index.js")
	if _, err := os.Stat(built); err != nil {
		t.Skip("the TypeScript client is not built: run make check-typescript-client")
	}
	command := exec.CommandContext(t.Context(), "node", "--input-type=module", "--eval", module)
	command.Env = append(os.Environ(), "LOADBAY_URL="+address, "CLIENT="+built)
	require.Contains(t, run(t, command), "done")
}

const script = `
import os
from loadbay import Client, needs_input

client = Client(os.environ["LOADBAY_URL"])
job = client.import_rows([{"email": "py@example.org", "name": "Py"}, {"email": "nonsense", "name": "Bo"}], "USER", autoStart=True)
assert (job["status"], job["createdCount"], job["errorCount"]) == ("COMPLETED", 1, 1), job
assert [row["rowNumber"] for row in client.errors(job["identifier"])] == [3]
job = client.import_rows([{"Zzz": "py2@example.org", "name": "Xe"}], "USER")
assert needs_input(job), job
answers = [{"id": c["id"], "targetField": "EMAIL"} for c in client.columns(job["identifier"]) if c["status"] == "UNRESOLVED"]
client.answer_columns(job["identifier"], answers)
assert client.wait(job["identifier"], timeout=60)["status"] == "COMPLETED"
print("done")
`

func testPython(t *testing.T, address string) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	command := exec.CommandContext(t.Context(), python, "-c", script)
	command.Env = append(os.Environ(), "LOADBAY_URL="+address, "PYTHONDONTWRITEBYTECODE=1", "PYTHONPATH="+filepath.Join(stacktest.Root(t), "client", "python", "src"))
	require.Contains(t, run(t, command), "done")
}
