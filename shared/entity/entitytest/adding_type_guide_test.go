package entitytest_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/entitytest"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// book is the type from docs/adding-a-type.md.
type book struct{ entity.Table }

func (*book) Declaration() *entity.Declaration { return &bookDeclaration }

var bookDeclaration = entity.Declaration{
	Name: "BOOK", Resource: "books", Title: "Books",
	Modes:  []rowwrite.Mode{rowwrite.Insert, rowwrite.Upsert},
	Export: &entity.Export{Table: "books", Key: "isbn"},
	Fields: []entity.Field{
		{Name: "ISBN", Column: "isbn", Title: "ISBN", Kind: entity.Text, Required: true, MaxLength: 13},
		{Name: "TITLE", Column: "title", Title: "Title", Kind: entity.Text, Required: true},
		{Name: "OWNER_ID", Column: "owner_id", Title: "Owner id", Kind: entity.UUID},
		{Name: "PRICE", Column: "price", Title: "Price", Kind: entity.Decimal, Default: "0"},
	},
}

const (
	bookTable = `
		CREATE TABLE books (
			organisation_id bigint  NOT NULL,
			id              bigint,
			isbn            text    NOT NULL,
			title           text    NOT NULL,
			owner_id        uuid,
			price           numeric NOT NULL DEFAULT 0,
			source_job      bigint,
			source_row      bigint,
			source_cells    integer[],
			PRIMARY KEY (organisation_id, id),
			UNIQUE (organisation_id, isbn),
			FOREIGN KEY (organisation_id, owner_id) REFERENCES users (organisation_id, id)
		);
		CALL isolate_tenants('books');
		CALL number_rows_of('books');
		CALL capture_changes_of('books')`
	owner = "00000000-0000-4000-8000-000000000001"
)

func TestAddingATypeGuide(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	d.Exec(t, bookTable)
	d.Exec(t, `INSERT INTO users (organisation_id, id, email, name) VALUES (1, $1, 'a@x.org', 'A')`, owner)
	of := &book{entity.Table{Name: "books", Keys: []entity.Key{{Field: "ISBN"}}, Parents: []entity.Parent{{Field: "OWNER_ID", Table: "users"}}}}
	fields := []string{"isbn", "title", "owner_id", "price"}
	write := func(mode rowwrite.Mode, source int64, rows ...[]string) []string {
		b := entitytest.Batch(t, of, mode, source, fields, rows...)
		require.NoError(t, d.DB.InOrganisation(context.Background(), 1, func(tx pgx.Tx) error { return of.Write(context.Background(), tx, b) }))
		return entitytest.Outcomes(b)
	}
	require.Equal(t, []string{"created", "created", "OWNER_ID REFERENCE_NOT_FOUND", "ISBN ROW_DUPLICATE"}, write(rowwrite.Insert, 1,
		[]string{"1", "One", owner, "9.50"},
		[]string{"2", "Two", "", ""},
		[]string{"3", "Three", "00000000-0000-4000-8000-00000000dead", ""},
		[]string{"1", "One again", "", ""},
	))
	require.Equal(t, []string{"updated", "created"}, write(rowwrite.Upsert, 2, []string{"2", "Deux", "", "3"}, []string{"4", "Quatre", "", ""}))

	sql, args := of.Declaration().SelectQuery(entity.Selection{Fields: []int{0, 1, 3}})
	var got [][]string
	require.NoError(t, d.DB.InOrganisation(context.Background(), 1, func(tx pgx.Tx) error {
		rows, err := tx.Query(context.Background(), sql, args...)
		require.NoError(t, err)
		got, err = pgx.CollectRows(rows, func(r pgx.CollectableRow) ([]string, error) {
			row := make([]string, 3)
			return row, r.Scan(&row[0], &row[1], &row[2])
		})
		return err
	}))
	require.Equal(t, [][]string{{"1", "One", "9.50"}, {"2", "Deux", "3"}, {"4", "Quatre", "0"}}, got)
}
