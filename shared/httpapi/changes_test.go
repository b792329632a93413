package httpapi_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// createChangedImport creates an import of users in two chunks. The first chunk created two users and
// renamed a user of the import previous; the second changed twelve roles.
func (b *bundle) createChangedImport(t *testing.T, previous int64) string {
	t.Helper()
	id := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)
	renamed := changeset.Change{
		Row: 3, Table: "users", ID: "b", Op: changeset.Updated, Columns: []string{"name", "updated_at"},
		Before: []*string{new("Ann"), nil}, After: []*string{new("Anna"), new("2026-11-22 05:00:00+00")}, PrevJob: previous, PrevRow: 9,
	}
	first := []changeset.Change{{Row: 2, Table: "users", ID: "a", Op: changeset.Created, Hash: 1}, renamed, {Row: 4, Table: "users", ID: "c", Op: changeset.Created, Hash: 2}}
	var second []changeset.Change
	for row := range int64(12) {
		second = append(second, changeset.Change{
			Row: row + 5, Table: "users", ID: fmt.Sprint(row), Op: changeset.Updated, Columns: []string{"role"},
			Before: []*string{new("user")}, After: []*string{new("admin")}, PrevJob: 1 << 40, PrevRow: 1,
		})
	}
	j := b.job(t, 1, id)
	b.inTx(t, func(tx pgx.Tx) error {
		for chunk, changes := range [][]changeset.Change{first, second[:5]} {
			if err := b.DB.AddChanges(t.Context(), tx, j, chunk, changes); err != nil {
				return err
			}
		}
		return b.DB.AddChanges(t.Context(), tx, j, 1, second[5:])
	})
	return id
}

func TestListChanges(t *testing.T) {
	t.Parallel()
	b := setup(t)
	earlier := b.job(t, 1, decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string))
	path := "/api/imports/" + b.createChangedImport(t, int64(earlier.Key)) + "/changes"

	part := decode[fields](b.do(t, get(path+"?kind=UPDATED&field=NAME&q=ANN")), http.StatusOK)
	require.Equal(t, fields{"cursor": nil, "complete": true, "changes": []any{fields{
		"rowNumber": 3.0, "kind": "UPDATED", "table": "users", "id": "b",
		"fields": []any{
			fields{"field": "NAME", "before": "Ann", "after": "Anna"},
			fields{"field": "UPDATED_AT", "before": nil, "after": "2026-11-22 05:00:00+00"},
		},
		"previous": fields{"identifier": string(earlier.ID), "rowNumber": 9.0},
	}}}, part)

	var rows []float64
	for query := "?limit=4"; ; {
		part := decode[fields](b.do(t, get(path+query)), http.StatusOK)
		for _, c := range part["changes"].([]any) {
			rows = append(rows, c.(fields)["rowNumber"].(float64))
		}
		if part["complete"].(bool) {
			break
		}
		query = "?limit=4&cursor=" + part["cursor"].(string)
	}
	require.Equal(t, []float64{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}, rows)

	roles := decode[fields](b.do(t, get(path+"?field=ROLE&limit=1")), http.StatusOK)["changes"].([]any)
	require.Equal(t, fields{"identifier": nil, "rowNumber": 1.0}, roles[0].(fields)["previous"], "the previous import was purged")
	for _, wrong := range []string{"?kind=SKIPPED", "?limit=201", "?cursor=1.2", "?cursor=1.2.-3", "?cursor=01.2.3", "?page=1"} {
		b.do(t, get(path+wrong)).requireProblem(400, problem.ParameterInvalid)
	}
}

func TestChangesOfOtherOrganisationAreHidden(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.createChangedImport(t, 0)
	b.do(t, request{method: "GET", path: "/api/imports/" + id + "/changes", claims: map[string]string{"organisation_id": "2"}}).requireProblem(404, problem.NotFound)
	key := b.job(t, 1, id).Key
	for organisation, parts := range map[tenant.ID]int{1: 3, 2: 0} {
		var seen int
		require.NoError(t, b.DB.InOrganisation(t.Context(), organisation, func(tx pgx.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT count(*) FROM import_changes WHERE job_id = $1`, key).Scan(&seen)
		}))
		require.Equal(t, parts, seen)
	}
}
