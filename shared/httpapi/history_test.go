package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// createHistory creates a membership and its person with three imports: the first created both, the
// second changed the person's address, and the third the number of the membership. The last
// import maps the address and the number, one of them from two columns.
func (b *bundle) createHistory(t *testing.T) (member string, imports []string) {
	t.Helper()
	b.Exec(t, `INSERT INTO membership_periods (id, organisation_id, name, starts_on, ends_on) VALUES (900, 1, 'Now', '2026-01-01', '2026-12-31')`)
	b.Exec(t, `INSERT INTO membership_types (id, organisation_id, name) VALUES (900, 1, 'Storied')`)
	var keys []job.Key
	for range 3 {
		id := decode[fields](b.announceUsers(t, nil, fields{"importType": "MEMBERSHIP", "contextId": 900}), http.StatusCreated)["identifier"].(string)
		imports, keys = append(imports, id), append(keys, b.job(t, 1, id).Key)
	}
	person := postgrestest.Query[string](t, b.Database, `
		INSERT INTO persons (organisation_id, identity_key, first_name, last_name, email, source_job, source_row)
		VALUES (1, 'email:ada@x.org', 'Ada', 'Lovelace', 'ada@x.org', $1, 7) RETURNING id::text`, keys[1])
	member = postgrestest.Query[string](t, b.Database, `
		INSERT INTO memberships (organisation_id, person_id, period_id, type_id, membership_number, source_job, source_row)
		VALUES (1, $1::text::bigint, 900, 900, 'N2', $2, 9) RETURNING id::text`, person, keys[2])
	for i, changes := range [][]changeset.Change{
		{{Row: 4, Table: "persons", ID: person, Op: changeset.Created, Hash: 1}, {Row: 4, Table: "memberships", ID: member, Op: changeset.Created, Hash: 2}},
		{{
			Row: 7, Table: "persons", ID: person, Op: changeset.Updated, Columns: []string{"email"},
			Before: []*string{new("old@x.org")}, After: []*string{new("ada@x.org")}, PrevJob: int64(keys[0]), PrevRow: 4,
		}},
		{{
			Row: 9, Table: "memberships", ID: member, Op: changeset.Updated, Columns: []string{"membership_number"},
			Before: []*string{nil}, After: []*string{new("N1")}, PrevJob: int64(keys[0]), PrevRow: 4,
		}},
	} {
		j := b.job(t, 1, imports[i])
		b.inTx(t, func(tx pgx.Tx) error { return b.DB.AddChanges(t.Context(), tx, j, 0, changes) })
	}
	b.Exec(t, `INSERT INTO import_column_mappings (job_id, organisation_id, column_index, source_header, target_field, status, more_columns)
		VALUES ($1, 1, 0, 'Club', 'MEMBERSHIP_NUMBER', 'MANUAL_MATCHED', '{1}'), ($1, 1, 1, 'No.', NULL, 'IGNORED', '{}')`, keys[2])
	return member, imports
}

func TestEntityHistory(t *testing.T) {
	t.Parallel()
	b := setup(t)
	member, imports := b.createHistory(t)
	path := "/api/entities/MEMBERSHIP/" + member + "/history"
	whole := decode[fields](b.do(t, get(path)), http.StatusOK)
	entities := whole["entities"].([]any)
	require.Len(t, entities, 2)
	require.Equal(t, fields{"table": "memberships", "id": member, "begins": "MADE", "edited": false}, entities[0])

	values := make(map[string]fields)
	for _, v := range whole["values"].([]any) {
		values[v.(fields)["field"].(string)] = v.(fields)
	}
	from := func(field string) any { return values[field]["source"].(fields)["identifier"] }
	require.Equal(t, imports[2], from("MEMBERSHIP_NUMBER"))
	require.Equal(t, []any{"Club", "No."}, values["MEMBERSHIP_NUMBER"]["columns"])
	require.Equal(t, true, values["MEMBERSHIP_NUMBER"]["edited"], "N2 differs from the imported value")
	require.Equal(t, imports[1], from("EMAIL"))
	require.InDelta(t, 7, values["EMAIL"]["source"].(fields)["rowNumber"], 0)
	require.Equal(t, "tester", values["EMAIL"]["source"].(fields)["uploader"])
	require.Equal(t, imports[0], from("FIRST_NAME"))

	var order []string
	for cursor := ""; ; {
		part := decode[fields](b.do(t, get(path+"?limit=1"+cursor)), http.StatusOK)
		for _, c := range part["changes"].([]any) {
			change := c.(fields)
			order = append(order, fmt.Sprint(change["table"], change["source"].(fields)["identifier"]))
			for _, f := range change["fields"].([]any) {
				if f := f.(fields); change["kind"] == "CREATED" && f["field"] == "EMAIL" {
					require.Equal(t, "old@x.org", f["after"], "the value at creation is shown")
				}
			}
		}
		if part["complete"].(bool) {
			break
		}
		cursor = "&cursor=" + part["cursor"].(string)
	}
	require.Len(t, order, 4)
	require.Equal(t, []string{"memberships" + imports[2], "persons" + imports[1]}, order[:2])
	require.ElementsMatch(t, []string{"memberships" + imports[0], "persons" + imports[0]}, order[2:])
}

func TestHistoryShowsUndo(t *testing.T) {
	t.Parallel()
	b := setup(t)
	member, imports := b.createHistory(t)
	b.Exec(t, `UPDATE import_jobs SET purpose = 'UNDO', undo_of = $2, undo_mode = 'safe', status = 'COMPLETED', updated_count = 1, completed_at = now() WHERE uuid = $1`, imports[2], imports[1])
	b.Exec(t, `UPDATE import_jobs SET status = 'COMPLETED', completed_at = now() WHERE uuid = $1`, imports[1])
	whole := decode[fields](b.do(t, get("/api/entities/MEMBERSHIP/"+member+"/history")), http.StatusOK)
	source := func(place int) fields { return whole["changes"].([]any)[place].(fields)["source"].(fields) }
	require.Equal(t, imports[1], source(0)["undoOf"])
	require.Nil(t, source(0)["undoneBy"])
	require.Nil(t, source(1)["undoOf"])
	require.Equal(t, fields{"identifier": imports[2], "whole": true}, source(1)["undoneBy"])
}

func TestHistoryByFieldValue(t *testing.T) {
	t.Parallel()
	b := setup(t)
	member, _ := b.createHistory(t)
	of := func(key, query string) string {
		return "/api/entities/MEMBERSHIP/" + url.PathEscape(key) + "/history" + query
	}
	found := decode[fields](b.do(t, get(of("ada@x.org", "?by=EMAIL"))), http.StatusOK)
	require.Equal(t, member, found["entities"].([]any)[0].(fields)["id"])
	b.Exec(t, `INSERT INTO membership_periods (id, organisation_id, name, starts_on, ends_on) VALUES (901, 1, 'Later', '2031-01-01', '2031-12-31')`)
	b.Exec(t, `INSERT INTO memberships (organisation_id, person_id, period_id, type_id) SELECT 1, person_id, 901, type_id FROM memberships WHERE id = $1::text::bigint`, member)
	b.do(t, get(of("ada@x.org", "?by=EMAIL"))).requireProblem(409, problem.StateConflict)
	for _, missing := range []string{"bob@x.org", "'; DROP TABLE persons; --"} {
		b.do(t, get(of(missing, "?by=EMAIL"))).requireProblem(404, problem.NotFound)
		b.do(t, get(of(missing, ""))).requireProblem(404, problem.NotFound)
	}
	b.do(t, get(of("99999999999999999999999", ""))).requireProblem(404, problem.NotFound)
	b.do(t, get(of(member, "?by=SHOE_SIZE"))).requireProblem(400, problem.ParameterInvalid)
	b.do(t, get("/api/entities/SHOE/1/history")).requireProblem(400, problem.ImportTypeUnknown)
	for _, wrong := range []string{"?cursor=-1", "?cursor=x", "?limit=0", "?limit=201", "?page=1"} {
		b.do(t, get(of(member, wrong))).requireProblem(400, problem.ParameterInvalid)
	}
}

func TestHistoryOfOtherOrganisationIsHidden(t *testing.T) {
	t.Parallel()
	b := setup(t)
	member, _ := b.createHistory(t)
	path := "/api/entities/MEMBERSHIP/" + member + "/history"
	for _, target := range []string{path, "/api/entities/MEMBERSHIP/ada@x.org/history?by=EMAIL"} {
		foreign := get(target)
		foreign.claims = map[string]string{"organisation_id": "2"}
		b.do(t, foreign).requireProblem(404, problem.NotFound)
	}
	unable := get(path)
	unable.claims = map[string]string{"scope": "imports:write"}
	b.do(t, unable).requireProblem(403, problem.ScopeRequired)
	unable.anonymous = true
	b.do(t, unable).requireProblem(401, problem.Unauthorized)
}

// The history of an entity of a declared type is found in the change sets of its table, though the table
// does not tell who wrote it.
func TestHistoryOfDeclaredType(t *testing.T) {
	t.Parallel()
	b := withProducts(t)
	decode[fields](b.callTypes(t, "POST", "", "", productType), http.StatusCreated)
	id := postgrestest.Query[string](t, b.Database, `INSERT INTO app.products (org, sku, name) VALUES (1, 'A', 'Apples'), (1, 'B', 'Pear'), (2, 'A', 'Other') RETURNING id::text`)
	var imports []string
	for i, changes := range [][]changeset.Change{
		{{Row: 4, Table: "app.products", ID: "99", Op: changeset.Created, Hash: 1}, {Row: 5, Table: "app.products", ID: id, Op: changeset.Created, Hash: 2, Hashed: []string{"id", "sku", "name"}}},
		{{Row: 7, Table: "app.products", ID: id, Op: changeset.Updated, Columns: []string{"name"}, Before: []*string{new("Apple")}, After: []*string{new("Aples")}}},
	} {
		imports = append(imports, decode[fields](b.do(t, request{method: "POST", path: "/api/imports", contentType: "application/json", body: `{"importType":"PRODUCT","filename":"p.csv","sizeBytes":10}`}), http.StatusCreated)["identifier"].(string))
		j := b.job(t, 1, imports[i])
		b.inTx(t, func(tx pgx.Tx) error { return b.DB.AddChanges(t.Context(), tx, j, 0, changes) })
	}
	const path = "/api/entities/PRODUCT/"
	for _, key := range []string{id, "A"} {
		by := ""
		if key == "A" {
			by = "?by=SKU"
		}
		whole := decode[fields](b.do(t, get(path+key+"/history"+by)), http.StatusOK)
		require.Equal(t, []any{fields{"table": "app.products", "id": id, "begins": "MADE", "edited": true}}, whole["entities"])
		changes := whole["changes"].([]any)
		require.Len(t, changes, 2)
		require.Equal(t, imports[1], changes[0].(fields)["source"].(fields)["identifier"])
		require.Equal(t, imports[0], changes[1].(fields)["source"].(fields)["identifier"])
		for _, v := range whole["values"].([]any) {
			if v := v.(fields); v["field"] == "NAME" {
				require.Equal(t, []any{"Apples", true, imports[1]}, []any{v["value"], v["edited"], v["source"].(fields)["identifier"]})
			}
		}
	}
	never := decode[fields](b.do(t, get(path+"B/history?by=SKU")), http.StatusOK)
	require.Equal(t, "NOT_IMPORTED", never["entities"].([]any)[0].(fields)["begins"])
	for _, key := range []string{"3", "1000", "x"} { // 3 is of another organisation
		b.do(t, get(path+key+"/history")).requireProblem(404, problem.NotFound)
	}
}
