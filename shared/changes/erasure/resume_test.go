package erasure_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

var errCrashed = errors.New("the process has died")

// crashingDB is a database with a client that crashes at its next transaction: before or after the
// commit.
type crashingDB struct {
	*postgres.DB
	afterCommit bool
}

func (d crashingDB) InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error {
	err := d.DB.InOrganisation(ctx, organisation, func(tx pgx.Tx) error {
		if err := f(tx); err != nil || d.afterCommit {
			return err
		}
		return errCrashed
	})
	if err == nil {
		err = errCrashed
	}
	return err
}

// setupBegunErasure returns a fixture with an erasure that was begun and then abandoned.
func setupBegunErasure(t *testing.T) (*fixture, job.ErasureRef) {
	t.Helper()
	w := setup(t, 2)
	for chunk := range 50 {
		w.addPart(t, 0, chunk, otherPersonsPart(chunk))
	}
	w.addPart(t, 1, 0, updated("persons", w.person, "email", earlier, address))
	r, err := w.service.ErasePerson(t.Context(), "op", 1, address, 0)
	require.NoError(t, err)
	require.False(t, r.Complete)
	id, err := strconv.ParseInt(w.person, 10, 64)
	require.NoError(t, err)
	return w, job.ErasureRef{OrganisationID: 1, PersonID: id}
}

func (w *fixture) isErased(t *testing.T) {
	t.Helper()
	require.NotContains(t, w.allValues(t), "quill.example")
	require.Zero(t, postgrestest.Query[int](t, w.Database, `SELECT (SELECT count(*) FROM persons) + (SELECT count(*) FROM person_erasures)`))
}

// The process that resumes an erasure crashes at each step, before and after the commit.
func TestErasureResumesAfterCrashAtAnyStep(t *testing.T) {
	t.Parallel()
	w, ref := setupBegunErasure(t)
	steps := 0
	for ; ; steps++ {
		err := newService(t, crashingDB{DB: w.DB}).Resume(t.Context(), ref)
		if err == nil {
			break // the erasure is complete
		}
		require.ErrorIs(t, err, errCrashed)
		require.Equal(t, 1, postgrestest.Query[int](t, w.Database, `SELECT count(*) FROM person_erasures`))
		require.ErrorIs(t, newService(t, crashingDB{DB: w.DB, afterCommit: true}).Resume(t.Context(), ref), errCrashed)
		require.Less(t, steps, 60, "the erasure ends")
	}
	require.Greater(t, steps, 3)
	w.isErased(t)
}

// A repeated message does not restart a complete erasure, nor does a message for a person of
// another organisation.
func TestResumeIsIdempotent(t *testing.T) {
	t.Parallel()
	w, ref := setupBegunErasure(t)
	require.NoError(t, w.service.Resume(t.Context(), job.ErasureRef{OrganisationID: 2, PersonID: ref.PersonID}))
	require.Equal(t, 1, postgrestest.Query[int](t, w.Database, `SELECT count(*) FROM person_erasures`))
	require.NoError(t, w.service.Resume(t.Context(), ref))
	w.isErased(t)
	w.addPart(t, 0, 50, changeset.Change{Row: 2, Table: "users", ID: "1", Op: changeset.Updated})
	require.NoError(t, w.service.Resume(t.Context(), ref))
	require.Zero(t, postgrestest.Query[int](t, w.Database, `SELECT count(*) FROM person_erasures`))
}

// An invocation that is close to its deadline leaves the rest to the next one.
func TestErasureStopsBeforeDeadline(t *testing.T) {
	t.Parallel()
	w, ref := setupBegunErasure(t)
	w.Exec(t, `UPDATE person_erasures SET touched_at = now() - interval '1 hour', requeues = 3`)
	ctx, cancel := context.WithTimeout(t.Context(), 25*time.Second)
	defer cancel()
	require.NoError(t, w.service.Resume(ctx, ref))
	require.True(t, postgrestest.Query[bool](t, w.Database, `SELECT touched_at > now() - interval '30 minutes' AND requeues = 0 FROM person_erasures`), "progress is saved and not counted as a requeue")
	require.NoError(t, w.service.Resume(t.Context(), ref))
	w.isErased(t)
}
