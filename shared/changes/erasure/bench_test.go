package erasure_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/changeset"
)

// A million changes of persons, in parts as imports write them, and 200,000 rows in error.
func BenchmarkErasePersonMillionChanges(b *testing.B) {
	w := setup(b, 1)
	for chunk := range 200 {
		changes := make([]changeset.Change, 5_000)
		for i := range changes {
			changes[i] = otherPersonsPart(chunk*5_000 + i)
			changes[i].Row = int64(chunk*5_000 + i + 2)
		}
		w.addPart(b, 0, chunk, changes...)
	}
	w.addPart(b, 0, 200, updated("persons", w.person, "email", earlier, address))
	w.Exec(b, `INSERT INTO import_row_results (job_id, row_number, organisation_id, outcome, faults)
		SELECT $1, n, 1, 'E', jsonb_build_array(jsonb_build_object('field', 'EMAIL', 'code', 'CELL_EMAIL', 'value', 'ann' || n, 'message', 'It is no address.')) FROM generate_series(1, 200000) AS n`, w.jobs[0].Key)
	b.ResetTimer()
	for range b.N {
		steps, longest := 0, time.Duration(0)
		for done := false; !done; steps++ {
			began := time.Now()
			r, err := w.service.ErasePerson(b.Context(), "op", 1, fmt.Sprint(w.person), 0)
			require.NoError(b, err)
			done, longest = r.Complete, max(longest, time.Since(began))
		}
		b.ReportMetric(longest.Seconds(), "s/longest-step")
		b.ReportMetric(float64(steps), "steps")
		b.StopTimer()
		w.person = w.createPerson(b)
		b.StartTimer()
	}
}
