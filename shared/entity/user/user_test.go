package user_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/user"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// row is one line of a file of users: id, email, name; "" is an empty cell.
type row struct {
	number          int64
	id, email, name string
}

const (
	idA = "00000000-0000-4000-8000-00000000000a"
	idB = "00000000-0000-4000-8000-00000000000b"
	idC = "00000000-0000-4000-8000-00000000000c"
)

func batch(mode rowwrite.Mode, source int64, rows ...row) *entity.Batch {
	d := user.New().Declaration()
	mapped := make([]bool, len(d.Fields))
	mapped[0], mapped[1], mapped[2] = true, true, true
	b := entity.NewBatch(d, mapped, len(rows))
	b.Organisation, b.JobKey, b.Mode = 1, source, mode
	for _, r := range rows {
		if r.id == "" {
			b.Columns[0].AppendNull()
		} else {
			b.Columns[0].AppendUUID(uuid.MustParse(r.id))
		}
		for i, v := range []string{r.email, r.name} {
			if v == "" {
				b.Columns[1+i].AppendNull()
			} else {
				b.Columns[1+i].AppendText([]byte(v))
			}
		}
		b.Commit(r.number)
	}
	return b
}

func write(t *testing.T, d *postgrestest.Database, b *entity.Batch) {
	t.Helper()
	require.NoError(t, d.DB.InOrganisation(context.Background(), 1, func(tx pgx.Tx) error {
		return user.New().Write(context.Background(), tx, b)
	}))
}

// outcomes lists the results in short form: "C", "U" or the error code.
func outcomes(b *entity.Batch) []string {
	out := make([]string, len(b.Results))
	for i, r := range b.Results {
		switch {
		case r.Outcome == rowwrite.Errored:
			out[i] = r.Errors[0].Field + " " + string(r.Errors[0].Code)
		case r.Outcome == rowwrite.Created:
			out[i] = "C"
		default:
			out[i] = "U"
		}
		if r.Outcome != rowwrite.Errored && len(r.Errors) > 0 {
			out[i] += " " + string(r.Errors[0].Code)
		}
	}
	return out
}

// table returns the contents of the users table, in the order of the source rows.
func table(t *testing.T, d *postgrestest.Database) []string {
	t.Helper()
	return postgrestest.Query[[]string](t, d, `
		SELECT coalesce(array_agg(source_row || ' ' || email || ' ' || name ORDER BY source_row), '{}') FROM users`)
}

func TestInsertAppliesDefaults(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	b := batch(rowwrite.Insert, 7, row{2, idA, "a@x.org", "A"}, row{3, "", "b@x.org", "B"})
	write(t, d, b)
	require.Equal(t, []string{"C", "C"}, outcomes(b))
	require.Equal(t, []string{"2 a@x.org A", "3 b@x.org B"}, table(t, d))
	require.Equal(t, int64(2), postgrestest.Query[int64](t, d,
		`SELECT count(*) FROM users WHERE role = 'user' AND active AND created_at > now() - interval '1 minute' AND source_job = 7 AND organisation_id = 1`))
}

func TestInsertReportsDuplicateKeys(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	write(t, d, batch(rowwrite.Insert, 1, row{2, idA, "a@x.org", "A"}))
	b := batch(rowwrite.Insert, 2,
		row{2, idB, "a@x.org", "e-mail of another import"},
		row{3, idA, "c@x.org", "id of another import"},
		row{4, idC, "d@x.org", "new"},
		row{5, "", "d@x.org", "e-mail of row 4"},
		row{6, idC, "e@x.org", "id of row 4"},
		row{7, "", "e@x.org", "e-mail of a row that was refused"},
	)
	write(t, d, b)
	require.Equal(t, []string{
		"EMAIL ALREADY_EXISTS", "ID ALREADY_EXISTS", "C", "EMAIL ROW_DUPLICATE", "ID ROW_DUPLICATE", "C",
	}, outcomes(b))
	require.Equal(t, "Row 4 of this file has the same value.", b.Results[3].Errors[0].Message)
	require.Equal(t, "d@x.org", b.Results[3].Errors[0].Value)
	require.Equal(t, idC, b.Results[4].Errors[0].Value)
}

func TestEarlierRowDisplacesLaterRow(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	write(t, d, batch(rowwrite.Insert, 9, row{5002, idB, "a@x.org", "second"}, row{5003, idC, "c@x.org", "kept"}))
	b := batch(rowwrite.Insert, 9, row{2, idA, "a@x.org", "first"})
	write(t, d, b)
	require.Equal(t, []string{"C"}, outcomes(b))
	require.Equal(t, []entity.Displaced{{Row: 5002, Err: rowwrite.Error{
		Field: "EMAIL", Code: problem.RowDuplicate, Value: "a@x.org", Message: "Row 2 of this file has the same value.",
	}}}, b.Displaced)
	require.Equal(t, []string{"2 a@x.org first", "5003 c@x.org kept"}, table(t, d))
}

func TestUpsertMatchesByIDThenEmail(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	write(t, d, batch(rowwrite.Insert, 1, row{2, idA, "a@x.org", "A"}, row{3, idB, "b@x.org", "B"}))
	b := batch(rowwrite.Upsert, 2,
		row{2, idA, "a2@x.org", "A2"},      // by id, with a new address
		row{3, "", "b@x.org", "B2"},        // by address
		row{4, "", "new@x.org", "N"},       // new
		row{5, idC, "b@x.org", "B's mail"}, // the address belongs to the entity of row 3
		row{6, idA, "a3@x.org", "A3"},      // the same entity again
	)
	write(t, d, b)
	require.Equal(t, []string{"U ROW_SUPERSEDED", "U", "C", "EMAIL ROW_DUPLICATE", "U"}, outcomes(b))
	require.ElementsMatch(t, []string{"6 a3@x.org A3", "3 b@x.org B2", "4 new@x.org N"}, table(t, d))
}

func TestUpsertEmptyCellKeepsValue(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	withRoles := func(source int64, roles ...string) *entity.Batch {
		b := batch(rowwrite.Upsert, source, row{2, idA, "a@x.org", "A"}, row{3, idB, "b@x.org", "B"})
		b.Mapped = append([]bool(nil), b.Mapped...)
		b.Mapped[3], b.Columns[3] = true, entity.NewColumn(entity.Text, 2)
		for _, r := range roles {
			if r == "" {
				b.Columns[3].AppendNull()
			} else {
				b.Columns[3].AppendText([]byte(r))
			}
		}
		return b
	}
	write(t, d, withRoles(1, "editor", ""))
	write(t, d, withRoles(2, "", "author"))
	require.Equal(t, []string{"editor", "author"}, postgrestest.Query[[]string](t, d, `SELECT array_agg(role ORDER BY email) FROM users`))
}

func TestUpsertKeepsValuesOfLaterRow(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	write(t, d, batch(rowwrite.Upsert, 3, row{5002, idA, "a@x.org", "later"}))
	b := batch(rowwrite.Upsert, 3, row{2, idA, "a@x.org", "earlier"})
	write(t, d, b)
	require.Equal(t, []string{"U ROW_SUPERSEDED"}, outcomes(b))
	require.Equal(t, []string{"5002 a@x.org later"}, table(t, d))
}

func TestTwoRowsForNewEntryCreateThenUpdate(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	b := batch(rowwrite.Upsert, 3, row{2, idA, "a@x.org", "one"}, row{3, idA, "a@x.org", "two"})
	write(t, d, b)
	require.Equal(t, []string{"C ROW_SUPERSEDED", "U"}, outcomes(b))
	require.Equal(t, []string{"3 a@x.org two"}, table(t, d))
}

func TestKeysAreUniquePerOrganisation(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	write(t, d, batch(rowwrite.Insert, 1, row{2, idA, "a@x.org", "A"}))
	other := batch(rowwrite.Insert, 2, row{2, idA, "a@x.org", "A of organisation 2"})
	other.Organisation = 2
	require.NoError(t, d.DB.InOrganisation(context.Background(), 2, func(tx pgx.Tx) error {
		return user.New().Write(context.Background(), tx, other)
	}))
	require.Equal(t, []string{"C"}, outcomes(other))
	require.Equal(t, int64(2), postgrestest.Query[int64](t, d, `SELECT count(*) FROM users`))
}

func TestConcurrentImportsCreateEachRowOnce(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	rows := make([]row, 500)
	for i := range rows {
		rows[i] = row{int64(i + 2), "", fmt.Sprintf("u%d@x.org", i), "U"}
	}
	results := make(chan *entity.Batch, 2)
	for source := range int64(2) {
		go func() {
			b := batch(rowwrite.Insert, source+1, rows...)
			err := d.DB.InOrganisation(context.Background(), 1, func(tx pgx.Tx) error {
				return user.New().Write(context.Background(), tx, b)
			})
			if err != nil {
				t.Error(err)
			}
			results <- b
		}()
	}
	created := 0
	for range 2 {
		for _, outcome := range outcomes(<-results) {
			if outcome == "C" {
				created++
			}
		}
	}
	require.Equal(t, 500, created)
	require.Equal(t, int64(500), postgrestest.Query[int64](t, d, `SELECT count(*) FROM users`))
}

// An outcome is what the statement has done, also about a row that another transaction commits while
// the statement waits for it: a lookup before the statement would not have seen it.
func TestOutcomeOfConcurrentlyCreatedRow(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	other, err := pgx.Connect(t.Context(), d.AdminURL)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, other.Close(context.Background())) })
	tx, err := other.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), `INSERT INTO users (organisation_id, email, name) VALUES (1, 'b@example.org', 'Other')`)
	require.NoError(t, err)

	b, written := batch(rowwrite.Upsert, 7, row{2, "", "a@example.org", "A"}, row{3, "", "b@example.org", "B"}, row{4, "", "c@example.org", "C"}), make(chan error, 1)
	go func() {
		written <- d.DB.InOrganisation(context.Background(), 1, func(tx pgx.Tx) error { return user.New().Write(context.Background(), tx, b) })
	}()
	require.Eventually(t, func() bool {
		return postgrestest.Query[bool](t, d, `SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND usename = 'loadbay_app' AND wait_event_type = 'Lock')`)
	}, 30*time.Second, 10*time.Millisecond)
	require.NoError(t, tx.Commit(t.Context()))
	require.NoError(t, <-written)
	require.Equal(t, []string{"C", "U", "C"}, outcomes(b))
}
