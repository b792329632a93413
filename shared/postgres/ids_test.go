package postgres_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// createRow inserts a row of one of the tables in which an import creates entities, columns or values,
// and returns its id.
func createRow(t *testing.T, tx pgx.Tx, organisation tenant.ID, kind, n int) (id int64) {
	t.Helper()
	sql := []string{
		`INSERT INTO membership_types (organisation_id, name) VALUES ($1, 'T' || $2::int) RETURNING id`,
		`INSERT INTO membership_periods (organisation_id, name, starts_on, ends_on) VALUES ($1, 'P' || $2::int, '2026-01-01', '2026-12-31') RETURNING id`,
		`INSERT INTO persons (organisation_id, identity_key, first_name, last_name) VALUES ($1, 'K' || $2::int, 'A', 'B') RETURNING id`,
		`INSERT INTO events (organisation_id, name) VALUES ($1, 'E' || $2::int) RETURNING id`,
		`INSERT INTO orders (organisation_id, idempotency_key, client_id, sender_name, sender_address, sender_contact, receiver_name, receiver_address, receiver_city,
			receiver_pincode, item_count, total_weight, service_type)
		 VALUES ($1, 'O' || $2::int, 7, 's', 's', 's', 'r', 'r', 'r', '411001', 1, 1, 'EXPRESS') RETURNING id`,
	}
	require.NoError(t, tx.QueryRow(t.Context(), sql[kind%len(sql)], organisation, n).Scan(&id))
	return id
}

func createRows(t *testing.T, db *postgres.DB, organisation tenant.ID, kinds ...int) (ids []int64) {
	t.Helper()
	require.NoError(t, db.InOrganisation(t.Context(), organisation, func(tx pgx.Tx) error {
		for _, kind := range kinds {
			ids = append(ids, createRow(t, tx, organisation, kind, int(rand.Int32())))
		}
		return nil
	}))
	return ids
}

// The ids that an organisation gets depend on what it does, not on what others do meanwhile.
func TestIDsDoNotCountOtherOrganisations(t *testing.T) {
	t.Parallel()
	for seed := range uint64(10) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 0))
			d := postgrestest.Setup(t)
			last := map[[2]int]int64{}
			for range 40 {
				organisation := tenant.ID(1 + r.IntN(2))
				kinds := make([]int, 1+r.IntN(5))
				for i := range kinds {
					kinds[i] = r.IntN(5)
				}
				for i, id := range createRows(t, d.DB, organisation, kinds...) {
					of := [2]int{int(organisation), kinds[i]}
					last[of]++
					require.Equal(t, last[of], id)
				}
			}
			require.Equal(t, "ORD"+fmt.Sprintf("%06d", last[[2]int{2, 4}]+1), postgrestest.Query[string](t, d, `
				INSERT INTO orders (organisation_id, idempotency_key, client_id, sender_name, sender_address, sender_contact, receiver_name, receiver_address, receiver_city,
					receiver_pincode, item_count, total_weight, service_type)
				VALUES (2, 'last', 7, 's', 's', 's', 'r', 'r', 'r', '411001', 1, 1, 'EXPRESS') RETURNING order_id`))
		})
	}
}

// Transactions that create rows of one organisation do not wait for each other.
func TestIDsOfParallelTransactions(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	require.NoError(t, d.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		first := createRow(t, tx, 1, 0, 1)
		require.Equal(t, []int64{first + 1}, createRows(t, d.DB, 1, 0))
		return nil
	}))
}

// An organisation that the operator creates has ids of its own at once, which the operator may use.
// A row that another program inserts without naming the organisation in a setting has one of them.
func TestIDsOfNewOrganisationAndOtherPrograms(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	require.NoError(t, d.Operator.InOrganisation(t.Context(), 9, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `INSERT INTO organisations (id, name) VALUES (9, 'Nine')`)
		return err
	}))
	require.Equal(t, []int64{1}, createRows(t, d.Operator, 9, 0))
	require.Equal(t, []int64{2}, createRows(t, d.DB, 9, 0))
	const other = `INSERT INTO membership_types (id, organisation_id, name) VALUES ($1, $2, $3) RETURNING id`
	require.Equal(t, int64(3), postgrestest.Query[int64](t, d, other, nil, 9, "by another program"))
	require.Equal(t, int64(1), postgrestest.Query[int64](t, d, other, nil, 2, "by another program"))
	require.Equal(t, int64(70), postgrestest.Query[int64](t, d, other, 70, 2, "with an id"))
}

// The ids of columns and values come from the organisation's sequence as well.
func TestIDsOfMappings(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	createRows(t, d.DB, 2, 0, 0, 0)
	j := d.AddJob(t, "status = 'COLUMN_MAPPING'")
	require.NoError(t, d.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		if err := d.DB.SaveColumnMappings(t.Context(), tx, j, []job.MappedColumn{{ColumnIndex: 0, Header: "A", Status: job.Unresolved}, {ColumnIndex: 1, Header: "B", Status: job.Unresolved}}); err != nil {
			return err
		}
		return d.DB.AddCellMappings(t.Context(), tx, j, []job.MappedCell{{TargetField: "F", Value: "x", Status: job.Unresolved}})
	}))
	require.Equal(t, []int64{1, 1, 2}, postgrestest.Query[[]int64](t, d, `
		SELECT array_agg(id ORDER BY id) FROM (SELECT id FROM import_column_mappings UNION ALL SELECT id FROM import_cell_mappings) AS m`))
}

// No caller sees a number from a sequence that organisations share.
func TestVisibleIDsHaveNoSharedSequence(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	require.Equal(t, []string{"export_jobs", "import_cell_decisions", "import_changes", "import_column_decisions", "import_jobs", "job_events", "kept_changes"},
		postgrestest.Query[[]string](t, d, `
			SELECT array_agg(c.relname::text ORDER BY c.relname::text COLLATE "C")
			FROM pg_attribute AS a
			JOIN pg_class AS c ON c.oid = a.attrelid
			LEFT JOIN pg_attrdef AS v ON v.adrelid = a.attrelid AND v.adnum = a.attnum
			WHERE (a.attidentity <> '' OR pg_get_expr(v.adbin, v.adrelid) LIKE 'nextval(%') AND c.relkind = 'r'
			  AND c.relnamespace = ANY ('{loadbay,sample}'::regnamespace[]) AND c.relname <> 'goose_db_version'`))
	require.Empty(t, postgrestest.Query[[]string](t, d, `
		SELECT coalesce(array_agg(i.indexrelid::regclass::text), '{}')
		FROM pg_attrdef AS v
		JOIN pg_attribute AS a ON a.attrelid = v.adrelid AND a.attnum = v.adnum
		JOIN pg_index AS i ON i.indrelid = a.attrelid AND i.indisunique AND i.indkey::text = a.attnum::text
		WHERE pg_get_expr(v.adbin, v.adrelid) LIKE '%next_id(%'`), "ids are unique only within an organisation")
}
