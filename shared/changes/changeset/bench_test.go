package changeset_test

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/loadbay/loadbay/shared/changes/changeset"
)

const benchRows = 5_000

// BenchmarkEncodeChunk parses, counts and encodes the captured changes of a chunk.
func BenchmarkEncodeChunk(b *testing.B) {
	columns := " users {id,name,email,phone,role,created_at,updated_at,external_id}\n"
	ids := make([]string, benchRows)
	for i := range ids {
		ids[i] = uuid.NewString()
	}
	slices.Sort(ids)
	order := make([]int, benchRows) // rows are written in the order of their ids
	for i := range order {
		order[i] = i*2_347%benchRows + 1
	}
	var inserted, updated strings.Builder
	inserted.WriteString("INSERT" + columns)
	updated.WriteString("UPDATE" + columns)
	for i, id := range ids {
		hash := make([]byte, 8)
		_, _ = rand.Read(hash)
		fmt.Fprintf(&inserted, "%d %s %d\n", order[i], id, int64(hash[0])<<56|int64(hash[1])<<48|int64(hash[2])<<40|int64(hash[3])<<32|int64(hash[4])<<24|int64(hash[5])<<16|int64(hash[6])<<8|int64(hash[7]))
		before, after := fmt.Sprintf(`(,"Name %d",,,,,"2026-11-22 14:00:00.000001+00",)`, i), fmt.Sprintf(`(,"Other %d",,,,,"2026-11-23 14:00:00.000001+00",)`, i)
		fmt.Fprintf(&updated, "%d %s 7 %d %d %s 0 %d %s\n", i+1, id, i+1, len(before), before, len(after), after)
	}
	for name, text := range map[string]string{"inserted": inserted.String(), "updated": updated.String()} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var encoder changeset.Encoder
			for b.Loop() {
				changes, err := changeset.ParseCaptured(text)
				if err != nil || len(changes) != benchRows {
					b.Fatal(err, len(changes))
				}
				changeset.NewTally(changes)
				if _, err := encoder.Encode(changes); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*benchRows), "ns/row")
		})
	}
}
