package process

import (
	"context"
	"time"

	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// timings are the durations of a chunk and its parts: reading and decoding its rows, writing
// them, and beginning and committing the transaction, over all attempts.
type timings struct{ all, decode, write, commit time.Duration }

// report logs and counts the outcomes of the chunk's rows.
func (s *Step) report(ctx context.Context, a *attempt, took timings) {
	kind := telemetry.Dimension{Name: "importType", Value: a.job.TypeDimension()}
	s.metrics.Rows(a.job.TypeDimension(), a.delta)
	s.metrics.Duration("import.chunk.duration", took.all, kind)
	s.log.DebugContext(ctx, "chunk written", "chunk", a.chunk.Index, "rows", a.chunk.Rows, "created", a.delta.Created,
		"updated", a.delta.Updated, "unchanged", a.delta.Unchanged, "skipped", a.delta.Skipped, "errors", a.delta.Errored, "deferred", a.delta.Deferred, "duration_ms", took.all.Milliseconds(),
		"decode_us", took.decode.Microseconds(), "write_us", took.write.Microseconds(), "commit_us", took.commit.Microseconds())
}
