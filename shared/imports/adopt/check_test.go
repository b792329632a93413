package adopt_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/declared"
	"github.com/loadbay/loadbay/shared/imports/adopt"
)

// check adopts a table after some statements, and checks the draft as a role.
func check(t *testing.T, conn *pgx.Conn, role, schema, table, statements string, edits ...func(*declared.Declaration)) *adopt.Report {
	t.Helper()
	tx, err := conn.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.Background()) }()
	_, err = tx.Exec(t.Context(), statements+"; SELECT set_config('app.organisation', '1', true); SET LOCAL ROLE "+role)
	require.NoError(t, err)
	source, err := adopt.Read(t.Context(), tx, schema, table, nil)
	require.NoError(t, err)
	d := adopt.Adopt(source)
	require.Empty(t, d.Refusal)
	for _, edit := range edits {
		edit(&d.Declaration)
	}
	count := func() (n int) {
		_, err := tx.Exec(t.Context(), "RESET ROLE")
		require.NoError(t, err)
		require.NoError(t, tx.QueryRow(t.Context(), "SELECT count(*) FROM "+pgx.Identifier{schema, table}.Sanitize()).Scan(&n))
		_, err = tx.Exec(t.Context(), "SET LOCAL ROLE "+role)
		require.NoError(t, err)
		return n
	}
	before := count()
	report, err := adopt.Check(t.Context(), tx, &d.Declaration, source, nil)
	require.NoError(t, err)
	require.Equal(t, before, count(), "nothing is left of the check")
	return report
}

const grantShop = `GRANT USAGE ON SCHEMA shop TO loadbay_app; GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA shop TO loadbay_app; GRANT USAGE ON ALL SEQUENCES IN SCHEMA shop TO loadbay_app`

func TestCheckRehearsesRowsAndRollsThemBack(t *testing.T) {
	t.Parallel()
	conn := setup(t, "shop")
	report := check(t, conn, "loadbay_app", "shop", "product", grantShop)
	require.True(t, report.OK(), "%v", report.Faults)
	require.Equal(t, 3, report.Rehearsed)
	require.Empty(t, report.Warnings)
	report = check(t, conn, "loadbay_app", "shop", "purchase_line", grantShop)
	require.True(t, report.OK(), "%v", report.Faults)
	report = check(t, conn, "loadbay_app", "shop", "worker", grantShop+"; DELETE FROM shop.purchase_line; DELETE FROM shop.purchase; DELETE FROM shop.worker")
	require.True(t, report.OK() && report.Rehearsed == 1, "%v", report.Faults)
	require.Len(t, report.Warnings, 1)
	require.Contains(t, report.Warnings[0].Message, "Files can set column worker_id", "only the id identifies a row of an empty table")
}

func TestCheckListsMissingPrivileges(t *testing.T) {
	t.Parallel()
	conn := setup(t, "shop")
	report := check(t, conn, "loadbay_app", "shop", "worker", "GRANT USAGE ON SCHEMA shop TO loadbay_app; GRANT SELECT ON shop.worker TO loadbay_app")
	require.False(t, report.OK())
	require.Equal(t, []string{
		`GRANT INSERT, UPDATE ON "shop"."worker" TO "loadbay_app";`,
		`GRANT USAGE ON SEQUENCE shop.worker_worker_id_seq TO "loadbay_app";`,
	}, report.Grants)
}

func TestCheckCountsRepeatedKeys(t *testing.T) {
	t.Parallel()
	conn := setup(t, "shop")
	tx, err := conn.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.Background()) }()
	source, err := adopt.Read(t.Context(), tx, "shop", "buyer", nil)
	require.NoError(t, err)
	d := adopt.Adopt(source).Declaration
	d.Keys = []declared.Key{{Name: "company", Fields: []string{"COMPANY_NAME"}, Index: declared.NoIndex}}
	report, err := adopt.Check(t.Context(), tx, &d, source, nil)
	require.NoError(t, err)
	require.Len(t, report.Faults, 1)
	require.Contains(t, report.Faults[0].Message, "has 1 values that several rows have")
	require.Contains(t, report.Warnings[0].Message, "owns the table")
}

func TestTenantsConstantIsNoSQL(t *testing.T) {
	t.Parallel()
	conn := setup(t, "shop")
	tx, err := conn.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.Background()) }()
	_, err = tx.Exec(t.Context(), "CREATE TABLE shop.tagged (tag text NOT NULL, code text PRIMARY KEY, ran int)")
	require.NoError(t, err)
	source, err := adopt.Read(t.Context(), tx, "shop", "tagged", nil)
	require.NoError(t, err)
	d := adopt.Adopt(source).Declaration
	d.Tenant = declared.Tenant{Column: "tag", Value: "(SELECT 1/0)::text"}
	report, err := adopt.Check(t.Context(), tx, &d, source, nil)
	require.NoError(t, err)
	require.True(t, report.OK(), "%v", report.Faults)
	require.Equal(t, 1, report.Rehearsed)
	require.Len(t, report.Warnings, 1, "%v", report.Warnings)
	require.Contains(t, report.Warnings[0].Message, "owns the table")
}

func TestCheckReportsTriggers(t *testing.T) {
	t.Parallel()
	conn := setup(t, "crm")
	const grant = `GRANT USAGE ON SCHEMA crm TO loadbay_app; GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA crm TO loadbay_app; `
	messages := func(report *adopt.Report) (all []string) {
		for _, w := range report.Warnings {
			all = append(all, w.Message)
		}
		return all
	}
	report := check(t, conn, "loadbay_app", "crm", "accounts", grant+`
		ALTER TABLE crm.accounts DISABLE TRIGGER tidy;
		INSERT INTO crm.accounts (org_id, last_name, country, vat_no) VALUES (1, 'Ann', 'NL', 'nl1');
		ALTER TABLE crm.accounts ENABLE TRIGGER tidy`)
	require.True(t, report.OK(), "%v", report.Faults)
	require.Equal(t, []string{"vat_no"}, report.Derived)
	report = check(t, conn, "loadbay_app", "crm", "accounts", grant+`
		ALTER TABLE crm.accounts DISABLE TRIGGER tidy;
		INSERT INTO crm.accounts (org_id, last_name) VALUES (1, 'skipped');
		ALTER TABLE crm.accounts ENABLE TRIGGER tidy`)
	require.Contains(t, messages(report), "A trigger kept the table from adding a copy of an existing row. Results of imports list such rows.")
	report = check(t, conn, "loadbay_app", "crm", "accounts", grant+`
		CREATE TRIGGER call AFTER INSERT ON crm.accounts FOR EACH ROW EXECUTE FUNCTION crm.tell()`)
	require.Zero(t, report.Rehearsed)
	require.Contains(t, report.Warnings[0].Message, "Trigger call may have effects outside the database")
	report = check(t, conn, "loadbay_app", "crm", "users", grant+"ALTER TABLE crm.users ENABLE ROW LEVEL SECURITY")
	require.False(t, report.OK(), "no policy lets the role write")
}

// A policy that reads a setting that imports do not set makes every import fail.
func TestCheckReportsPoliciesOfMissingSettings(t *testing.T) {
	t.Parallel()
	conn := setup(t, "crm")
	const grant = `GRANT USAGE ON SCHEMA crm TO loadbay_app; GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA crm TO loadbay_app; `
	const rows = `INSERT INTO crm.accounts (org_id, last_name) VALUES (1, 'Ann'); INSERT INTO crm.orders SELECT 1, 1, id, '2020-01-01', 1 FROM crm.accounts; `
	for name, statements := range map[string]string{
		"no row":              ``,
		"rows":                rows,
		"empty setting":       `SET LOCAL app.tenant = ''; `,
		"rows, empty setting": rows + `SET LOCAL app.tenant = ''; `,
		"invisible rows":      rows + `ALTER POLICY own ON crm.orders USING (org_id = current_setting('app.tenant', true)::bigint); `,
		"only written":        rows + `CREATE POLICY see ON crm.orders FOR SELECT USING (true); ALTER POLICY own ON crm.orders USING (true) WITH CHECK (org_id = current_setting('app.tenant')::bigint); `,
	} {
		report := check(t, conn, "loadbay_app", "crm", "orders", grant+statements, func(d *declared.Declaration) { d.Tenant.Session = nil })
		require.False(t, report.OK(), name)
		require.Contains(t, report.Faults[0].Message, "the setting app.tenant, which imports do not set", name)
	}
	for _, statements := range []string{"", rows} {
		report := check(t, conn, "loadbay_app", "crm", "orders", statements+grant)
		require.True(t, report.OK(), "the draft declares the setting: %v", report.Faults)
		require.Equal(t, 1, report.Rehearsed)
	}
	report := check(t, conn, "loadbay_app", "crm", "orders", rows+grant+`ALTER POLICY own ON crm.orders USING (org_id = current_setting('app.organisation')::bigint)`)
	require.True(t, report.OK(), "%v", report.Faults)
	require.Equal(t, 1, report.Rehearsed)
}

func TestTablesAreListedWithVerdicts(t *testing.T) {
	t.Parallel()
	conn := setup(t, "crm")
	tx, err := conn.Begin(t.Context())
	require.NoError(t, err)
	defer func() { _ = tx.Rollback(context.Background()) }()
	found, total, err := adopt.Tables(t.Context(), tx, adopt.Search{Text: "CRM.", Limit: 3})
	require.NoError(t, err)
	require.Equal(t, []string{"accounts", "base", "cards"}, []string{found[0].Name, found[1].Name, found[2].Name})
	require.Empty(t, found[0].Refusal)
	require.Equal(t, int64(11), total)
	require.NotEmpty(t, found[1].Refusal)
	rest, _, err := adopt.Tables(t.Context(), tx, adopt.Search{Limit: 100, After: [2]string{"crm", "cards"}})
	require.NoError(t, err)
	for _, v := range rest {
		require.Equal(t, "crm", v.Schema, "Loadbay's own tables are not listed")
		require.NotEqual(t, "visits_2020", v.Name)
	}
	visible, total, err := adopt.Tables(t.Context(), tx, adopt.Search{Limit: 100, Granted: [][2]string{{"crm", "users"}, {"crm", "nothing"}}})
	require.NoError(t, err)
	require.Equal(t, int64(1), total)
	require.Len(t, visible, 1)
	require.Equal(t, "users", visible[0].Name)
}
