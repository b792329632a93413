package httpapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
)

// amongSeveral makes the first organisation one among several, which no operator has allowed all tables.
func (b *bundle) amongSeveral(t *testing.T) {
	t.Helper()
	b.Exec(t, `UPDATE organisations SET whole_tables = false, whole_tables_granted = false`)
}

const tableGrants = "/api/admin/table-grants"

// grant lets organisations declare types for a table, and returns the id of the grant.
func (b *bundle) grant(t *testing.T, organisations, table, tenant, more string) string {
	t.Helper()
	body := fmt.Sprintf(`{"organisations": [%s], "table": %q, "tenant": %s%s}`, organisations, table, tenant, more)
	return decode[fields](b.do(t, operate("POST", tableGrants, body)), http.StatusCreated)["id"].(string)
}

func (b *bundle) revoke(t *testing.T, id string) {
	t.Helper()
	response := b.do(t, operate("POST", tableGrants+"/"+id+"/revoke", ""))
	require.Equal(t, http.StatusNoContent, response.Code, "%s", response.Body)
}

const orgColumn = `{"column": "org", "value": "organisation"}`

// declare creates a type for an organisation.
func (b *bundle) declare(t *testing.T, organisation, declaration string) apiResponse {
	t.Helper()
	return b.do(t, request{method: "POST", path: "/api/types", contentType: "application/yaml", body: declaration, claims: map[string]string{"organisation_id": organisation}})
}

// A declaration could choose a table and a column whose values look like organisations. Whatever it names,
// the answer is that about a table that does not exist.
func TestTablesOfOthersCannotBeReachedByDeclarations(t *testing.T) {
	t.Parallel()
	b := withProducts(t)
	b.amongSeveral(t)
	b.Exec(t, `ALTER TABLE app.products ADD COLUMN shelf bigint`)
	b.Exec(t, `INSERT INTO app.products (org, sku, name, shelf) VALUES (1, 'A', 'Secret apples', 2)`)
	b.Exec(t, `CREATE VIEW app.products_view AS SELECT * FROM app.products`)
	b.Exec(t, `CREATE TABLE app.events (id bigint, org bigint, sku text, name text, shelf bigint, PRIMARY KEY (id, org)) PARTITION BY LIST (org)`)
	b.Exec(t, `CREATE TABLE app.events_1 PARTITION OF app.events FOR VALUES IN (1)`)
	b.Exec(t, `CREATE TABLE app.own (id bigint PRIMARY KEY, org bigint NOT NULL, product bigint)`)
	b.Exec(t, `GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA app TO loadbay_app`)
	b.grant(t, "1", "app.products", orgColumn, "")
	b.grant(t, "1", "app.events", orgColumn, "")
	b.grant(t, "2", "app.own", orgColumn, "")
	decode[fields](b.callTypes(t, "POST", "", "", productType), http.StatusCreated)
	other := map[string]string{"organisation_id": "2"}
	send := func(path, contentType, body string) apiResponse {
		return b.do(t, request{method: "POST", path: path, contentType: contentType, body: body, claims: other})
	}
	// answers returns what the second organisation gets for a declaration with a table.
	answers := func(table, tenant string) (all []string) {
		declaration := strings.NewReplacer("{table: app.products}", "{table: '"+table+"'}", "{column: org, value: organisation}", tenant, "products_sku_key", "none").Replace(productType)
		name, err := json.Marshal(map[string]string{"table": table})
		require.NoError(t, err)
		for _, response := range []apiResponse{
			send("/api/types/adopt", "application/json", string(name)), send("/api/types/PRODUCT/check", "application/yaml", declaration), send("/api/types", "application/yaml", declaration),
		} {
			var document fields
			require.NoError(t, json.Unmarshal(response.Body.Bytes(), &document))
			maps.DeleteFunc(document, func(member string, _ any) bool { return member == "requestId" })
			quoted, err := json.Marshal(fmt.Sprintf("%q", table))
			require.NoError(t, err)
			text := strings.ReplaceAll(fmt.Sprint(document), strings.Trim(string(quoted), `"`), "TABLE")
			text = strings.ReplaceAll(text, fmt.Sprintf("%q", table), "TABLE")
			all = append(all, fmt.Sprint(response.Code, " ", text))
		}
		return all
	}
	missing := answers("app.nothing", "{column: org, value: organisation}")
	require.Contains(t, missing[0], "404")
	require.Contains(t, missing[1], "404")
	require.Contains(t, missing[2], "403")
	require.Contains(t, missing[2], problem.TableNotAllowed)
	for _, table := range []string{"app.products", "app.products_view", "app.events_1", "app.events", "App.Products", "APP.PRODUCTS", `"app".products`, `"app"."products"`} {
		for _, tenant := range []string{"{column: org, value: organisation}", "{column: shelf, value: organisation}", `{column: org, value: "1"}`, "{none: true}", "{session: {app.tenant: organisation}}"} {
			require.Equal(t, missing, answers(table, tenant), "%s %s", table, tenant)
		}
	}
	// Without a schema, nothing is looked up in the search path.
	b.declare(t, "2", strings.Replace(productType, "app.products", "products", 1)).requireProblem(422, problem.DeclarationInvalid)

	// A reference of its own table does not reach others, by any column.
	own := "loadbay: type/1\nname: OWN\ntitle: Own\ntarget: {table: app.own}\ntenant: {column: org, value: organisation}\nidentity: [id]\nmodes: [insert]\nfields:\n  - {name: ID, column: id}\n  - {name: PRODUCT, column: product%s}\n"
	refer := func(reference string) string {
		p := b.declare(t, "2", fmt.Sprintf(own, ", reference: {"+reference+"}")).requireProblem(403, problem.TableNotAllowed)
		return fmt.Sprint(p["errors"])
	}
	nothing := refer("table: app.nothing, column: id, by: [[sku]]")
	for _, reference := range []string{
		"table: app.products, column: id, by: [[sku]]", "table: app.products, column: id, by: [[sku]], within: shelf", "table: app.products, column: id, by: [[sku]], within: org",
		"table: app.products_view, column: id, by: [[sku]], within: shelf", "table: app.events_1, column: id, by: [[sku]], within: shelf",
	} {
		table, _, _ := strings.Cut(strings.TrimPrefix(reference, "table: "), ",")
		require.Equal(t, nothing, strings.ReplaceAll(refer(reference), table, "app.nothing"), reference)
	}

	// It neither sees the table nor uses the type of the first organisation.
	listed := decode[[]fields](b.do(t, request{method: "GET", path: "/api/tables", claims: other}), http.StatusOK)
	require.Len(t, listed, 1)
	require.Equal(t, "app.own", listed[0]["table"])
	send("/api/imports", "application/json", `{"importType":"PRODUCT","filename":"p.csv","sizeBytes":10}`).requireProblem(400, problem.ImportTypeUnknown)
	send("/api/exports", "application/json", `{"importType":"PRODUCT","format":"csv"}`).requireProblem(400, problem.ImportTypeUnknown)
	for _, path := range []string{"/v1/exports?resource=product&format=csv", "/api/exports/count?importType=PRODUCT", "/api/entities/PRODUCT/A/history?by=SKU", "/api/types/PRODUCT", "/api/types/PRODUCT/drift"} {
		response := b.do(t, request{method: "GET", path: path, claims: other})
		require.GreaterOrEqual(t, response.Code, 400, path)
		require.NotContains(t, response.Body.String(), "Secret", path)
	}
}

// A declaration has exactly the tenant of the grant, and only its modes.
func TestDeclarationsKeepToTheGrant(t *testing.T) {
	t.Parallel()
	b := withProducts(t)
	b.amongSeveral(t)
	b.Exec(t, `ALTER TABLE app.products ADD COLUMN shelf bigint`)
	id := b.grant(t, "2", "app.products", orgColumn, `, "modes": ["insert"]`)
	refused := func(from, to, field, message string) {
		t.Helper()
		p := b.declare(t, "2", strings.Replace(strings.Replace(productType, "identity", "modes: [insert]\nidentity", 1), from, to, 1)).requireProblem(403, problem.TableNotAllowed)
		require.Equal(t, []any{field, message}, []any{p["errors"].([]any)[0].(fields)["field"], p["errors"].([]any)[0].(fields)["message"]})
	}
	const tenant = "The tenant of the grant: {column: org, value: organisation}."
	for _, other := range []string{"{column: shelf, value: organisation}", `{column: org, value: "1"}`, "{none: true}", "{column: org, value: organisation, session: {app.tenant: organisation}}"} {
		refused("{column: org, value: organisation}", other, "tenant", tenant)
	}
	refused("modes: [insert]", "modes: [insert, update]", "modes", "Only modes of the grant: insert.")
	refused("modes: [insert]\n", "", "modes", "Only modes of the grant: insert.")
	draft := decode[fields](b.adopt(t, "app.products", map[string]string{"organisation_id": "2"}), http.StatusOK)
	require.Contains(t, draft["yaml"], "{column: org, value: organisation}")
	require.NotContains(t, draft["yaml"], "column: org,\n")
	decode[fields](b.declare(t, "2", strings.Replace(productType, "identity", "modes: [insert]\nidentity", 1)), http.StatusCreated)

	// Without the grant, nothing starts with the type. What has started goes on.
	call := func(method, path, body string) apiResponse {
		return b.do(t, request{method: method, path: path, contentType: "application/json", body: body, claims: map[string]string{"organisation_id": "2"}})
	}
	const announcement = `{"importType":"PRODUCT","filename":"p.csv","sizeBytes":10,"mode":"insert"}`
	begun := decode[fields](call("POST", "/api/imports", announcement), http.StatusCreated)["identifier"].(string)
	b.revoke(t, id)
	b.do(t, operate("POST", tableGrants+"/"+id+"/revoke", "")).requireProblem(404, problem.NotFound)
	call("POST", "/api/imports", announcement).requireProblem(403, problem.TableNotAllowed)
	call("POST", "/api/exports", `{"importType":"PRODUCT","format":"csv"}`).requireProblem(403, problem.TableNotAllowed)
	call("GET", "/api/exports/count?importType=PRODUCT", "").requireProblem(403, problem.TableNotAllowed)
	require.Equal(t, "PRODUCT", decode[fields](call("GET", "/api/imports/"+begun, ""), http.StatusOK)["importType"])
	b.grant(t, "2", "app.products", orgColumn, `, "modes": ["insert"]`)
	decode[fields](call("POST", "/api/imports", announcement), http.StatusCreated)
	logged := fmt.Sprint(b.logs.lines(t))
	require.Contains(t, logged, "action:table granted")
	require.Contains(t, logged, "action:table grant revoked")
}

// References find rows of granted tables only, by the column of the grant.
func TestReferencesKeepToTheGrant(t *testing.T) {
	t.Parallel()
	b := withProducts(t)
	b.amongSeveral(t)
	b.Exec(t, `CREATE TABLE app.makers (id bigint PRIMARY KEY, company bigint NOT NULL, name text)`)
	b.Exec(t, `CREATE TABLE app.colours (id bigint PRIMARY KEY, name text)`)
	b.Exec(t, `ALTER TABLE app.products ADD COLUMN maker bigint REFERENCES app.makers, ADD COLUMN colour bigint REFERENCES app.colours`)
	b.Exec(t, `GRANT SELECT ON app.makers, app.colours TO loadbay_app`)
	b.grant(t, "2", "app.products", orgColumn, "")
	create := func(maker, colour string) apiResponse {
		return b.declare(t, "2", productType+"  - {name: MAKER, column: maker, reference: {table: app.makers, by: [[name]]"+maker+"}}\n  - {name: COLOUR, column: colour, reference: {table: app.colours, by: [[name]]"+colour+"}}\n")
	}
	p := create(", within: company", "").requireProblem(403, problem.TableNotAllowed)
	require.Len(t, p["errors"], 2)
	b.grant(t, "2", "app.makers", `{"column": "company", "value": "organisation"}`, `, "referenceOnly": true`)
	b.grant(t, "1,2", "app.colours", `{"none": true}`, `, "referenceOnly": true`)
	for _, within := range []string{"", ", within: id"} {
		p = create(within, "").requireProblem(403, problem.TableNotAllowed)
		require.Contains(t, fmt.Sprint(p["errors"]), "the reference needs within: company")
		require.Len(t, p["errors"], 1)
	}
	draft := decode[fields](b.adopt(t, "app.products", map[string]string{"organisation_id": "2"}), http.StatusOK)["yaml"].(string)
	require.Contains(t, draft, "within: company")
	b.declare(t, "2", strings.Replace(productType, "app.products", "app.colours", 1)).requireProblem(403, problem.TableNotAllowed) // references only
	decode[fields](create(", within: company", ""), http.StatusCreated)
}

// The only organisation of an installation needs no operator. When another one is created, its types go on
// with the tables that they have, for it alone, and all else needs a grant.
func TestOnlyOrganisationNeedsNoGrant(t *testing.T) {
	t.Parallel()
	b := withProducts(t)
	b.Exec(t, `BEGIN; SET LOCAL session_replication_role = replica; DELETE FROM organisations WHERE id = 2; COMMIT`)
	b.Exec(t, `UPDATE organisations SET whole_tables = true, whole_tables_granted = false`)
	b.Exec(t, `CREATE TABLE app.others (id bigint PRIMARY KEY, sku text, name text)`)
	b.Exec(t, `GRANT SELECT, INSERT, UPDATE ON app.others TO loadbay_app`)
	whole := strings.NewReplacer("{column: org, value: organisation}", "{none: true}", "products_sku_key", "none").Replace(productType)
	decode[fields](b.callTypes(t, "POST", "", "", whole), http.StatusCreated)
	organisation := func(id string) fields {
		return decode[fields](b.do(t, operate("GET", organisations+"/"+id, "")), http.StatusOK)
	}
	require.Equal(t, true, organisation("1")["wholeTables"])
	decode[fields](b.do(t, operate("POST", organisations, `{"name":"Second","id":2}`)), http.StatusCreated)
	require.Equal(t, false, organisation("1")["wholeTables"])
	require.Equal(t, false, organisation("2")["wholeTables"])

	decode[fields](b.callTypes(t, "PUT", "/PRODUCT", `"1"`, strings.Replace(whole, "Products", "Goods", 1)), http.StatusOK)
	const announcement = `{"importType":"PRODUCT","filename":"p.csv","sizeBytes":10}`
	decode[fields](b.do(t, request{method: "POST", path: "/api/imports", contentType: "application/json", body: announcement}), http.StatusCreated)
	b.callTypes(t, "PUT", "/PRODUCT", `"2"`, strings.Replace(whole, "app.products", "app.others", 1)).requireProblem(403, problem.TableNotAllowed)
	b.declare(t, "1", strings.NewReplacer("name: PRODUCT", "name: OTHER", "app.products", "app.others").Replace(whole)).requireProblem(403, problem.TableNotAllowed)
	for _, tenant := range []string{"{none: true}", "{column: org, value: organisation}"} {
		b.declare(t, "2", strings.Replace(whole, "{none: true}", tenant, 1)).requireProblem(403, problem.TableNotAllowed)
	}
	// All rows of the table are the first organisation's, so no other one can have some of them.
	for _, tenant := range []string{orgColumn, `{"none": true}`} {
		b.do(t, operate("POST", tableGrants, `{"organisations": [2], "table": "app.products", "tenant": `+tenant+`}`)).requireProblem(409, problem.StateConflict)
	}
	listed := decode[[]fields](b.do(t, operate("GET", tableGrants, "")), http.StatusOK)
	require.Len(t, listed, 1)
	require.Equal(t, []any{"app.products", "tester", fields{"none": true}}, []any{listed[0]["table"], listed[0]["grantedBy"], listed[0]["tenant"]})

	decode[fields](b.do(t, operate("PUT", organisations+"/1/whole-tables", `{"wholeTables":true}`)), http.StatusOK)
	decode[fields](b.do(t, operate("POST", organisations, `{"name":"Third"}`)), http.StatusCreated)
	require.Equal(t, true, organisation("1")["wholeTables"], "an operator has allowed it")
}

func TestGrantsToEveryOrganisationReachNewOnes(t *testing.T) {
	t.Parallel()
	b := withProducts(t)
	b.amongSeveral(t)
	every := `{"everyOrganisation": true, "table": "app.products", "tenant": ` + orgColumn + `}`
	g := decode[fields](b.do(t, operate("POST", tableGrants, every)), http.StatusCreated)
	require.Equal(t, []any{true, []any{}}, []any{g["everyOrganisation"], g["organisations"]})
	b.do(t, operate("POST", tableGrants, every)).requireProblem(409, problem.EntityExists)
	third := fmt.Sprint(decode[fields](b.do(t, operate("POST", organisations, `{"name":"Third"}`)), http.StatusCreated)["id"])
	decode[fields](b.declare(t, third, productType), http.StatusCreated)
	decode[fields](b.declare(t, "2", productType), http.StatusCreated)
	require.Len(t, decode[[]fields](b.do(t, operate("GET", tableGrants+"?size=1", "")), http.StatusOK), 1)
	b.revoke(t, g["id"].(string))
	b.callTypes(t, "PUT", "/PRODUCT", "*", productType).requireProblem(403, problem.TableNotAllowed)
}

func TestGrantsOfTheSameRowsAreRefused(t *testing.T) {
	t.Parallel()
	b := withProducts(t)
	b.amongSeveral(t)
	b.Exec(t, `ALTER TABLE app.products ADD COLUMN shelf bigint`)
	b.Exec(t, `CREATE VIEW app.products_view AS SELECT * FROM app.products`)
	post := func(body string) apiResponse { return b.do(t, operate("POST", tableGrants, body)) }
	invalid := func(field, body string) {
		t.Helper()
		p := post(body).requireProblem(422, problem.EntityInvalid)
		require.Equal(t, field, p["errors"].([]any)[0].(fields)["field"])
	}
	invalid("organisations", `{"table": "app.products", "tenant": `+orgColumn+`}`)
	invalid("organisations", `{"organisations": [9], "table": "app.products", "tenant": `+orgColumn+`}`)
	invalid("organisations", `{"organisations": [1], "everyOrganisation": true, "table": "app.products", "tenant": `+orgColumn+`}`)
	for _, table := range []string{"app.nothing", "app.products_view", "loadbay.api_keys", "pg_catalog.pg_roles", "products"} {
		invalid("table", `{"organisations": [1], "table": "`+table+`", "tenant": `+orgColumn+`}`)
	}
	for _, tenant := range []string{`{}`, `{"none": true, "column": "org", "value": "organisation"}`, `{"column": "org"}`, `{"column": "nothing", "value": "organisation"}`, `{"session": {"role": "organisation"}}`} {
		invalid("tenant", `{"organisations": [1], "table": "app.products", "tenant": `+tenant+`}`)
	}
	for _, who := range []string{`"everyOrganisation": true`, `"organisations": [1, 2]`} {
		for _, tenant := range []string{`{"none": true}`, `{"column": "org", "value": "7"}`} {
			invalid("tenant", `{`+who+`, "table": "app.products", "tenant": `+tenant+`}`)
		}
	}
	invalid("modes", `{"organisations": [1], "table": "app.products", "tenant": `+orgColumn+`, "modes": ["mirror"]}`)

	b.grant(t, "1", "app.products", `{"column": "org", "value": "7"}`, "")
	b.grant(t, "1", "app.products", `{"column": "shelf", "value": "7"}`, "") // the same organisation may have several
	for _, tenant := range []string{`{"column": "org", "value": "7"}`, `{"column": "org", "value": "organisation"}`, `{"none": true}`, `{"column": "org", "value": "8"}`} {
		post(`{"organisations": [2], "table": "app.products", "tenant": `+tenant+`}`).requireProblem(409, problem.StateConflict)
	}
	post(`{"everyOrganisation": true, "table": "app.products", "tenant": {"none": true}, "referenceOnly": true}`).requireProblem(409, problem.StateConflict)
	require.Equal(t, http.StatusForbidden, b.do(t, request{method: "GET", path: tableGrants, claims: map[string]string{"scope": "types:write"}}).Code)
}
