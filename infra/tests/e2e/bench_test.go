package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// `make bench` reports the duration and the resource usage of each kind of import, and which
// goals are met. Unchanged rows are not written again.
func TestBenchReportsUsage(t *testing.T) {
	t.Parallel()
	const rows = 5000
	root := stacktest.Root(t)
	report := filepath.Join(t.TempDir(), "bench.json")
	command := exec.CommandContext(t.Context(), filepath.Join(root, "bin", "loadbay-local"), "bench")
	command.Dir = root
	command.Env = append(os.Environ(), "BENCH_ROWS=5000", "BENCH_FIRST=6000", "BENCH_FILES=20", "BENCH_COLD=2", "BENCH_VALUES=2000", "BENCH_REPORT="+report, "DATABASE_URL=", "DATA_DIR="+t.TempDir())
	output := &stacktest.Output{}
	require.NoError(t, stacktest.Launch(t, command, output).Wait(), output.String())

	var got struct {
		Figures []struct {
			What  string
			Took  int64
			Usage struct{ Postgres, Process, Local, WAL, Buffers int64 }
		}
		Goals      []struct{ What string }
		ColdStarts []struct {
			Function     string
			Ready, First int64
		}
		ManyFiles struct {
			Files     int
			PerSecond float64
		}
	}
	text, err := os.ReadFile(report)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &got))
	wal := make(map[string]int64)
	for _, f := range got.Figures {
		require.Positive(t, f.Took, f.What)
		require.Positive(t, f.Usage.Postgres, f.What)
		wal[f.What] = f.Usage.WAL
		if f.What == "CSV insert, new" {
			require.Positive(t, f.Usage.Process)
			require.Positive(t, f.Usage.Local)
			require.Positive(t, f.Usage.Buffers)
		}
	}
	require.Greater(t, wal["CSV insert, new"], int64(200*rows))
	require.Less(t, 4*wal["CSV upsert, unchanged"], wal["CSV insert, new"])
	require.Contains(t, wal, "upsert by hand, all changed")
	require.Len(t, got.ColdStarts, len(blueprint.New().Functions))
	for _, c := range got.ColdStarts {
		require.Positive(t, c.Ready, c.Function)
		require.Greater(t, c.First, c.Ready, c.Function)
	}
	require.Equal(t, 20, got.ManyFiles.Files)
	require.Positive(t, got.ManyFiles.PerSecond)
	require.Len(t, got.Goals, 6+7+4, "the goals compare imports with their peers, and cover first days, a first import, the API's cold start, small files and many values")
}
