package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/declared"
	"github.com/loadbay/loadbay/shared/problem"
)

const productType = `loadbay: type/1
name: PRODUCT
title: Products
target: {table: app.products}
tenant: {column: org, value: organisation}
identity: [id]
keys: [{name: sku, fields: [SKU], index: products_sku_key}]
fields:
  - {name: SKU, column: sku, required: true}
  - {name: NAME, column: name}
`

// withProducts is setup with a table of a customer's own.
func withProducts(t *testing.T) *bundle {
	t.Helper()
	b := setup(t)
	b.addProducts(t)
	return b
}

func (b *bundle) addProducts(t *testing.T) {
	t.Helper()
	b.Exec(t, `CREATE SCHEMA app`)
	b.Exec(t, `CREATE TABLE app.products (id bigserial PRIMARY KEY, org bigint NOT NULL, sku text NOT NULL, name text, CONSTRAINT products_sku_key UNIQUE (org, sku))`)
	b.Exec(t, `GRANT USAGE ON SCHEMA app TO loadbay_app`)
	b.Exec(t, `GRANT SELECT, INSERT, UPDATE ON app.products TO loadbay_app`)
	b.Exec(t, `GRANT USAGE ON SEQUENCE app.products_id_seq TO loadbay_app`)
}

// callTypes calls /api/types with a declaration in YAML; match is If-Match, or "*" for If-None-Match.
func (b *bundle) callTypes(t *testing.T, method, path, match, declaration string) apiResponse {
	t.Helper()
	r := request{method: method, path: "/api/types" + path, headers: map[string]string{}}
	if declaration != "" {
		r.body, r.contentType = declaration, "application/yaml"
	}
	switch match {
	case "":
	case "*":
		r.headers["If-None-Match"] = match
	default:
		r.headers["If-Match"] = match
	}
	return b.do(t, r)
}

func TestDeclaredTypeIsCreatedChangedAndRetired(t *testing.T) {
	t.Parallel()
	b := withProducts(t)
	created := b.callTypes(t, "POST", "", "", productType)
	first := decode[fields](created, http.StatusCreated)
	require.Equal(t, "/api/types/PRODUCT", created.Header().Get("Location"))
	require.Equal(t, `"1"`, created.Header().Get("ETag"))
	require.Equal(t, []any{"PRODUCT", "Products", "app.products", 1.0, "tester", nil}, []any{first["name"], first["title"], first["table"], first["version"], first["savedBy"], first["retiredAt"]})
	require.Equal(t, "app.products", first["declaration"].(fields)["target"].(fields)["table"])

	same := b.callTypes(t, "PUT", "/PRODUCT", `"1"`, "# only a comment is new\n"+productType)
	require.Equal(t, 1.0, decode[fields](same, http.StatusOK)["version"], "unchanged content adds no version")
	changed := b.callTypes(t, "PUT", "/PRODUCT", `"1"`, strings.Replace(productType, "Products", "Goods", 1))
	require.Equal(t, 2.0, decode[fields](changed, http.StatusOK)["version"])
	b.Exec(t, `ALTER TABLE app.products ADD COLUMN colour text`)
	adopted := b.callTypes(t, "PUT", "/PRODUCT", `"2"`, strings.Replace(productType, "Products", "Goods", 1))
	require.Equal(t, 3.0, decode[fields](adopted, http.StatusOK)["version"], "the table has changed")

	listed := decode[[]fields](b.callTypes(t, "GET", "", "", ""), http.StatusOK)
	require.Len(t, listed, 1)
	require.Equal(t, []any{"Goods", 3.0}, []any{listed[0]["title"], listed[0]["version"]})
	versions := decode[[]fields](b.callTypes(t, "GET", "/PRODUCT/versions?size=2", "", ""), http.StatusOK)
	require.Equal(t, []any{3.0, 2.0}, []any{versions[0]["version"], versions[1]["version"]})
	require.Equal(t, "Products", decode[fields](b.callTypes(t, "GET", "/PRODUCT/versions/1", "", ""), http.StatusOK)["title"])

	require.NotNil(t, decode[fields](b.callTypes(t, "POST", "/PRODUCT/retire", "", ""), http.StatusOK)["retiredAt"])
	require.Equal(t, http.StatusOK, b.callTypes(t, "POST", "/PRODUCT/retire", "", "").Code, "again")
	again := b.callTypes(t, "PUT", "/PRODUCT", `"3"`, strings.Replace(productType, "Products", "Goods", 1))
	require.Nil(t, decode[fields](again, http.StatusOK)["retiredAt"])
}

func TestWrongDeclarationsAreRefused(t *testing.T) {
	t.Parallel()
	b := withProducts(t)
	refused := func(from, to string, status int, code problem.Code, field, message string) {
		t.Helper()
		document := b.callTypes(t, "POST", "", "", strings.Replace(productType, from, to, 1)).requireProblem(status, code)
		errors := document["errors"].([]any)
		require.Equal(t, []any{field, message}, []any{errors[0].(fields)["field"], errors[0].(fields)["message"]})
	}
	refused("title:", "titel:", 422, problem.DeclarationInvalid, "title", "Line 1, column 1: Use a text of 1 to 300 characters.")
	refused("name: PRODUCT", "name: USER", 422, problem.DeclarationInvalid, "name", "Line 2, column 7: The name USER is that of a type that comes with Loadbay. Choose another name.")
	refused("app.products", "app.goods", 422, problem.DeclarationInvalid, "target.table", "Line 4, column 17: The table app.goods does not exist. Write schema.table as in the catalogue.")
	refused("app.products", "loadbay.import_jobs", 422, problem.DeclarationInvalid, "target.table", "Line 4, column 17: Tables in schema loadbay cannot be adopted. Use a table of your own.")
	refused("{table:", "{database: crm, table:", 422, problem.DeclarationInvalid, "target.database", "Line 4, column 20: Tables in other databases are not supported yet. Remove database.")
	refused("column: name}", "column: colour}", 422, problem.DeclarationInvalid, "fields[1].column", "Line 10, column 26: The table app.products has no column colour.")
	b.callTypes(t, "POST", "", "", strings.Repeat("#", declared.MaxBytes+1)).requireProblem(413, problem.DeclarationTooLarge)
	b.do(t, request{method: "POST", path: "/api/types", contentType: "text/plain", body: productType}).requireProblem(415, problem.MediaTypeInvalid)

	// The only organisation of an installation, or one that an operator allows it, may use all tables.
	b.amongSeveral(t)
	b.callTypes(t, "POST", "", "", productType).requireProblem(403, problem.TableNotAllowed)
	require.Equal(t, true, decode[fields](b.do(t, operate("PUT", "/api/admin/organisations/1/whole-tables", `{"wholeTables":true}`)), http.StatusOK)["wholeTables"])
	decode[fields](b.callTypes(t, "POST", "", "", strings.NewReplacer("{column: org, value: organisation}", "{none: true}", "products_sku_key", "none").Replace(productType)), http.StatusCreated)
	b.callTypes(t, "POST", "", "", productType).requireProblem(409, problem.EntityExists)
}

func TestChangesOfTypesNeedTheVersionInUse(t *testing.T) {
	t.Parallel()
	b := withProducts(t)
	b.callTypes(t, "PUT", "/PRODUCT", "", productType).requireProblem(428, problem.VersionRequired)
	b.callTypes(t, "PUT", "/PRODUCT", `"1"`, productType).requireProblem(404, problem.NotFound)
	require.Equal(t, 1.0, decode[fields](b.callTypes(t, "PUT", "/PRODUCT", "*", productType), http.StatusCreated)["version"])
	b.callTypes(t, "PUT", "/PRODUCT", "*", productType).requireProblem(412, problem.VersionChanged)
	b.callTypes(t, "PUT", "/PRODUCT", `"7"`, productType).requireProblem(412, problem.VersionChanged)
	b.callTypes(t, "PUT", "/GOODS", `"1"`, productType).requireProblem(422, problem.DeclarationInvalid)
	b.callTypes(t, "GET", "/GOODS", "", "").requireProblem(404, problem.NotFound)
	b.callTypes(t, "GET", "/PRODUCT/versions/2", "", "").requireProblem(404, problem.NotFound)
	b.callTypes(t, "POST", "/GOODS/retire", "", "").requireProblem(404, problem.NotFound)
}

func TestTypesBelongToTheirOrganisation(t *testing.T) {
	t.Parallel()
	b := withProducts(t)
	decode[fields](b.callTypes(t, "POST", "", "", productType), http.StatusCreated)
	other := map[string]string{"organisation_id": "2"}
	b.do(t, request{method: "GET", path: "/api/types/PRODUCT", claims: other}).requireProblem(404, problem.NotFound)
	require.Empty(t, decode[[]fields](b.do(t, request{method: "GET", path: "/api/types", claims: other}), http.StatusOK))
	names := func(claims map[string]string) (names []any) {
		for _, of := range decode[[]fields](b.do(t, request{method: "GET", path: "/api/import-types", claims: claims}), http.StatusOK) {
			names = append(names, of["name"])
		}
		return names
	}
	require.Contains(t, names(nil), "PRODUCT")
	require.NotContains(t, names(other), "PRODUCT")
	b.do(t, request{method: "POST", path: "/api/types", contentType: "application/yaml", body: productType, claims: map[string]string{"scope": "types:read imports:write"}}).requireProblem(403, problem.ScopeRequired)
}

// An import keeps the version that it started with, and a retired type accepts no other.
func TestImportKeepsTheVersionOfItsType(t *testing.T) {
	t.Parallel()
	b := withProducts(t)
	decode[fields](b.callTypes(t, "POST", "", "", productType), http.StatusCreated)
	announce := func() apiResponse {
		return b.do(t, request{method: "POST", path: "/api/imports", contentType: "application/json", body: `{"importType":"PRODUCT","filename":"p.csv","sizeBytes":10}`})
	}
	id := decode[fields](announce(), http.StatusCreated)["identifier"].(string)
	decode[fields](b.callTypes(t, "PUT", "/PRODUCT", `"1"`, strings.Replace(productType, "Products", "Goods", 1)), http.StatusOK)
	decode[fields](announce(), http.StatusCreated)
	var versions []int
	require.NoError(t, b.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), `SELECT array_agg(type_version ORDER BY id) FROM import_jobs`).Scan(&versions)
	}))
	require.Equal(t, []int{1, 2}, versions)
	decode[fields](b.callTypes(t, "POST", "/PRODUCT/retire", "", ""), http.StatusOK)
	announce().requireProblem(409, problem.TypeRetired)
	require.Equal(t, "PRODUCT", decode[fields](b.do(t, request{method: "GET", path: "/api/imports/" + id}), http.StatusOK)["importType"])
}

// A type whose declaration no longer compiles, as after an update of Loadbay, affects nobody else.
func TestBrokenTypeStopsOnlyItsOwnImports(t *testing.T) {
	t.Parallel()
	b := withProducts(t)
	decode[fields](b.callTypes(t, "POST", "", "", productType), http.StatusCreated)
	b.Exec(t, `UPDATE import_type_versions SET declaration = jsonb_set(declaration, '{fields,1,column}', '"gone"')`)
	b.Exec(t, `INSERT INTO import_types (organisation_id, name, version) SELECT 1, 'OTHER', 1`)
	b.Exec(t, `INSERT INTO import_type_versions SELECT organisation_id, 'OTHER', 1, jsonb_set(declaration, '{name}', '"OTHER"'), adopted FROM import_type_versions`)
	require.NotEmpty(t, decode[[]fields](b.do(t, request{method: "GET", path: "/api/import-types"}), http.StatusOK))
	b.do(t, request{method: "POST", path: "/api/imports", contentType: "application/json", body: `{"importType":"PRODUCT","filename":"p.csv","sizeBytes":10}`}).
		requireProblem(422, problem.DeclarationInvalid)
	require.Len(t, decode[[]fields](b.callTypes(t, "GET", "", "", ""), http.StatusOK), 2)
}

func TestTypeSchemaIsServed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.Equal(t, "Loadbay import type", decode[fields](b.callTypes(t, "GET", "/schema", "", ""), http.StatusOK)["title"])
}

// A dry run checks a declaration and shows the result; the declaration can be read as a file.
func TestDryRunSavesNothing(t *testing.T) {
	t.Parallel()
	b := withProducts(t)
	require.Equal(t, 1.0, decode[fields](b.callTypes(t, "PUT", "/PRODUCT?dryRun=true", "*", productType), http.StatusOK)["version"])
	b.callTypes(t, "GET", "/PRODUCT", "", "").requireProblem(404, problem.NotFound)
	decode[fields](b.callTypes(t, "PUT", "/PRODUCT", "*", productType), http.StatusCreated)
	changed := decode[fields](b.callTypes(t, "PUT", "/PRODUCT?dryRun=true", `"1"`, strings.Replace(productType, "Products", "Goods", 1)), http.StatusOK)
	require.Equal(t, []any{"Goods", 2.0}, []any{changed["title"], changed["version"]})
	b.callTypes(t, "PUT", "/PRODUCT?dryRun=true", `"1"`, strings.Replace(productType, "column: name}", "column: colour}", 1)).requireProblem(422, problem.DeclarationInvalid)
	require.Equal(t, "Products", decode[fields](b.callTypes(t, "GET", "/PRODUCT", "", ""), http.StatusOK)["title"])

	source := b.do(t, request{method: "GET", path: "/api/types/PRODUCT", headers: map[string]string{"Accept": "application/yaml"}})
	require.Equal(t, "application/yaml", source.Header().Get("Content-Type"))
	require.Equal(t, 1.0, decode[fields](b.callTypes(t, "PUT", "/PRODUCT", `"1"`, source.Body.String()), http.StatusOK)["version"], "the source is that of the version")
}

// A declared type has its name, in lower case, in /v1.
func TestV1ServesDeclaredTypes(t *testing.T) {
	t.Parallel()
	b := withProducts(t)
	decode[fields](b.callTypes(t, "POST", "", "", productType), http.StatusCreated)
	create := func(path, body string, claims map[string]string) apiResponse {
		return b.do(t, request{method: "POST", path: path, contentType: "application/json", body: body, claims: claims})
	}
	const anImport, anExport = `{"url":"https://files.example/p.csv","resource_type":"product"}`, `{"resource_type":"product","format":"csv"}`
	require.Equal(t, "product", decode[fields](create("/v1/imports", anImport, nil), http.StatusAccepted)["resource_type"])
	require.Equal(t, "product", decode[fields](create("/v1/exports", anExport, nil), http.StatusAccepted)["resource_type"])
	list := func(resource string) apiResponse {
		return b.do(t, request{method: "GET", path: "/v1/imports?resource_type=" + resource})
	}
	require.Len(t, decode[[]fields](list("product"), http.StatusOK), 1)
	list("PRODUCT").requireProblem(400, problem.ParameterInvalid)
	list("user").requireProblem(400, problem.ParameterInvalid)
	create("/v1/exports", anExport, map[string]string{"organisation_id": "2"}).requireProblem(400, problem.ImportTypeUnknown)
	decode[fields](b.callTypes(t, "POST", "/PRODUCT/retire", "", ""), http.StatusOK)
	create("/v1/imports", anImport, nil).requireProblem(409, problem.TypeRetired)
	require.Len(t, decode[[]fields](list("product"), http.StatusOK), 1)
}

// A foreign key leads to rows of all organisations, so a file must not choose one by its number.
func TestReferencesStayWithinTheOrganisation(t *testing.T) {
	t.Parallel()
	b := withProducts(t)
	b.Exec(t, `CREATE TABLE app.makers (id bigint PRIMARY KEY, org bigint NOT NULL, name text)`)
	b.Exec(t, `CREATE TABLE app.colours (id bigint PRIMARY KEY, name text)`)
	b.Exec(t, `ALTER TABLE app.products ADD COLUMN maker bigint REFERENCES app.makers, ADD COLUMN colour bigint REFERENCES app.colours`)
	b.Exec(t, `GRANT SELECT ON app.makers, app.colours TO loadbay_app`)
	other := map[string]string{"organisation_id": "2"}
	b.grant(t, "2", "app.products", orgColumn, "")
	b.grant(t, "2", "app.makers", orgColumn, `, "referenceOnly": true`)
	create := func(maker string, claims map[string]string) apiResponse {
		source := productType + "  - {name: COLOUR, column: colour}\n  - {name: MAKER, column: maker" + maker + "}\n"
		return b.do(t, request{method: "POST", path: "/api/types", contentType: "application/yaml", body: source, claims: claims})
	}
	p := create("", other).requireProblem(422, problem.DeclarationInvalid)
	require.Contains(t, fmt.Sprint(p), "fields[3]")
	require.Contains(t, fmt.Sprint(p), "app.makers has rows of several organisations.")
	require.NotContains(t, fmt.Sprint(p), "app.colours")
	create(", reference: {table: app.makers, by: [[id]]}", other).requireProblem(403, problem.TableNotAllowed)
	decode[fields](create(", reference: {table: app.makers, by: [[id]], within: org}", other), http.StatusCreated)
	decode[fields](create("", nil), http.StatusCreated) // this organisation may use whole tables
}

// A reference shows rows of its table to anyone who is asked about a value, so it needs a foreign key or the
// organisation's column, and never leads to Loadbay's own tables.
func TestReferencesShowNoRowsOfOthers(t *testing.T) {
	t.Parallel()
	b := withProducts(t)
	b.Exec(t, `CREATE TABLE app.staff (id bigint PRIMARY KEY, org bigint NOT NULL, email text)`)
	b.Exec(t, `CREATE TABLE app.secrets (id bigint PRIMARY KEY, word text)`)
	b.Exec(t, `ALTER TABLE app.products ADD COLUMN number bigint`)
	b.Exec(t, `GRANT SELECT ON app.staff, app.secrets TO loadbay_app`)
	create := func(reference, organisation string) apiResponse {
		source := productType + "  - {name: NUMBER, column: number, reference: {" + reference + "}}\n"
		return b.do(t, request{method: "POST", path: "/api/types", contentType: "application/yaml", body: source, claims: map[string]string{"organisation_id": organisation}})
	}
	for reference, message := range map[string]string{ // the first organisation may use whole tables
		"table: loadbay.api_keys, column: id, by: [[name]]":                   "cannot be referred to",
		"table: pg_catalog.pg_roles, column: oid, by: [[rolname]]":            "cannot be referred to",
		"table: app.nothing, column: id, by: [[email]]":                       "does not exist",
		"table: app.staff, column: number, by: [[mail]], within: institution": "no column mail",
	} {
		p := create(reference, "1").requireProblem(422, problem.DeclarationInvalid)
		require.Contains(t, fmt.Sprint(p), message, reference)
		require.Contains(t, fmt.Sprint(p), "Line 11", reference)
		create(reference, "2").requireProblem(403, problem.TableNotAllowed)
	}
	b.grant(t, "2", "app.products", orgColumn, "")
	b.grant(t, "2", "app.staff", orgColumn, `, "referenceOnly": true`)
	for _, reference := range []string{"table: app.staff, column: id, by: [[email]]", "table: app.staff, column: id, by: [[email]], within: id", "table: app.secrets, column: id, by: [[word]]"} {
		p := create(reference, "2").requireProblem(403, problem.TableNotAllowed)
		require.Contains(t, fmt.Sprint(p), "An operator has to grant references to", reference)
	}
	decode[fields](create("table: app.staff, column: id, by: [[email]], within: org", "2"), http.StatusCreated)
	decode[fields](create("table: app.secrets, column: id, by: [[word]]", "1"), http.StatusCreated)
}

// What reads a table compares it with the version in use, as imports do.
func TestReadsOfChangedTableNameTheColumn(t *testing.T) {
	t.Parallel()
	b := withProducts(t)
	decode[fields](b.callTypes(t, "POST", "", "", productType), http.StatusCreated)
	b.Exec(t, `INSERT INTO app.products (org, sku, name) VALUES (1, 'A', 'Apples')`)
	reads := []string{"/v1/exports?resource=product&format=csv", "/api/exports/count?importType=PRODUCT", "/api/entities/PRODUCT/A/history?by=SKU"}
	for _, path := range reads {
		require.Equal(t, http.StatusOK, b.do(t, get(path)).Code, path)
	}
	b.Exec(t, `ALTER TABLE app.products RENAME name TO called`)
	for _, path := range reads {
		document := b.do(t, get(path)).requireProblem(http.StatusConflict, problem.TableChanged)
		require.Contains(t, document["detail"], `column "name" was removed, or renamed to "called"`, path)
	}
}

// An organisation among several may use a table by settings only if all of its policies read them, with the
// organisation's id.
func TestSettingsOfTheSessionRestrictRows(t *testing.T) {
	t.Parallel()
	b := withProducts(t)
	b.amongSeveral(t)
	b.grant(t, "1", "app.products", `{"session": {"app.tenant": "organisation"}}`, "")
	session := strings.NewReplacer("{column: org, value: organisation}", "{session: {app.tenant: organisation}}", "products_sku_key", "none").Replace(productType)
	b.callTypes(t, "POST", "", "", session).requireProblem(422, problem.DeclarationInvalid) // no policies apply
	b.Exec(t, `ALTER TABLE app.products ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON app.products USING (org = current_setting('app.tenant')::bigint)`)
	b.callTypes(t, "POST", "", "", strings.Replace(session, "app.tenant: organisation", `app.tenant: "2"`, 1)).requireProblem(403, problem.TableNotAllowed)
	b.callTypes(t, "POST", "", "", strings.Replace(session, "app.tenant:", "app.other:", 1)).requireProblem(403, problem.TableNotAllowed)
	b.callTypes(t, "POST", "", "", strings.Replace(session, "app.tenant:", "app.organisation:", 1)).requireProblem(422, problem.DeclarationInvalid)
	decode[fields](b.callTypes(t, "POST", "", "", session), http.StatusCreated)
	check := decode[fields](b.callTypes(t, "POST", "/PRODUCT/check", "", ""), http.StatusOK)
	require.Equal(t, false, check["ok"], "nothing sets the column org: %v", check)
	b.Exec(t, `ALTER TABLE app.products ALTER org SET DEFAULT current_setting('app.tenant')::bigint`)
	check = decode[fields](b.callTypes(t, "POST", "/PRODUCT/check", "", ""), http.StatusOK)
	require.Equal(t, true, check["ok"], "%v", check)
	b.Exec(t, `CREATE POLICY everything ON app.products USING (true)`)
	b.callTypes(t, "PUT", "/PRODUCT", `"1"`, session).requireProblem(403, problem.TableNotAllowed)
}
