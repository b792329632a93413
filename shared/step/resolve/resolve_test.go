package resolve_test

import (
	"context"
	"log/slog"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/notify/callback"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/step/resolve"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
	"github.com/loadbay/loadbay/shared/testing/steptest"
)

// conflictingDB is a database in which the first transaction that would ask a person loses
// against another one; onConflict is called before the next attempt.
type conflictingDB struct {
	*postgres.DB
	onConflict  func()
	conflicted  bool
	transitions []string
}

func (l *conflictingDB) AddWaitingEvent(ctx context.Context, tx pgx.Tx, id job.Key) error {
	if err := l.DB.AddWaitingEvent(ctx, tx, id); err != nil || l.conflicted {
		return err
	}
	l.conflicted = true
	return &pgconn.PgError{Code: "40P01"}
}

func (l *conflictingDB) LockJob(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error) {
	if l.conflicted {
		l.onConflict()
	}
	return l.DB.LockJob(ctx, tx, id)
}

func (l *conflictingDB) Record(_ context.Context, _ *job.Job, from, to job.Status) {
	l.transitions = append(l.transitions, string(from)+" to "+string(to))
}

// stubPublisher records calls in conflictingDB.
type stubPublisher struct{ *conflictingDB }

func (a stubPublisher) PublishJob(context.Context, job.Ref) {
	a.transitions = append(a.transitions, "waits")
}

// The result depends on the state that the committed attempt reads, not on decisions of the one
// that was rolled back.
func TestCommittedTransactionDecides(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		between     string // concurrent change of the values
		next        string
		transitions []string
	}{
		"questions unchanged":     {`SELECT 1`, callback.NextCells, []string{"waits"}},
		"value ignored meanwhile": {`UPDATE import_cell_mappings SET status = 'IGNORED'`, resolve.NextSplit, []string{"CELL_MAPPING to PROCESSING"}},
		"job started meanwhile":   {`UPDATE import_jobs SET status = 'PROCESSING'`, resolve.NextSplit, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := postgrestest.Setup(t)
			j := d.AddJob(t, "status = 'CELL_MAPPING', uploaded_at = now()")
			d.Exec(t, `
				INSERT INTO import_cell_mappings (job_id, organisation_id, target_field, source_value, status, first_row)
				VALUES ($1, 1, 'ROLE', 'x', 'UNRESOLVED', 2)`, j.Key)
			l := &conflictingDB{DB: d.DB, onConflict: func() { d.Exec(t, c.between) }}
			step := resolve.New(l, steptest.NewBucket(), catalog.New(), stubPublisher{l}, sheet.DefaultLimits(), slog.New(slog.DiscardHandler))
			result, err := step.Run(t.Context(), job.Ref{JobID: j.ID, OrganisationID: 1})
			require.NoError(t, err)
			require.True(t, l.conflicted)
			require.Equal(t, c.next, result.Next)
			require.Equal(t, c.transitions, l.transitions)
		})
	}
}
