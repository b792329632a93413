package telemetry_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// logged returns the lines of a log.
func logged(t *testing.T, out *bytes.Buffer) []map[string]any {
	t.Helper()
	var lines []map[string]any
	for line := range bytes.Lines(out.Bytes()) {
		requireKeysOnce(t, line)
		var fields map[string]any
		require.NoError(t, json.Unmarshal(line, &fields), "%s", line)
		delete(fields, "time")
		lines = append(lines, fields)
	}
	return lines
}

// requireKeysOnce fails if an object has a duplicate key, which encoding/json accepts.
func requireKeysOnce(t *testing.T, line []byte) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(line))
	begin, err := d.Token()
	require.NoError(t, err)
	require.Equal(t, json.Delim('{'), begin)
	seen := map[any]bool{}
	for d.More() {
		key, err := d.Token()
		require.NoError(t, err)
		require.False(t, seen[key], "key %s is duplicated: %s", key, line)
		seen[key] = true
		var value json.RawMessage
		require.NoError(t, d.Decode(&value))
	}
}

var one = &job.Job{ID: "u1", RequestID: "r1", OrganisationID: 7, ImportType: "USER"}

func jobContext(id, request string, more map[string]any) map[string]any {
	fields := map[string]any{"level": "INFO", "msg": "m", "job_id": id, "request_id": request, "organisation_id": 7.0, "import_type": "USER"}
	for name, value := range more {
		fields[name] = value
	}
	return fields
}

// A step identifies the job; its caller, who only has the context of the event, logs the
// step's error.
func TestScopeLinesNameTheirJob(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := telemetry.NewLogger(&out, slog.LevelInfo)
	event := telemetry.Scope(t.Context())
	log.InfoContext(event, "m")
	step := telemetry.WithJob(event, one)
	log.InfoContext(step, "m", "chunk", 3)
	log.InfoContext(event, "m")
	require.Equal(t, []map[string]any{
		{"level": "INFO", "msg": "m"}, jobContext("u1", "r1", map[string]any{"chunk": 3.0}), jobContext("u1", "r1", nil),
	}, logged(t, &out))
}

func TestScopesAreIndependent(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := telemetry.NewLogger(&out, slog.LevelInfo)
	outer := telemetry.Scope(t.Context())
	telemetry.WithJob(outer, one)
	inner := telemetry.Scope(outer)
	log.InfoContext(inner, "m")
	telemetry.WithJob(inner, &job.Job{ID: "u2", RequestID: "r2", OrganisationID: 7, ImportType: "USER"})
	log.InfoContext(inner, "m")
	log.InfoContext(outer, "m")
	require.Equal(t, []map[string]any{{"level": "INFO", "msg": "m"}, jobContext("u2", "r2", nil), jobContext("u1", "r1", nil)}, logged(t, &out))
}

func TestWithJobWithoutScope(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := telemetry.NewLogger(&out, slog.LevelInfo)
	log.InfoContext(telemetry.WithJob(t.Context(), one), "m")
	log.InfoContext(t.Context(), "m")
	require.Equal(t, []map[string]any{jobContext("u1", "r1", nil), {"level": "INFO", "msg": "m"}}, logged(t, &out))
}

func TestContextAttributesDoNotLeak(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := telemetry.NewLogger(&out, slog.LevelInfo).With("function", "f")
	parent := telemetry.With(t.Context(), "a", 1)
	child := telemetry.With(parent, slog.String("b", "2"))
	telemetry.With(parent, "c", 3)
	log.InfoContext(child, "m")
	log.InfoContext(parent, "m")
	log.DebugContext(child, "below the level")
	require.Equal(t, []map[string]any{
		{"level": "INFO", "msg": "m", "function": "f", "a": 1.0, "b": "2"},
		{"level": "INFO", "msg": "m", "function": "f", "a": 1.0},
	}, logged(t, &out))
}

// For a duplicate key, the closest value is written: that of the line, then of the context, the
// job and the logger.
func TestDuplicateKeysAreMerged(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := telemetry.NewLogger(&out, slog.LevelInfo).With("import_type", "logger's", "function", "f", "function", "g")
	ctx := telemetry.With(t.Context(), "request_id", "first")
	ctx = telemetry.With(ctx, "request_id", "second", "error", "context's")
	ctx = telemetry.WithJob(ctx, one)
	log.InfoContext(ctx, "m", "error", "line's", "error", "line's last", "job_id", "line's")
	log.InfoContext(t.Context(), "m", "msg", "mine", "time", 1, "level", 2, "source", 3)
	log.WithGroup("g").InfoContext(t.Context(), "m", "a", 1, "a", 2)
	require.Equal(t, []map[string]any{
		jobContext("line's", "second", map[string]any{"function": "g", "error": "line's last"}),
		{"level": "INFO", "msg": "m", "import_type": "logger's", "function": "g", "msg_": "mine", "time_": 1.0, "level_": 2.0, "source_": 3.0},
		{"level": "INFO", "msg": "m", "import_type": "logger's", "function": "g", "g": map[string]any{"a": 2.0}},
	}, logged(t, &out))
}
