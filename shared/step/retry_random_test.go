package step_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// TestRandomCorrectionsImportEachRowOnce: people correct some rows, correctly or not, retry some
// or all of them, and cancel halfway; chunks come in any order and twice. In the end, each row
// has been written once, by one import. Until then, the open errors are those of the unwritten
// rows.
func TestRandomCorrectionsImportEachRowOnce(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 22))
			e := setup(t, 1+r.IntN(4))
			var file strings.Builder
			file.WriteString("Email,Name\n")
			wrong := make(map[int64]bool)
			rows := int64(5 + r.IntN(20))
			for row := int64(2); row < 2+rows; row++ {
				if wrong[row] = r.IntN(2) == 0; wrong[row] {
					fmt.Fprintf(&file, "u%d at x,N\n", row)
				} else {
					fmt.Fprintf(&file, "u%d@x.org,N\n", row)
				}
			}
			first := e.create(t, "USER", "users.csv", file.String(), nil)
			e.runFile(t, first, r.IntN(2) == 0)
			for range 10 {
				e.correctRandomRows(t, r, first, wrong)
				if again, err := e.retry(t, first, r.IntN(3) == 0); err == nil {
					e.runRetry(t, r, again)
				} else {
					require.Equal(t, problem.StateConflict, problem.CodeOf(err), "%v", err)
				}
				written := postgrestest.Query[int64](t, e.Database, `SELECT count(*) FROM users`)
				require.Equal(t, rows-written, e.job(t, first).OpenErrors())
			}
			e.correctAllRows(t, first, wrong)
			if again, err := e.retry(t, first, true); err == nil {
				e.runFile(t, again, false)
			}
			require.Zero(t, e.job(t, first).OpenErrors())
			require.Equal(t, rows, postgrestest.Query[int64](t, e.Database, `SELECT count(*) FROM users WHERE email = 'u' || source_row || '@x.org'`))
		})
	}
}

// correctRandomRows corrects some rows with errors, not all of them correctly.
func (e *engine) correctRandomRows(t *testing.T, r *rand.Rand, ref job.Ref, wrong map[int64]bool) {
	t.Helper()
	corrections := make(map[string]string)
	for row := range wrong {
		switch chance := r.IntN(8); {
		case !wrong[row]:
		case chance == 0:
			corrections[fmt.Sprint(row, " EMAIL")] = fmt.Sprintf(`"u%d@x.org"`, row)
		case chance == 1:
			corrections[fmt.Sprint(row, " EMAIL")] = `"still wrong"`
		}
	}
	if len(corrections) > 0 {
		e.saveCorrections(t, ref, corrections)
	}
}

func (e *engine) correctAllRows(t *testing.T, ref job.Ref, wrong map[int64]bool) {
	t.Helper()
	corrections := map[string]string{"2 NAME": `"N"`}
	for row := range wrong {
		if wrong[row] {
			corrections[fmt.Sprint(row, " EMAIL")] = fmt.Sprintf(`"u%d@x.org"`, row)
		}
	}
	e.saveCorrections(t, ref, corrections)
}

// runRetry runs a retry until it ends or is cancelled, with its chunks in any order and some of
// them twice.
func (e *engine) runRetry(t *testing.T, r *rand.Rand, ref job.Ref) {
	t.Helper()
	e.prepare(t, ref)
	queued := e.queued
	e.queued = nil
	for _, place := range r.Perm(len(queued)) {
		if r.IntN(6) == 0 {
			break
		}
		for range 1 + r.IntN(2) {
			require.NoError(t, e.process.Run(t.Context(), queued[place]))
		}
	}
	j := e.job(t, ref)
	if j.Progress.RowsDone() {
		require.NoError(t, e.complete.Run(t.Context(), ref))
		require.True(t, e.job(t, ref).Progress.Reconciles())
		return
	}
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		_, ok, err := e.DB.Transition(t.Context(), tx, j.Key, job.Transition{To: job.Cancelled})
		require.True(t, ok)
		return err
	}))
	for _, late := range queued {
		require.NoError(t, e.process.Run(t.Context(), late), "messages after a cancellation write nothing")
	}
}
