package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
)

// adopt drafts the declaration of a table.
func (b *bundle) adopt(t *testing.T, table string, claims map[string]string) apiResponse {
	t.Helper()
	return b.do(t, request{method: "POST", path: "/api/types/adopt", body: `{"table": "` + table + `"}`, contentType: "application/json", claims: claims})
}

func TestDraftOfATableIsAcceptedAsAType(t *testing.T) {
	t.Parallel()
	b := withProducts(t)
	draft := decode[fields](b.adopt(t, "app.products", nil), http.StatusOK)
	require.Empty(t, draft["grants"])
	french := request{method: "POST", path: "/api/types/adopt", body: `{"table": "app.products"}`, contentType: "application/json"}
	english, translated := draft["findings"].([]any), decode[fields](b.do(t, in("fr", french)), http.StatusOK)["findings"].([]any)
	require.NotEmpty(t, english)
	for i := range english {
		require.NotEqual(t, english[i].(fields)["message"], translated[i].(fields)["message"])
	}
	text := draft["yaml"].(string)
	require.Contains(t, text, "name: APP_PRODUCTS")
	text = strings.Replace(text, "{none: true}", "{column: org, value: organisation}", 1)
	text = strings.Replace(text, "  - {name: ORG, column: org, title: Org, required: true}\n", "", 1)
	text = strings.Replace(text, "[ORG, SKU]", "[SKU]", 1)
	found := decode[fields](b.callTypes(t, "POST", "/APP_PRODUCTS/check", "", text), http.StatusOK)
	require.Equal(t, true, found["ok"], found)
	require.Equal(t, 1.0, found["rehearsedRows"])
	decode[fields](b.callTypes(t, "POST", "", "", text), http.StatusCreated)

	drift := func() fields {
		return decode[fields](b.callTypes(t, "GET", "/APP_PRODUCTS/drift", "", ""), http.StatusOK)
	}
	require.Empty(t, drift()["differences"])
	b.Exec(t, `REVOKE INSERT ON app.products FROM loadbay_app`)
	b.Exec(t, `ALTER TABLE app.products RENAME name TO label`)
	found = decode[fields](b.callTypes(t, "POST", "/APP_PRODUCTS/check", "", ""), http.StatusOK)
	require.Equal(t, false, found["ok"])
	require.Contains(t, found["grants"], `GRANT INSERT ON "app"."products" TO "loadbay_app";`)
	require.Equal(t, fields{
		"category": "columnGone", "column": "name", "name": nil, "reaction": "hold", "message": `Column "name" was removed, or renamed to "label".`,
	}, drift()["differences"].([]any)[0])
	german := decode[fields](b.do(t, in("de", get("/api/types/APP_PRODUCTS/drift"))), http.StatusOK)
	require.Equal(t, "Spalte „name“: entfernt oder in „label“ umbenannt.", german["differences"].([]any)[0].(fields)["message"])
	b.Exec(t, `DROP TABLE app.products`)
	require.Equal(t, "tableGone", drift()["differences"].([]any)[0].(fields)["category"])
}

// An organisation sees only granted tables, unless it may use whole tables.
func TestTablesAreListedForWhomTheyAreMeant(t *testing.T) {
	t.Parallel()
	b := withProducts(t)
	b.amongSeveral(t)
	b.grant(t, "1", "app.products", orgColumn, "")
	b.Exec(t, `CREATE SCHEMA hidden`)
	b.Exec(t, `CREATE TABLE hidden.secrets (id integer PRIMARY KEY)`)
	b.Exec(t, `CREATE VIEW app.cheap AS SELECT id FROM app.products`)
	operator := map[string]string{"scope": "types:write admin"}
	list := func(query string, claims map[string]string) (tables []string) {
		for _, e := range decode[[]fields](b.do(t, request{method: "GET", path: "/api/tables" + query, claims: claims}), http.StatusOK) {
			tables = append(tables, e["table"].(string))
		}
		return tables
	}
	require.Equal(t, []string{"app.products"}, list("?q=APP", nil))
	require.Empty(t, list("?q=hidden", nil))
	require.Equal(t, []string{"hidden.secrets"}, list("?q=hidden", operator))
	require.Empty(t, list("?q=import_jobs", operator), "Loadbay's own tables are not listed")
	first := b.do(t, request{method: "GET", path: "/api/tables?size=1", claims: operator})
	require.Len(t, decode[[]fields](first, http.StatusOK), 1)
	require.NotEmpty(t, first.Header().Get("Link"))

	b.adopt(t, "hidden.secrets", nil).requireProblem(404, problem.NotFound)
	decode[fields](b.adopt(t, "hidden.secrets", operator), http.StatusOK)
	b.adopt(t, "app.cheap", operator).requireProblem(422, problem.TableNotAdoptable)
	for _, table := range []string{"loadbay.import_jobs", "sample.users", "pg_catalog.pg_class", "app.nothing", "app", `app.\"; DROP TABLE app.products`} {
		b.adopt(t, table, operator).requireProblem(404, problem.NotFound)
	}
	b.adopt(t, "app.products", map[string]string{"scope": "types:read"}).requireProblem(403, problem.ScopeRequired)
	decode[[]fields](b.do(t, request{method: "GET", path: "/api/tables?cursor=1&size=1"}), http.StatusOK)
}

// A type without an organisation's column would show the rows of all organisations.
func TestCheckNeedsAnOrganisationOfTheRows(t *testing.T) {
	t.Parallel()
	b := withProducts(t)
	b.amongSeveral(t)
	b.grant(t, "1", "app.products", orgColumn, "")
	whole := strings.Replace(productType, "{column: org, value: organisation}", "{none: true}", 1)
	b.callTypes(t, "POST", "/PRODUCT/check", "", whole).requireProblem(403, problem.TableNotAllowed)
	b.callTypes(t, "POST", "/OTHER/check", "", productType).requireProblem(422, problem.DeclarationInvalid)
	b.callTypes(t, "POST", "/OTHER/check", "", "").requireProblem(404, problem.NotFound)
}
