package entity_test

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// itemTable is a table of items with an owner and a keeper.
var itemTable = entity.Table{
	Name:    "things",
	Keys:    []entity.Key{{Field: "ID"}},
	Parents: []entity.Parent{{Field: "OWNER", Table: "owners"}, {Field: "KEEPER", Table: "owners"}},
}

var itemDeclaration = entity.Declaration{Fields: []entity.Field{
	{Name: "ID", Column: "id", Kind: entity.Integer}, {Name: "OWNER", Column: "owner", Kind: entity.Integer}, {Name: "KEEPER", Column: "keeper", Kind: entity.Integer},
}}

// setupItems returns a database with the owners 1 and 2; owner 3 belongs to another organisation.
func setupItems(t *testing.T) *postgrestest.Database {
	t.Helper()
	d := postgrestest.Setup(t)
	d.Exec(t, `
		CREATE TABLE owners (organisation_id bigint, id bigint, PRIMARY KEY (organisation_id, id));
		CREATE TABLE things (organisation_id bigint, id bigint, owner bigint, keeper bigint, source_job bigint, source_row bigint, source_cells int[], PRIMARY KEY (organisation_id, id));
		CALL isolate_tenants('owners');
		CALL isolate_tenants('things');
		INSERT INTO owners VALUES (1, 1), (1, 2), (2, 3)`)
	return d
}

// writeItems writes rows of an id, an owner and a keeper, 0 for an empty cell, and returns the
// outcome of each row.
func writeItems(t *testing.T, d *postgrestest.Database, mode rowwrite.Mode, rows ...[3]int64) []string {
	t.Helper()
	b := entity.NewBatch(&itemDeclaration, []bool{true, true, true}, len(rows))
	b.Organisation, b.JobKey, b.Mode = 1, 1, mode
	for i, row := range rows {
		for c, v := range row {
			if v == 0 {
				b.Columns[c].AppendNull()
			} else {
				b.Columns[c].AppendInt64(v)
			}
		}
		b.Commit(int64(i + 2))
	}
	require.NoError(t, d.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error { return itemTable.Write(t.Context(), tx, b) }))
	outcomes := make([]string, len(rows))
	for i, r := range b.Results {
		outcomes[i] = r.Outcome.String()
		for _, f := range r.Errors {
			outcomes[i] += fmt.Sprintf(" %s=%s %s", f.Field, f.Value, f.Code)
		}
	}
	return outcomes
}

func TestOnlyRowsWithoutParentAreRejected(t *testing.T) {
	t.Parallel()
	for _, mode := range []rowwrite.Mode{rowwrite.Insert, rowwrite.Upsert} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			d := setupItems(t)
			require.Equal(t, []string{
				"CREATED",
				"ERROR OWNER=9 REFERENCE_NOT_FOUND",
				"CREATED",
				"ERROR OWNER=3 REFERENCE_NOT_FOUND",
				"ERROR OWNER=8 REFERENCE_NOT_FOUND KEEPER=9 REFERENCE_NOT_FOUND",
				"CREATED",
			}, writeItems(t, d, mode,
				[3]int64{1, 1, 2},
				[3]int64{2, 9, 1},
				[3]int64{3, 0, 0}, // no owner
				[3]int64{4, 3, 1}, // owner of another organisation
				[3]int64{5, 8, 9},
				[3]int64{2, 1, 1}, // id of a rejected row
			))
			require.Equal(t, []int64{1, 2, 3}, postgrestest.Query[[]int64](t, d, `SELECT array_agg(id ORDER BY id) FROM things`))
		})
	}
}

func TestAllParentsMissingWritesNothing(t *testing.T) {
	t.Parallel()
	d := setupItems(t)
	require.Equal(t, []string{"ERROR OWNER=9 REFERENCE_NOT_FOUND"}, writeItems(t, d, rowwrite.Insert, [3]int64{1, 9, 0}))
	require.Zero(t, postgrestest.Query[int64](t, d, `SELECT count(*) FROM things`))
}

func TestMissingParentAndDuplicateKeyErrors(t *testing.T) {
	t.Parallel()
	d := setupItems(t)
	d.Exec(t, `INSERT INTO things (organisation_id, id) VALUES (1, 1)`)
	require.Equal(t, []string{"ERROR ID=1 ALREADY_EXISTS", "ERROR KEEPER=9 REFERENCE_NOT_FOUND", "CREATED", "ERROR ID=2 ROW_DUPLICATE"},
		writeItems(t, d, rowwrite.Insert, [3]int64{1, 1, 0}, [3]int64{1, 1, 9}, [3]int64{2, 2, 0}, [3]int64{2, 2, 0}))
}
