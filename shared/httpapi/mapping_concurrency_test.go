package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
)

// putMapping puts a mapping as a person who has read the version match; "" omits If-Match.
func (b *bundle) putMapping(t *testing.T, id, by, match, body string) apiResponse {
	t.Helper()
	q := request{method: "PUT", path: "/api/imports/" + id + "/mapping", body: body, contentType: "application/json", claims: map[string]string{"sub": by}}
	if match != "" {
		q.headers = map[string]string{"If-Match": match}
	}
	return b.do(t, q)
}

func TestConcurrentMappingUpdateIsRejected(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, _ := b.createColumnMappingImport(t)
	read := b.sendJSON(t, "GET", id, "mapping", nil).Header().Get("ETag")
	require.NotEmpty(t, read)

	first := b.putMapping(t, id, "ada", read, names)
	require.Equal(t, http.StatusAccepted, first.Code, first.Body)
	require.NotEqual(t, read, first.Header().Get("ETag"))
	require.Equal(t, b.sendJSON(t, "GET", id, "mapping", nil).Header().Get("ETag"), first.Header().Get("ETag"))

	const second = `{"fields":[{"field":"LAST_NAME","from":["Surname"]},{"field":"EMAIL","from":["Surname"],"separator":" "},{"field":"PHONE","from":["Shoe size"]}]}`
	refused := b.putMapping(t, id, "grace", read, second).requireProblem(412, problem.VersionChanged)
	require.Equal(t, "ada has changed the columns since you loaded them. Your changes were not saved; reload and try again.", refused["detail"])
	messages := make(map[any]any)
	for _, e := range refused["errors"].([]any) {
		messages[e.(fields)["field"]] = e.(fields)["message"]
	}
	require.Equal(t, map[any]any{
		"FIRST_NAME": "It is composed of Vorname? now.", "LAST_NAME": "It is composed of Surname, Shoe size now.", "ID_COUNTRY": "It has the same value in all rows now.",
		"MEMBERSHIP_TYPE_ID": "It is composed of Kind of member now.", "PHONE": "It is no longer composed of columns.",
	}, messages, "EMAIL is not listed, as both changed it alike")
	require.Equal(t, first.Body.String(), b.sendJSON(t, "GET", id, "mapping", nil).Body.String(), "the refused mapping is not saved")
	own := b.putMapping(t, id, "ada", read, second).requireProblem(412, problem.VersionChanged)
	require.Contains(t, own["detail"], "You have, in another window,")

	// An incomplete mapping that was saved has a version, too; without If-Match it is replaced.
	less := b.putMapping(t, id, "grace", first.Header().Get("ETag"), `{"fields":[{"field":"LAST_NAME","from":["Surname"]}]}`)
	require.Equal(t, http.StatusNotAcceptable, less.Code)
	require.Equal(t, read, less.Header().Get("ETag"), "the ETag is still the first one")
	require.Equal(t, http.StatusAccepted, b.putMapping(t, id, "ada", "", names).Code)
	require.Equal(t, http.StatusAccepted, b.putMapping(t, id, "ada", `"x", W/`+first.Header().Get("ETag"), names).Code)
}

func TestColumnDecisionRecordsCaller(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, columns := b.createColumnMappingImport(t)
	read := b.sendJSON(t, "GET", id, "mapping", nil).Header().Get("ETag")
	b.sendJSON(t, "PUT", id, "column-mappings", []fields{{"id": columns["Vorname?"], "targetField": "FIRST_NAME"}})
	refused := b.putMapping(t, id, "grace", read, names).requireProblem(412, problem.VersionChanged)
	require.Contains(t, refused["detail"], "tester has changed")
}

func TestWaitingImportsFilter(t *testing.T) {
	t.Parallel()
	b := setup(t)
	columns, _ := b.createColumnMappingImport(t)
	values, _ := b.createCellMappingImport(t)
	b.announceUsers(t, nil, nil)
	list := func(query string) (found []any, total string) {
		answer := b.do(t, get("/api/imports?size=1&"+query))
		for _, j := range decode[[]fields](answer, http.StatusOK) {
			found = append(found, j["identifier"])
		}
		return found, answer.Header().Get("X-Total-Count")
	}
	found, total := list("waiting=true")
	require.Equal(t, []any{values}, found)
	require.Equal(t, "2", total)
	found, _ = list("waiting=true&status=COLUMN_MAPPING")
	require.Equal(t, []any{columns}, found)
	found, total = list("waiting=false")
	require.NotContains(t, found, values)
	require.Equal(t, "1", total)
	b.do(t, get("/api/imports?waiting=perhaps")).requireProblem(400, problem.ParameterInvalid)
}

func TestValuesSortedByRowCount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, values := b.createCellMappingImport(t)
	b.Exec(t, `UPDATE import_cell_mappings SET row_count = 70 WHERE source_value = 'kids'`)
	b.Exec(t, `UPDATE import_cell_mappings SET row_count = 7 WHERE source_value <> 'kids'`)
	list := func(query string) (found []any, total string) {
		answer := b.do(t, get("/api/imports/"+id+"/cell-mappings?"+query))
		for _, v := range decode[[]fields](answer, http.StatusOK) {
			found = append(found, v["sourceValue"])
		}
		return found, answer.Header().Get("X-Total-Count")
	}
	all, total := list("sort=-rowCount")
	require.Len(t, all, len(values))
	require.Equal(t, "kids", all[0])
	var paged []any
	for cursor := range all {
		part, of := list("sort=-rowCount&size=1&cursor=" + string(rune('0'+cursor)))
		require.Equal(t, total, of)
		paged = append(paged, part...)
	}
	require.Equal(t, all, paged)

	b.sendJSON(t, "PUT", id, "cell-mappings", []fields{{"id": values["kids"], "ignore": true}})
	open, left := list("open=true&sort=-rowCount&size=1")
	require.NotContains(t, open, "kids")
	require.NotEqual(t, total, left)
	b.do(t, get("/api/imports/"+id+"/cell-mappings?sort=rows")).requireProblem(400, problem.ParameterInvalid)

	found, total := list("q=AB")
	require.Equal(t, []any{"babies"}, found)
	require.Equal(t, "1", total)
	found, _ = list("q=i&open=true&sort=field")
	require.Equal(t, []any{"Elbonia", "babies"}, found, "the value kids is decided")
	found, total = list("q=%25")
	require.Empty(t, found, "a percent sign in the search is not a wildcard")
	require.Equal(t, "0", total)
}
