package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

// An installation without samples imports into declared types, and refuses the samples by name, in the
// drop folder too.
func TestInstallationWithoutSamples(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	r := start(t, "SAMPLES=off")
	conn, err := pgx.Connect(ctx, r.DatabaseURL(t))
	require.NoError(t, err)
	_, err = conn.Exec(ctx, `
		CREATE SCHEMA app;
		CREATE TABLE app.products (id bigserial PRIMARY KEY, org bigint NOT NULL, sku text NOT NULL, name text, CONSTRAINT products_sku_key UNIQUE (org, sku));
		GRANT USAGE ON SCHEMA app TO loadbay_app;
		GRANT SELECT, INSERT, UPDATE ON app.products TO loadbay_app;
		GRANT USAGE ON SEQUENCE app.products_id_seq TO loadbay_app`)
	require.NoError(t, err)
	require.NoError(t, conn.Close(ctx))
	caller := rawclient.New("http://"+r.API, "")
	require.NoError(t, caller.Do(ctx, http.MethodPost, "/api/types", "application/yaml", strings.NewReader(`loadbay: type/1
name: PRODUCT
title: Products
target: {table: app.products}
tenant: {column: org, value: organisation}
identity: [id]
keys: [{name: sku, fields: [SKU], index: products_sku_key}]
fields:
  - {name: SKU, column: sku, required: true}
  - {name: NAME, column: name}
`), nil))
	importUsers(t, caller, "PRODUCT", "", "SKU,Name\nA-1,Anchor\nB-2,Buoy\n")

	var refused *rawclient.Error
	err = caller.PostForm(ctx, http.MethodPost, "/api/imports", "users.csv", []byte("email,name\n"), map[string]string{"importType": "USER"}, nil)
	require.ErrorAs(t, err, &refused)
	require.Equal(t, []any{http.StatusNotFound, "TYPE_NOT_INSTALLED"}, []any{refused.Status, refused.Code})
	b := r.bucket()
	b.put(ctx, t, "drop/1/USER/-/users.csv", "email,name\nada@example.org,Ada\n", nil)
	require.Contains(t, b.awaitObject(ctx, t, "drop-quarantine/1/USER/-/users.csv.reason.json"), "TYPE_NOT_INSTALLED")
}
