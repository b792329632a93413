package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/loadbay/loadbay/shared/problem"
)

// workbook parses the response as a workbook.
func (a apiResponse) workbook(filename string) *excelize.File {
	a.t.Helper()
	require.Equal(a.t, http.StatusOK, a.Code, a.Body)
	require.Equal(a.t, `attachment; filename="`+filename+`"`, a.Header().Get("Content-Disposition"))
	book, err := excelize.OpenReader(a.Body)
	require.NoError(a.t, err)
	a.t.Cleanup(func() { require.NoError(a.t, book.Close()) })
	return book
}

// cells returns all cells of all sheets.
func cells(t *testing.T, book *excelize.File) (all []string) {
	t.Helper()
	for _, name := range book.GetSheetList() {
		rows, err := book.GetRows(name)
		require.NoError(t, err)
		for _, row := range rows {
			all = append(all, row...)
		}
	}
	return all
}

// The template does not contain values of other organisations.
func TestTemplateChoicesOfOrganisation(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Exec(t, `INSERT INTO membership_types (organisation_id, name) VALUES (1, 'Honorary'), (2, 'Foreign')`)
	get := request{method: "GET", path: "/api/import-types/MEMBERSHIP/template.xlsx?contextId=11"}

	own := cells(t, b.do(t, get).workbook("memberships-template.xlsx"))
	require.Contains(t, own, "First name *")
	require.Contains(t, own, "Honorary")
	require.NotContains(t, own, "Foreign")

	get.claims = map[string]string{"organisation_id": "2"}
	foreign := cells(t, b.do(t, get).workbook("memberships-template.xlsx"))
	require.Contains(t, foreign, "Foreign")
	require.NotContains(t, foreign, "Honorary")
}

func TestTemplateForEveryType(t *testing.T) {
	t.Parallel()
	b := setup(t)
	types := decode[[]fields](b.do(t, request{method: "GET", path: "/api/import-types"}), http.StatusOK)
	require.NotEmpty(t, types)
	for _, of := range types {
		a := b.do(t, request{method: "GET", path: "/api/import-types/" + of["name"].(string) + "/template.xlsx"})
		require.NotEmpty(t, cells(t, a.workbook(of["resource"].(string)+"-template.xlsx")))
	}
}

func TestInvalidTemplateRequests(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.do(t, get("/api/import-types/PLANET/template.xlsx")).requireProblem(404, problem.NotFound)
	b.do(t, get("/api/import-types/USER/template.xlsx?contextId=x")).requireProblem(400, problem.ParameterInvalid)
	b.do(t, get("/api/import-types/USER/template.xlsx?periodId=11")).requireProblem(400, problem.ParameterInvalid)
}

func TestTypesDescribeOptions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	options := make(map[string]any)
	for _, of := range decode[[]fields](b.do(t, get("/api/import-types")), http.StatusOK) {
		options[of["name"].(string)] = of["options"]
	}
	require.Empty(t, options["USER"])
	require.Contains(t, options["RESULT"], fields{"name": "applyNumberChanges", "title": "Whether simple changes of race numbers are applied to the entries", "values": []any{"false", "true"}})
}
