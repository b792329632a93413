package telemetry_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// units are the CloudWatch units in use.
var units = []string{"Count", "Milliseconds"}

// requireEMF checks a line against the specification and returns it:
// https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
func requireEMF(t *testing.T, line []byte) map[string]any {
	t.Helper()
	require.Less(t, len(line), 256<<10, "a CloudWatch log event is smaller than 256 KiB")
	var root map[string]any
	require.NoError(t, json.Unmarshal(line, &root))
	aws := root["_aws"].(map[string]any)
	at := time.UnixMilli(int64(aws["Timestamp"].(float64)))
	require.WithinDuration(t, time.Now(), at, time.Minute, "the timestamp is in milliseconds since 1970")
	directives := aws["CloudWatchMetrics"].([]any)
	require.NotEmpty(t, directives)
	for _, d := range directives {
		directive := d.(map[string]any)
		require.Equal(t, "Loadbay", directive["Namespace"])
		sets := directive["Dimensions"].([]any)
		require.NotEmpty(t, sets, "at least one set of dimensions")
		for _, set := range sets {
			names := set.([]any)
			require.LessOrEqual(t, len(names), 30)
			for _, name := range names {
				require.IsType(t, "", root[name.(string)], "dimension %s is a string member of the root", name)
			}
		}
		metrics := directive["Metrics"].([]any)
		require.NotEmpty(t, metrics)
		require.LessOrEqual(t, len(metrics), 100)
		for _, m := range metrics {
			metric := m.(map[string]any)
			require.IsType(t, 0.0, root[metric["Name"].(string)], "metric %s is a number member of the root", metric["Name"])
			require.Contains(t, units, metric["Unit"])
		}
	}
	return root
}

func dimensions(root map[string]any) any {
	return root["_aws"].(map[string]any)["CloudWatchMetrics"].([]any)[0].(map[string]any)["Dimensions"]
}

func TestMetricsUseEmbeddedFormat(t *testing.T) {
	t.Parallel()
	kind := telemetry.Dimension{Name: "importType", Value: "USER"}
	for name, c := range map[string]struct {
		write func(*telemetry.Metrics)
		value float64
		sets  []any // of dimensions
	}{
		"plain": {func(m *telemetry.Metrics) { m.Count("plain", 3) }, 3, []any{[]any{}}},
		"import.stuck": {func(m *telemetry.Metrics) { m.Count("import.stuck", 1, kind) }, 1,
			[]any{[]any{"importType"}, []any{}}},
		"import.chunk.duration": {func(m *telemetry.Metrics) { m.Duration("import.chunk.duration", 1500*time.Microsecond, kind) }, 1.5,
			[]any{[]any{"importType"}, []any{}}},
		"import.rows": {func(m *telemetry.Metrics) {
			m.Count("import.rows", 7, kind, telemetry.Dimension{Name: "outcome", Value: "CREATED"})
		}, 7, []any{[]any{"importType", "outcome"}, []any{"outcome"}}},
		"import.status.transitions": {func(m *telemetry.Metrics) {
			telemetry.NewTransitions(slog.New(slog.DiscardHandler), m).Record(t.Context(), &job.Job{ImportType: "USER"}, job.Uploaded, job.Processing)
		}, 1, []any{[]any{"importType", "from", "to"}, []any{"to"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			c.write(telemetry.NewMetrics(&out))
			require.Equal(t, 1, bytes.Count(out.Bytes(), []byte("\n")), "the metrics are written as one line")
			root := requireEMF(t, out.Bytes())
			require.InDelta(t, c.value, root[name], 0)
			require.Equal(t, c.sets, dimensions(root))
		})
	}
}

func TestTransitionIsLogged(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	moves := telemetry.NewTransitions(telemetry.NewLogger(&out, slog.LevelInfo), telemetry.NewMetrics(io.Discard))
	moves.Record(telemetry.WithJob(t.Context(), one), one, job.Uploaded, job.Processing)
	require.Equal(t, []map[string]any{jobContext("u1", "r1", map[string]any{"msg": "status changed", "from": "UPLOADED", "to": "PROCESSING"})}, logged(t, &out))
}

func TestConcurrentLinesStayIntact(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	metrics := telemetry.NewMetrics(&out)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				metrics.Count("plain", 1)
			}
		})
	}
	group.Wait()
	lines := 0
	for line := range bytes.Lines(out.Bytes()) {
		requireEMF(t, line)
		lines++
	}
	require.Equal(t, 160, lines)
}

// The metrics of two stages in one account are not aggregated.
func TestMetricsNamespacePerStage(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	telemetry.NewMetricsIn("Loadbay/dev", &out).Count("import.stuck", 1)
	require.Contains(t, out.String(), `"Namespace":"Loadbay/dev"`)
}
