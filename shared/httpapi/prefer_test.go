package httpapi_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/organisation/quota"
)

// createWaiting creates an import of users with the preference.
func (b *bundle) createWaiting(t *testing.T, prefer string) (apiResponse, fields) {
	t.Helper()
	body, kind := form(t, part{"importType", "", "USER"}, part{"file", "users.csv", users})
	a := b.do(t, request{method: "POST", path: "/api/imports", body: body, contentType: kind, headers: map[string]string{"Prefer": prefer}})
	return a, decode[fields](a, http.StatusCreated)
}

// An import that ends during the wait is returned in its final state.
func TestPreferWaitReturnsEndedImport(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ended := make(chan error, 1)
	go func() { ended <- b.endFirstImport(context.WithoutCancel(t.Context())) }()
	a, j := b.createWaiting(t, "respond-async, wait=10")
	require.NoError(t, <-ended)
	require.Equal(t, "FAILED", j["status"])
	require.Equal(t, "wait=10", a.Header().Get("Preference-Applied"))
}

// TestPreferWaitReturnsQuestions: an import that asks about values during the wait is returned with
// the values.
func TestPreferWaitReturnsQuestions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	asked := make(chan error, 1)
	go func() {
		ctx := context.WithoutCancel(t.Context())
		asked <- b.changeFirstImport(ctx, func(tx pgx.Tx, j *job.Job) (done bool, err error) {
			for _, to := range []job.Status{job.ColumnMapping, job.CellMapping} {
				if _, done, err = b.DB.Transition(ctx, tx, j.Key, job.Transition{To: to}); err != nil || !done {
					return done, err
				}
			}
			err = b.DB.AddCellMappings(ctx, tx, j, []job.MappedCell{{TargetField: "ACTIVE", Value: "perhaps", Status: job.Unresolved, Rows: 1, FirstRow: 2}})
			if err == nil {
				err = b.DB.AddWaitingEvent(ctx, tx, j.Key)
			}
			return done, err
		})
	}()
	_, j := b.createWaiting(t, "wait=10")
	require.NoError(t, <-asked)
	require.Equal(t, "CELL_MAPPINGS", j["waitingFor"])
	require.Len(t, j["cellMappings"], 1)
	require.Equal(t, "perhaps", j["cellMappings"].([]any)[0].(map[string]any)["sourceValue"])
}

// endFirstImport ends the first import that is created.
func (b *bundle) endFirstImport(ctx context.Context) error {
	return b.changeFirstImport(ctx, func(tx pgx.Tx, j *job.Job) (done bool, err error) {
		_, done, err = b.DB.Transition(ctx, tx, j.Key, job.Transition{To: job.Failed, Failure: &job.Failure{Code: "FILE_EMPTY", Message: "Nothing in it."}})
		return done, err
	})
}

// changeFirstImport changes the first import that is created, as soon as it can be changed.
func (b *bundle) changeFirstImport(ctx context.Context, change func(pgx.Tx, *job.Job) (bool, error)) error {
	for {
		var done bool
		err := b.DB.InOrganisation(ctx, 1, func(tx pgx.Tx) error {
			var id job.ID
			if err := tx.QueryRow(ctx, `SELECT coalesce(max(uuid::text), '') FROM import_jobs`).Scan(&id); err != nil || id == "" {
				return err
			}
			j, err := b.DB.Job(ctx, tx, id)
			if err == nil {
				done, err = change(tx, j)
			}
			return err
		})
		if err != nil || done {
			return err
		}
	}
}

func TestPreferWaitTimeout(t *testing.T) {
	t.Parallel()
	b := setup(t)
	began := time.Now()
	a, j := b.createWaiting(t, "wait=1")
	require.GreaterOrEqual(t, time.Since(began), time.Second)
	require.Equal(t, "UPLOADED", j["status"])
	require.Equal(t, "wait=1", a.Header().Get("Preference-Applied"))
	for _, none := range []string{"", "wait", "wait=soon", "wait=-1", "return=minimal"} {
		a, _ := b.createWaiting(t, none)
		require.Empty(t, a.Header().Get("Preference-Applied"), none)
	}
	announced := b.announceUsers(t, map[string]string{"Prefer": "wait=10"}, nil)
	require.Empty(t, announced.Header().Get("Preference-Applied"), "an import whose file has not arrived does not wait")
}

// TestFewRequestsOfAnOrganisationWait: while two requests wait, a third is answered at once; without
// the header it knows that it has not waited.
func TestFewRequestsOfAnOrganisationWait(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range quota.WaitSlot.Most {
		id, err := b.DB.AcquireSlot(t.Context(), 1, quota.WaitSlot)
		require.NoError(t, err)
		require.NotZero(t, id)
	}
	a, j := b.createWaiting(t, "wait=10")
	require.Equal(t, "UPLOADED", j["status"])
	require.Empty(t, a.Header().Get("Preference-Applied"))

	other, err := b.DB.AcquireSlot(t.Context(), 2, quota.WaitSlot)
	require.NoError(t, err)
	require.NotZero(t, other, "slots are counted for each organisation")
	fetch, err := b.DB.AcquireSlot(t.Context(), 1, quota.FetchSlot)
	require.NoError(t, err)
	require.NotZero(t, fetch, "slots are counted for each kind")

	b.Exec(t, `UPDATE stream_slots SET expires_at = now() WHERE organisation_id = 1`)
	again, err := b.DB.AcquireSlot(t.Context(), 1, quota.WaitSlot)
	require.NoError(t, err)
	require.NotZero(t, again, "slots of lost requests expire")
}
