package schema_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/postgres/schema"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// product is an import type of which only the declaration matters.
type product entity.Declaration

func (p *product) Declaration() *entity.Declaration { return (*entity.Declaration)(p) }

func productWith(export *entity.Export, decimals *int) entity.Type {
	return &product{Name: "PRODUCT", Export: export, Fields: []entity.Field{{Name: "PRICE", Column: "price", Kind: entity.Decimal, Decimals: decimals}}}
}

// TestTypeWithoutCaptureOrIdentityIsRefused: the deployment fails, instead of plans that write
// nothing and undos that leave everything.
func TestTypeWithoutCaptureOrIdentityIsRefused(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	owner, err := pgx.ParseConfig(d.OwnerURL)
	require.NoError(t, err)
	check := func(of entity.Type) error { return schema.CheckTypes(t.Context(), owner, []entity.Type{of}) }
	export := &entity.Export{Table: "products", Key: "sku"}

	require.ErrorContains(t, check(productWith(nil, nil)), "import type PRODUCT has no Export")
	require.ErrorContains(t, check(productWith(export, nil)), "table products does not exist")

	d.Exec(t, `CREATE TABLE products (organisation_id bigint, sku text, price numeric(12,2), source_job bigint, source_row bigint, PRIMARY KEY (organisation_id, sku))`)
	err = check(productWith(export, new(2)))
	require.ErrorContains(t, err, "add CALL capture_changes_of('products') to its migration")
	require.ErrorContains(t, err, "entities of products have no identity")

	d.Exec(t, `ALTER TABLE products ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY, ADD UNIQUE (organisation_id, id); CALL capture_changes_of('products')`)
	require.NoError(t, check(productWith(export, new(2))))
	require.NoError(t, check(productWith(export, new(0))))
	require.ErrorContains(t, check(productWith(export, nil)), "column products.price rounds to 2 decimals: set Decimals of the field PRICE")
	require.ErrorContains(t, check(productWith(export, new(3))), "rounds to 2 decimals")
	d.Exec(t, `ALTER TABLE products ALTER COLUMN price TYPE numeric`)
	require.NoError(t, check(productWith(export, nil)))
	d.Exec(t, `ALTER TABLE products DISABLE TRIGGER capture_updates`)
	require.ErrorContains(t, check(productWith(export, nil)), "are not captured")
}
