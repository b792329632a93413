package httpapi_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// newUser is the id of the user that createRenamingPlan plans to create.
const newUser = "0193b2a4-6f1e-7c3a-9d53-1c2b3a4d5eff"

// createRenamingPlan creates a plan that waits for approval and renames users, one in each of as many chunks,
// and creates one in the first chunk.
func (b *bundle) createRenamingPlan(t *testing.T, source job.Key, names ...string) (id string, users []string) {
	t.Helper()
	for _, name := range names {
		users = append(users, postgrestest.Query[string](t, b.Database, `
			INSERT INTO users (organisation_id, name, email, role, source_job, source_row)
			VALUES (1, $1, lower($1) || '@stale.example', 'user', $2, 5) RETURNING id::text`, name, source))
	}
	id = decode[fields](b.announceUsers(t, nil, fields{"plan": true}), http.StatusCreated)["identifier"].(string)
	b.setStatus(t, id, job.Processing)
	j := b.job(t, 1, id)
	b.inTx(t, func(tx pgx.Tx) error {
		for i, user := range users {
			changes := []changeset.Change{{
				Row: int64(i + 2), Table: "users", ID: user, Op: changeset.Updated, Columns: []string{"name", "role"},
				Before: []*string{&names[i], new("user")}, After: []*string{new("Planned"), new("admin")}, PrevJob: int64(source), PrevRow: 5,
			}}
			if i == 0 {
				changes = append(changes, changeset.Change{
					Row: 100, Table: "users", ID: newUser, Op: changeset.Created, Columns: []string{"name", "email", "role"},
					After: []*string{new("New"), new("new@stale.example"), new("user")},
				})
			}
			if err := b.DB.AddPlannedChanges(t.Context(), tx, j, i, changes); err != nil {
				return err
			}
		}
		return b.DB.SavePlanDigest(t.Context(), tx, j.Key)
	})
	b.setStatus(t, id, job.AwaitingApproval)
	return id, users
}

func TestStaleRowsOfPlan(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.job(t, 1, decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string))
	second := b.job(t, 1, decode[fields](b.announceUsers(t, nil, fields{"filename": "later.csv"}), http.StatusCreated)["identifier"].(string))
	id, users := b.createRenamingPlan(t, first.Key, "Ann", "Ben", "Cem")
	path := "/api/imports/" + id + "/stale"
	load := func(query string) fields { return decode[fields](b.do(t, get(path+query)), http.StatusOK) }

	require.Equal(t, fields{"stale": 0.0, "rows": []any{}, "cursor": nil, "complete": true}, load(""))

	b.Exec(t, `UPDATE users SET name = 'Annie', source_job = $1, source_row = 9 WHERE id = $2::text::uuid`, second.Key, users[0])
	b.Exec(t, `UPDATE users SET name = 'Benno' WHERE id = $1::text::uuid`, users[1])
	b.Exec(t, `DELETE FROM users WHERE id = $1::text::uuid`, users[2])
	b.Exec(t, `INSERT INTO users (organisation_id, name, email, role) VALUES (1, 'Other', 'new@stale.example', 'user')`)
	row := func(number float64, reason, user string, changes []any, by any) fields {
		return fields{"rowNumber": number, "reason": reason, "table": "users", "id": user, "fields": changes, "changedBy": by}
	}
	require.Equal(t, fields{"stale": 4.0, "cursor": nil, "complete": true, "rows": []any{
		row(2, "CHANGED", users[0], []any{fields{"field": "NAME", "before": "Ann", "after": "Planned", "now": "Annie"}},
			fields{"identifier": string(second.ID), "originalFilename": "later.csv", "rowNumber": 9.0, "uploader": "tester", "at": nil}),
		row(100, "KEY_TAKEN", newUser, []any{}, nil),
		row(3, "CHANGED", users[1], []any{fields{"field": "NAME", "before": "Ben", "after": "Planned", "now": "Benno"}}, nil),
		row(4, "DELETED", users[2], []any{}, nil),
	}}, load(""))

	part := load("?limit=1")
	require.InDelta(t, 2, part["stale"], 0, "all stale rows of the first chunk are counted")
	require.Len(t, part["rows"], 1)
	part = load("?limit=1&cursor=" + part["cursor"].(string))
	require.Equal(t, users[1], part["rows"].([]any)[0].(fields)["id"])

	for _, wrong := range []string{"?limit=101", "?cursor=x", "?page=1"} {
		b.do(t, get(path+wrong)).requireProblem(400, problem.ParameterInvalid)
	}
	b.do(t, get(fmt.Sprintf("/api/imports/%s/stale", first.ID))).requireProblem(409, problem.StateConflict)
}

// A request compares a few chunks, so that it ends in time with any number of rows.
func TestStaleRowsAreComparedInParts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.job(t, 1, decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string))
	names := []string{"A", "B", "C", "D", "E", "F"}
	id, users := b.createRenamingPlan(t, first.Key, names...)
	b.Exec(t, `UPDATE users SET role = 'editor' WHERE id = $1::text::uuid`, users[5])
	path := "/api/imports/" + id + "/stale"
	part := decode[fields](b.do(t, get(path)), http.StatusOK)
	require.Equal(t, fields{"stale": 0.0, "rows": []any{}, "cursor": "3", "complete": false}, part)
	part = decode[fields](b.do(t, get(path+"?cursor=3")), http.StatusOK)
	require.InDelta(t, 1, part["stale"], 0)
	require.Equal(t, true, part["complete"])
}
