package postgres_test

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// createType creates a membership type and returns its id.
func createType(t *testing.T, tx pgx.Tx, organisation tenant.ID, name string) (id int64) {
	t.Helper()
	require.NoError(t, tx.QueryRow(t.Context(), `INSERT INTO membership_types (organisation_id, name) VALUES ($1, $2) RETURNING id`, organisation, name).Scan(&id))
	return id
}

// An id tells nothing about what other organisations do: each counts for itself.
func TestIDsDoNotCountOtherOrganisations(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	d.Exec(t, `INSERT INTO organisations (id, name) VALUES (900000, 'Large id')`)
	var ids []int64
	create := func(db *postgres.DB, organisation tenant.ID, n int) {
		for i := range n {
			require.NoError(t, db.InOrganisation(t.Context(), organisation, func(tx pgx.Tx) error {
				ids = append(ids, createType(t, tx, organisation, fmt.Sprintf("%d %d", len(ids), i)))
				return nil
			}))
		}
	}
	create(d.DB, 1, 1)
	create(d.DB, 2, 5)
	create(d.DB, 1, 1)
	create(d.DB, 900_000, 1)
	require.Equal(t, []int64{10000000001, 20000000001, 20000000002, 20000000003, 20000000004, 20000000005, 10000000002, 9000000000000001}, ids)
	require.Less(t, ids[7], int64(1)<<53, "exact in JSON")
}

// Transactions that create rows of one organisation do not wait for each other.
func TestIDsOfParallelTransactions(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	require.NoError(t, d.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		first := createType(t, tx, 1, "first")
		return d.DB.InOrganisation(t.Context(), 1, func(second pgx.Tx) error {
			require.Equal(t, first+1, createType(t, second, 1, "second"))
			return nil
		})
	}))
}

// An organisation that the operator creates has ids of its own at once. Rows that other programs
// write without naming their organisation have ids, too.
func TestIDsOfNewOrganisationAndOtherPrograms(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	require.Empty(t, sqlState(t, d.Operator, 1, `INSERT INTO organisations (id, name) VALUES (9, 'Nine')`))
	require.NoError(t, d.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		require.Equal(t, int64(10000000001), createType(t, tx, 1, "one"))
		return nil
	}))
	d.Exec(t, `INSERT INTO membership_types (organisation_id, name) VALUES (1, 'by another program')`)
	require.Equal(t, int64(5_000_000_000), postgrestest.Query[int64](t, d, `SELECT id FROM membership_types WHERE name = 'by another program'`))
}

// The other ids are those of rows that callers never see by number, and those of columns and
// values, which the service sets.
func TestVisibleIDsHaveNoSharedSequence(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	require.Equal(t, []string{"export_jobs", "import_cell_decisions", "import_cell_mappings", "import_column_decisions", "import_column_mappings", "import_jobs", "job_events"},
		postgrestest.Query[[]string](t, d, `
			SELECT array_agg(relname::text ORDER BY relname::text COLLATE "C")
			FROM pg_attribute
			JOIN pg_class ON pg_class.oid = attrelid
			WHERE attidentity <> '' AND relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'goose_db_version'`))
}

// The ids of columns and values, too, are counted for each organisation, also in retries.
func TestIDsOfMappings(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	j := d.AddJob(t, "status = 'COLUMN_MAPPING'")
	require.NoError(t, d.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		return d.DB.SaveColumnMappings(t.Context(), tx, j, []job.MappedColumn{{ColumnIndex: 0, Header: "A", Status: job.Unresolved}, {ColumnIndex: 1, Header: "B", Status: job.Unresolved}})
	}))
	require.Equal(t, []int64{10000000001, 10000000002}, postgrestest.Query[[]int64](t, d, `SELECT array_agg(id ORDER BY column_index) FROM import_column_mappings`))
}

// The id of an order keeps its shape.
func TestOrderIDsHaveSixDigits(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	require.NoError(t, d.DB.InOrganisation(t.Context(), 2, func(tx pgx.Tx) error {
		var orderID string
		err := tx.QueryRow(t.Context(), `
			INSERT INTO orders (organisation_id, idempotency_key, client_id, sender_name, sender_address, sender_contact, receiver_name, receiver_address, receiver_city,
				receiver_pincode, item_count, total_weight, service_type)
			VALUES (2, '7:A', 7, 's', 's', 's', 'r', 'r', 'r', '411001', 1, 1, 'EXPRESS')
			RETURNING order_id`).Scan(&orderID)
		require.Equal(t, "ORD000001", orderID)
		return err
	}))
}
