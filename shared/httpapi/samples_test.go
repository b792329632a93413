package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
)

// An installation without samples knows their names, and uses none of them wherever they are named.
func TestSamplesCanBeLeftOut(t *testing.T) {
	t.Parallel()
	b := withProducts(t)
	decode[fields](b.callTypes(t, "POST", "", "", productType), http.StatusCreated)
	b.Exec(t, `UPDATE loadbay.installation SET samples = false`)

	var names []any
	for _, of := range decode[[]fields](b.do(t, request{method: "GET", path: "/api/import-types"}), http.StatusOK) {
		names = append(names, of["name"])
	}
	require.Equal(t, []any{"PRODUCT"}, names)

	file, contentType := form(t, part{"file", "file.csv", roster})
	usersForm, usersContentType := form(t, part{"file", "users.csv", users}, part{"resource_type", "", "users"})
	json := "application/json"
	for _, in := range []request{
		{method: "POST", path: "/api/imports", contentType: json, body: `{"importType":"USER","filename":"users.csv","sizeBytes":10}`},
		{method: "GET", path: "/api/imports?importType=USER"},
		{method: "GET", path: "/api/import-types/USER/template.xlsx"},
		{method: "GET", path: "/api/contexts?type=MEMBERSHIP"},
		{method: "GET", path: "/api/references/PERIOD?type=MEMBERSHIP"},
		{method: "GET", path: "/api/entities/USER/1/history"},
		{method: "POST", path: "/api/profiles", contentType: json, body: `{"importType":"USER","name":"Shop","mapping":{"columns":[]}}`},
		{method: "PUT", path: "/api/memberships/import?periodId=11", contentType: contentType, body: file},
		{method: "PUT", path: "/api/event-participants/import?eventId=1", contentType: contentType, body: file},
		{method: "GET", path: "/api/memberships/import/2a3e4f0a-9c7b-4c9e-8c1d-0a1b2c3d4e5f"},
		{method: "POST", path: "/api/orders/bulk-uploads", contentType: contentType, body: file},
		{method: "GET", path: "/api/orders/bulk-uploads"},
		{method: "POST", path: "/v1/imports", contentType: usersContentType, body: usersForm},
		{method: "GET", path: "/v1/imports?resource_type=users"},
		{method: "POST", path: "/v1/exports", contentType: json, body: `{"resource_type":"users","format":"csv"}`},
		{method: "GET", path: "/v1/exports?resource=users&format=csv"},
	} {
		t.Run(in.method+" "+in.path, func(t *testing.T) { b.do(t, in).requireProblem(404, problem.TypeNotInstalled) })
	}
	decode[fields](b.do(t, request{method: "POST", path: "/api/imports", contentType: json, body: `{"importType":"PRODUCT","filename":"p.csv","sizeBytes":10}`}), http.StatusCreated)
	b.callTypes(t, "POST", "", "", `loadbay: type/1
name: USER
title: People
target: {table: app.products}
tenant: {column: org, value: organisation}
identity: [id]
fields: [{name: SKU, column: sku}]
`).requireProblem(422, problem.DeclarationInvalid) // their names stay reserved

	b.Exec(t, `UPDATE loadbay.installation SET samples = true`)
	decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)
}
