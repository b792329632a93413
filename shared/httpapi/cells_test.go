package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// An import passes through every state in which it waits for something.
func TestWaitingFor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	waitsFor := func(id string) any {
		return decode[fields](b.do(t, get("/api/imports/"+id)), http.StatusOK)["waitingFor"]
	}
	announced := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)
	require.Equal(t, "FILE", announced["waitingFor"])
	sent := decode[fields](b.importRoster(t, nil), http.StatusAccepted)
	require.Nil(t, sent["waitingFor"])

	id, columns := b.createColumnMappingImport(t)
	require.Equal(t, "COLUMN_MAPPINGS", waitsFor(id))
	b.sendJSON(t, "PUT", id, "column-mappings", []fields{
		{"id": columns["Vorname?"], "targetField": "FIRST_NAME"}, {"id": columns["Kind of member"], "targetField": "MEMBERSHIP_TYPE_ID"},
	})
	require.Equal(t, http.StatusAccepted, b.sendJSON(t, "POST", id, "column-mappings/confirm", nil).Code)
	require.Nil(t, waitsFor(id), "nothing is pending while the values are resolved")

	id, _ = b.createCellMappingImport(t)
	require.Equal(t, "CELL_MAPPINGS", waitsFor(id))
	require.Equal(t, http.StatusAccepted, b.sendJSON(t, "POST", id, "start", nil).Code)
	require.Nil(t, waitsFor(id))

	// Rows with an unknown value wait for a decision immediately.
	require.NoError(t, b.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		_, _, err := b.DB.Transition(t.Context(), tx, b.job(t, 1, id).Key, job.Transition{To: job.CellMapping})
		return err
	}))
	require.Equal(t, "CELL_MAPPINGS", waitsFor(id))
}

func TestValuesCreateEntities(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, values := b.createCellMappingImport(t)
	b.sendJSON(t, "PUT", id, "cell-mappings", []fields{{"id": values["kids"], "create": true}}).requireProblem(406, problem.MappingIncomplete)
	docs := decode[[]fields](b.sendJSON(t, "PUT", id, "cell-mappings", []fields{
		{"targetField": "MEMBERSHIP_TYPE_ID", "create": true}, {"id": values["Elbonia"], "ignore": true}, {"id": values["kids"], "confirm": true},
	}), http.StatusAccepted)
	for _, d := range docs {
		created := d["sourceValue"] == "kids" || d["sourceValue"] == "babies"
		require.Equal(t, created, d["create"], d["sourceValue"])
		if created {
			require.Equal(t, "MANUAL_MATCHED", d["status"])
			require.Nil(t, d["targetEntityId"])
		}
	}
	// A decision can be changed.
	docs = decode[[]fields](b.sendJSON(t, "PUT", id, "cell-mappings", []fields{{"id": values["babies"], "targetEntityId": 8}}), http.StatusAccepted)
	for _, d := range docs {
		require.Equal(t, d["sourceValue"] == "kids", d["create"])
	}

	codes := make([]int, 4)
	var all sync.WaitGroup
	for i := range codes {
		all.Go(func() { codes[i] = b.sendJSON(t, "POST", id, "cell-mappings/confirm", nil).Code })
	}
	all.Wait()
	require.ElementsMatch(t, []int{202, 409, 409, 409}, codes)
	require.Equal(t, int64(0), postgrestest.Query[int64](t, b.Database, `SELECT count(*) FROM membership_types WHERE name = 'kids'`), "entities are created when a row needs them")
}

func TestLongValueCannotCreateEntity(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, _ := b.createCellMappingImport(t)
	b.inTx(t, func(tx pgx.Tx) error {
		j, err := b.DB.Job(t.Context(), tx, job.ID(id))
		require.NoError(t, err)
		return b.DB.AddCellMappings(t.Context(), tx, j, []job.MappedCell{
			{TargetField: "MEMBERSHIP_TYPE_ID", Value: strings.Repeat("x", 201), Status: job.Unresolved, Rows: 1, FirstRow: 11},
		})
	})
	b.sendJSON(t, "PUT", id, "cell-mappings", []fields{{"targetField": "MEMBERSHIP_TYPE_ID", "create": true}}).requireProblem(422, problem.MappingInvalid)
}

func TestSuggestions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Exec(t, `INSERT INTO membership_types (id, organisation_id, name) VALUES (20, 1, 'Kids under 10'), (21, 1, 'Kids club'), (22, 1, 'Kids swimming'), (23, 1, 'Kids sailing')`)
	id, _ := b.createCellMappingImport(t)
	for _, path := range []string{"/cell-mappings", "?includeMappings=true"} {
		a := b.do(t, get("/api/imports/"+id+path))
		var docs []any
		if path == "/cell-mappings" {
			docs = decode[[]any](a, http.StatusOK)
		} else {
			docs = decode[fields](a, http.StatusOK)["cellMappings"].([]any)
		}
		for _, d := range docs {
			suggested := d.(fields)["suggestions"].([]any)
			switch d.(fields)["sourceValue"] {
			case "kids":
				require.Len(t, suggested, 3)
				require.Contains(t, suggested[0].(fields)["displayName"], "Kids")
			case "adult":
				require.Empty(t, suggested, "a matched value has no suggestions")
			}
		}
	}
}

// All kinds of searches find a few of 3,000 candidates.
func TestCandidateSearchOfThousands(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, _ := b.createCellMappingImport(t)
	b.Exec(t, `INSERT INTO membership_types (id, organisation_id, name)
		SELECT 1000 + n, 1, 'Type ' || to_char(n, 'FM0000') || CASE WHEN n % 1000 = 7 THEN ' Vétéran' ELSE '' END FROM generate_series(1, 3000) AS n`)
	ask := func(query url.Values) ([]fields, http.Header) {
		query.Set("targetField", "MEMBERSHIP_TYPE_ID")
		a := b.sendJSON(t, "GET", id, "cell-mappings/candidates?"+query.Encode(), nil)
		return decode[[]fields](a, http.StatusOK), a.Header()
	}
	names := func(found []fields) (out []string) {
		for _, d := range found {
			out = append(out, d["displayName"].(string))
		}
		return out
	}

	first, header := ask(url.Values{})
	require.Len(t, first, 500)
	require.Equal(t, "3002", header.Get("X-Total-Count"))
	require.Contains(t, header.Get("Link"), `rel="next"`)
	require.NotContains(t, first[0], "score")
	seen := make(map[any]bool)
	for page := range 4 {
		found, _ := ask(url.Values{"page": {fmt.Sprint(page)}, "size": {"1000"}})
		for _, d := range found {
			require.False(t, seen[d["id"]], "each candidate is on one page only")
			seen[d["id"]] = true
		}
	}
	require.Len(t, seen, 3002)

	found, header := ask(url.Values{"search": {"veteran"}})
	require.Equal(t, []string{"Type 0007 Vétéran", "Type 1007 Vétéran", "Type 2007 Vétéran"}, names(found))
	require.Equal(t, "3", header.Get("X-Total-Count"))

	found, _ = ask(url.Values{"value": {"Tipe 1007 Veteran"}, "size": {"2"}})
	require.Equal(t, "Type 1007 Vétéran", found[0]["displayName"])
	require.Greater(t, found[0]["score"], found[1]["score"])
	again, _ := ask(url.Values{"value": {"Tipe 1007 Veteran"}, "size": {"2"}})
	require.Equal(t, found, again)
	beyond, _ := ask(url.Values{"page": {"99"}})
	require.Empty(t, beyond)

	for _, wrong := range []string{"size=1001", "size=0", "page=-1", "sort=name", "value=a&value=b"} {
		b.sendJSON(t, "GET", id, "cell-mappings/candidates?targetField=MEMBERSHIP_TYPE_ID&"+wrong, nil).requireProblem(400, problem.ParameterInvalid)
	}
}

// A decision about an import counts as activity of the import.
func TestDecisionsTouchJob(t *testing.T) {
	t.Parallel()
	b := setup(t)
	aged := func(id string) {
		b.Exec(t, `UPDATE import_jobs SET updated_at = now() - interval '89 days' WHERE uuid = $1`, id)
	}
	fresh := func(id string) bool {
		return postgrestest.Query[bool](t, b.Database, `SELECT updated_at > now() - interval '1 hour' FROM import_jobs WHERE uuid = $1`, id)
	}
	id, columns := b.createColumnMappingImport(t)
	aged(id)
	b.sendJSON(t, "PUT", id, "column-mappings", []fields{{"id": columns["Surname"], "targetField": "SHOE_SIZE"}}).requireProblem(422, problem.MappingInvalid)
	require.False(t, fresh(id), "a rejected decision changes nothing")
	b.sendJSON(t, "PUT", id, "column-mappings", []fields{{"id": columns["Surname"], "confirm": true}}).requireProblem(406, problem.MappingIncomplete)
	require.True(t, fresh(id))

	id, values := b.createCellMappingImport(t)
	aged(id)
	b.sendJSON(t, "PUT", id, "cell-mappings", []fields{{"id": values["kids"], "targetEntityId": 8}}).requireProblem(406, problem.MappingIncomplete)
	require.True(t, fresh(id))
}
