package faults

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// One import waits for each kind of decision while everything is stopped or killed,
// including the database and AWS, and restarted with other binaries; then the decisions
// are made.
func TestWaitingJobSurvivesDeployment(t *testing.T) {
	for name, end := range map[string]func(*stacktest.Stack){
		"stopped gracefully": (*stacktest.Stack).Stop,
		"killed":             (*stacktest.Stack).Kill,
	} {
		t.Run(name, func(t *testing.T) {
			if name != "killed" && !runsLongTests() {
				t.Skip("runs only with the long tests")
			}
			deployed := t.TempDir()
			copyRelease(t, deployed, "first")
			r := &harness{Stack: stacktest.Start(t, "BIN_DIR="+deployed)}
			columns, values, both := r.importUnknownColumn(t), r.importUnknownValue(t), r.importUnknownColumn(t)
			for id, status := range map[string]string{columns: "COLUMN_MAPPING", both: "COLUMN_MAPPING", values: "CELL_MAPPING"} {
				r.awaitStatus(t, id, status)
			}
			end(r.Stack)
			copyRelease(t, deployed, "second")
			r.Restart(t)
			r.answerColumns(t, columns)
			r.answerValues(t, values)
			r.requireAllCreated(t, columns, chunkRows)
			r.requireOutcome(t, values, rawclient.Summary{Created: 3})
			require.Equal(t, int64(3), stacktest.Query[int64](t, r.Stack, `
				SELECT count(*) FROM memberships AS m JOIN import_jobs AS j ON j.id = m.source_job WHERE j.uuid = $1 AND m.type_id = $2`, values, seniorType))
			end(r.Stack) // one import waits through two restarts
			r.Restart(t)
			r.answerColumns(t, both)
			r.requireAllCreated(t, both, chunkRows)
		})
	}
}

// copyRelease copies a version of the functions into a folder. Versions differ in every
// binary: by a mark at its end, or, in long runs, by a new build.
func copyRelease(t *testing.T, dir, version string) {
	t.Helper()
	binaries, err := filepath.Glob(filepath.Join(stacktest.Root(t), "bin", "functions", "*", "bootstrap"))
	require.NoError(t, err)
	require.NotEmpty(t, binaries, "run `make build` first")
	for _, binary := range binaries {
		function := filepath.Base(filepath.Dir(binary))
		target := filepath.Join(dir, function, "bootstrap")
		require.NoError(t, os.MkdirAll(filepath.Dir(target), 0o755))
		if err := os.Remove(target); err != nil {
			require.ErrorIs(t, err, os.ErrNotExist)
		}
		if runsLongTests() {
			build := exec.Command("go", "build", "-trimpath", "-tags", "lambda.norpc", "-ldflags", "-s -w -X main.version="+version+" -buildid="+version, "-o", target, "./functions/"+function)
			build.Dir, build.Env = stacktest.Root(t), append(os.Environ(), "CGO_ENABLED=0")
			output, err := build.CombinedOutput()
			require.NoError(t, err, "%s", output)
			continue
		}
		program, err := os.ReadFile(binary)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(target, append(program, version...), 0o755))
	}
}
