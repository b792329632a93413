package declared_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/declared"
	"github.com/loadbay/loadbay/shared/entity/pgtable"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// database is a database with a schema app, which belongs to a role of its own. Loadbay's role is no
// superuser, and has only SELECT, INSERT and UPDATE there.
type database struct {
	*postgrestest.Database
}

func setup(t *testing.T, ddl string) *database {
	t.Helper()
	d := &database{postgrestest.Setup(t)}
	d.Exec(t, `CREATE SCHEMA app; SET search_path = app, public; `+ddl+`;
		GRANT USAGE ON SCHEMA app TO loadbay_app;
		GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA app TO loadbay_app;
		GRANT USAGE ON ALL SEQUENCES IN SCHEMA app TO loadbay_app;`)
	return d
}

// compile returns the type of a declaration for the table as it is now.
func (d *database) compile(t *testing.T, source string) *declared.Type {
	t.Helper()
	compiled, err := d.tryCompile(t, source)
	require.NoError(t, err)
	return compiled
}

func (d *database) compileError(t *testing.T, source string) error {
	t.Helper()
	_, err := d.tryCompile(t, source)
	require.Error(t, err)
	return err
}

func (d *database) tryCompile(t *testing.T, source string) (*declared.Type, error) {
	t.Helper()
	declaration, err := declared.Parse([]byte("loadbay: type/1\nname: THING\ntitle: Things\n" + source))
	require.NoError(t, err)
	schema, name, _ := declared.SplitTable(declaration.Target.Table)
	var table *pgtable.Table
	d.inOrganisation(t, 1, func(tx pgx.Tx) (err error) {
		table, err = pgtable.Read(t.Context(), tx, schema, name)
		return err
	})
	return declared.Compile(declaration, table)
}

func (d *database) inOrganisation(t *testing.T, organisation tenant.ID, f func(tx pgx.Tx) error) {
	t.Helper()
	require.NoError(t, d.DB.InOrganisation(context.WithoutCancel(t.Context()), organisation, f))
}

// batch returns rows of texts, "" for an empty cell, in the columns of fields.
func batch(t *testing.T, kind *declared.Type, mode rowwrite.Mode, fields string, rows ...string) *entity.Batch {
	t.Helper()
	d := kind.Declaration()
	mapped := make([]bool, len(d.Fields))
	var columns []int
	for name := range strings.SplitSeq(fields, ",") {
		at := d.FieldIndex(name)
		require.GreaterOrEqual(t, at, 0, name)
		mapped[at], columns = true, append(columns, at)
	}
	b := entity.NewBatch(d, mapped, len(rows))
	b.Organisation, b.JobKey, b.Mode = 1, 1, mode
	for i, row := range rows {
		cells := strings.Split(row, ",")
		require.Len(t, cells, len(columns), row)
		for place, at := range columns {
			c := &b.Columns[at]
			switch text := cells[place]; {
			case text == "":
				c.AppendNull()
			case d.Fields[at].Kind == entity.Integer:
				var n int64
				_, err := fmt.Sscan(text, &n)
				require.NoError(t, err)
				c.AppendInt64(n)
			case d.Fields[at].Kind == entity.Timestamp:
				at, err := time.Parse(time.RFC3339Nano, text)
				require.NoError(t, err)
				c.AppendInt64(at.UnixMicro() - time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro())
			case d.Fields[at].Kind == entity.Boolean:
				c.AppendBool(text == "true")
			default:
				c.AppendText([]byte(text))
			}
		}
		b.Commit(int64(i + 2))
	}
	return b
}

// write writes a batch as the process step does, and returns the outcome of each row and the changes.
func (d *database) write(t *testing.T, kind *declared.Type, b *entity.Batch, plan bool) (outcomes []string, changes []changeset.Change) {
	t.Helper()
	d.inOrganisation(t, b.Organisation, func(tx pgx.Tx) (err error) {
		outcomes = nil
		begin := d.DB.BeginCapture
		if plan {
			begin = d.DB.BeginPlanCapture
		}
		if err = errors.Join(kind.Enter(t.Context(), tx), begin(t.Context(), tx)); err != nil {
			return err
		}
		err = entity.Bisect(t.Context(), tx, b, kind.Write, func(part *entity.Batch) error {
			for _, r := range part.Results {
				outcomes = append(outcomes, describe(r))
			}
			return nil
		}, func(int64, string) {})
		if err != nil {
			return err
		}
		changes, err = d.DB.EndCapture(t.Context(), tx)
		return err
	})
	return outcomes, changes
}

// describe returns a result in short form: "CREATED", "ERROR FIELD CODE: message".
func describe(r entity.Result) string {
	text := r.Outcome.String()
	for _, e := range r.Errors {
		text += strings.TrimRight(fmt.Sprintf(" %s %s", e.Field, e.Code), " ")
	}
	return strings.ReplaceAll(text, "  ", " ")
}

// rows returns the rows of a query as texts.
func (d *database) rows(t *testing.T, sql string) []string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), d.AdminURL)
	require.NoError(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	found, err := conn.Query(t.Context(), sql)
	require.NoError(t, err)
	texts, err := pgx.CollectRows(found, pgx.RowTo[string])
	require.NoError(t, err)
	return texts
}

// show returns changes in short form: "2 CREATED 1", "3 UPDATED 7 name: a → b".
func show(changes []changeset.Change) (lines []string) {
	for i := range changes {
		c := &changes[i]
		var line bytes.Buffer
		fmt.Fprintf(&line, "%d %s %s %s", c.Row, c.Table, c.Op, c.ID)
		for k, name := range c.Columns {
			text := func(values []*string) string {
				if len(values) == 0 || values[k] == nil {
					return "NULL"
				}
				return *values[k]
			}
			fmt.Fprintf(&line, " %s: %s → %s", name, text(c.Before), text(c.After))
		}
		lines = append(lines, line.String())
	}
	return lines
}

// A trigger that changes values is reported with the fields, also where another one drops rows. Values of
// the table's own, and values as the type of a column holds them, are no changes.
func TestTriggerThatChangesValuesIsReported(t *testing.T) {
	t.Parallel()
	d := setup(t, products+`;
		CREATE FUNCTION norm() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF new.sku = 'DROP' THEN RETURN NULL; END IF;
			new.name := upper(new.name);
			new.stock := coalesce(new.stock, 1);
			new.updated_at := clock_timestamp();
			RETURN new;
		END $$;
		CREATE TRIGGER norm BEFORE INSERT OR UPDATE ON products FOR EACH ROW EXECUTE FUNCTION norm();`)
	kind := d.compile(t, productType)
	b := batch(t, kind, rowwrite.Upsert, "SKU,NAME,PRICE,STOCK,STATUS", "A,apple,3,4,", "B,PEAR,4,4,", "C,cherry,1.10,,live", "D,DATE,1,2,", "DROP,x,1,2,", "C,Cherry,,,")
	outcomes, changes := d.write(t, kind, b, false)
	require.Equal(t, []string{"UPDATED NAME CHANGED_BY_TRIGGER", "UPDATED", "CREATED ROW_SUPERSEDED", "CREATED", "SKIPPED REFUSED_BY_TRIGGER", "UPDATED NAME CHANGED_BY_TRIGGER"}, outcomes)
	require.Len(t, changes, 4)
	require.Equal(t, []string{"A APPLE 3.00 4", "B PEAR 4.00 4", "C CHERRY 1.10 0", "D DATE 1.00 2"}, d.rows(t, `SELECT concat_ws(' ', sku, name, "Unit Price", stock) FROM app.products ORDER BY sku`))
}

// A number with more decimals than its column stores is rounded with or without a warning, and compared
// as it is stored.
func TestNumbersAreRoundedAsDeclared(t *testing.T) {
	t.Parallel()
	d := setup(t, products)
	for rounding, warning := range map[string]string{"warn": " PRICE VALUE_ROUNDED", "halfUp": ""} {
		kind := d.compile(t, strings.Replace(productType, "column: Unit Price", "column: Unit Price, rounding: "+rounding, 1))
		require.Nil(t, kind.Declaration().Fields[2].Decimals)
		outcomes, _ := d.write(t, kind, batch(t, kind, rowwrite.Upsert, "SKU,NAME,PRICE", "A,Apple,1.50", "B,Pear,2.005", "C"+rounding+",c,0.004"), false)
		require.Equal(t, []string{"UNCHANGED", "UPDATED" + warning, "ERROR PRICE ROW_REJECTED"}, outcomes, "zero is not positive")
		outcomes, _ = d.write(t, kind, batch(t, kind, rowwrite.Upsert, "SKU,PRICE", "B,2.0051"), false)
		require.Equal(t, []string{"UNCHANGED"}, outcomes)
		d.Exec(t, `UPDATE app.products SET "Unit Price" = 2 WHERE sku = 'B'`)
	}
	require.Equal(t, 2, *d.compile(t, productType).Declaration().Fields[2].Decimals, "refused without a declaration")
}

const products = `
	CREATE TYPE status AS ENUM ('draft', 'live');
	CREATE TABLE products (
		id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		sku varchar(8) NOT NULL CONSTRAINT products_sku UNIQUE,
		name text NOT NULL,
		"Unit Price" numeric(6,2) CONSTRAINT positive CHECK ("Unit Price" > 0),
		status status NOT NULL DEFAULT 'draft',
		stock integer DEFAULT 0,
		document json,
		updated_at timestamptz NOT NULL DEFAULT now()
	);
	INSERT INTO products (sku, name, "Unit Price") VALUES ('A', 'Apple', 1.5), ('B', 'Pear', 2)`

const productType = `
target: {table: app.products}
tenant: {none: true}
identity: [id]
keys: [{name: sku, fields: [SKU], index: products_sku}]
touched: [updated_at]
messages: {positive: A price is more than zero.}
fields:
  - {name: SKU, column: sku, required: true, identifying: true}
  - {name: NAME, column: name}
  - {name: PRICE, column: Unit Price}
  - {name: STATUS, column: status}
  - {name: STOCK, column: stock}
  - {name: DOCUMENT, column: document, kind: json}
`

func TestUpsertCreatesUpdatesAndLeavesUnchanged(t *testing.T) {
	t.Parallel()
	d := setup(t, products)
	kind := d.compile(t, productType)
	outcomes, changes := d.write(t, kind, batch(t, kind, rowwrite.Upsert, "SKU,NAME,PRICE,STATUS", "A,Apple,1.50,", "B,Pears,2.5,live", "C,Plum,3,", "C,Plums,,live", "D,,1,"), false)
	require.Equal(t, []string{"UNCHANGED", "UPDATED", "CREATED ROW_SUPERSEDED", "UPDATED", "ERROR NAME CELL_REQUIRED"}, outcomes)
	require.Equal(t, []string{"A Apple 1.50 draft 0", "B Pears 2.50 live 0", "C Plums 3.00 live 0"},
		d.rows(t, `SELECT concat_ws(' ', sku, name, "Unit Price", status, stock) FROM app.products ORDER BY sku`))
	require.Len(t, changes, 2)
	require.Regexp(t, `^3 app.products UPDATED 2 name: Pear → Pears Unit Price: 2.00 → 2.50 status: draft → live updated_at: .*`, show(changes)[0])
	require.Equal(t, "5 app.products CREATED 3", show(changes)[1])
	require.NotZero(t, changes[1].Hash)

	outcomes, changes = d.write(t, kind, batch(t, kind, rowwrite.Upsert, "SKU,NAME,PRICE,STATUS", "A,Apple,1.50,", "B,Pears,2.5,live", "C,Plums,3,"), false)
	require.Equal(t, []string{"UNCHANGED", "UNCHANGED", "UNCHANGED"}, outcomes)
	require.Empty(t, changes)
}

func TestInsertReportsExistingKeys(t *testing.T) {
	t.Parallel()
	d := setup(t, products)
	kind := d.compile(t, productType)
	outcomes, changes := d.write(t, kind, batch(t, kind, rowwrite.Insert, "SKU,NAME,STOCK", "A,x,1", "E,e,", "E,f,2", "F,f,5"), true)
	require.Equal(t, []string{"ERROR SKU ALREADY_EXISTS", "CREATED", "ERROR SKU ROW_DUPLICATE", "CREATED"}, outcomes)
	require.Equal(t, []string{"E 0", "F 5"}, d.rows(t, `SELECT concat_ws(' ', sku, stock) FROM app.products WHERE sku > 'B' ORDER BY id`))
	require.Regexp(t, `^3 app.products CREATED 3 id: NULL → 3 sku: NULL → E name: NULL → e Unit Price: NULL → NULL status: NULL → draft stock: NULL → 0 document: NULL → NULL updated_at: `, show(changes)[0])
}

// Constraints that can be evaluated are, for the whole batch; the database reports the others.
func TestRefusedRowsNameFieldAndReason(t *testing.T) {
	t.Parallel()
	d := setup(t, products+`;
		CREATE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF new.sku = 'DROP' THEN RETURN NULL; END IF;
			IF new.sku = 'RAISE' THEN RAISE EXCEPTION 'No more products.'; END IF;
			RETURN new;
		END $$;
		CREATE TRIGGER guard BEFORE INSERT OR UPDATE ON products FOR EACH ROW EXECUTE FUNCTION guard();`)
	for _, triggers := range []bool{true, false} {
		if !triggers {
			d.Exec(t, `DROP TRIGGER guard ON app.products; DELETE FROM app.products WHERE sku > 'B'`)
		}
		kind := d.compile(t, productType)
		b := batch(t, kind, rowwrite.Upsert, "SKU,NAME,PRICE,DOCUMENT", "A,Apple,0,", "G,Grape,-1,", "TOO LONG FOR IT,x,1,", "H,Hop,1,{", "I,Ivy,1,{}", "DROP,d,1,", "RAISE,r,1,")
		outcomes, _ := d.write(t, kind, b, false)
		want := []string{"ERROR PRICE ROW_REJECTED", "ERROR PRICE ROW_REJECTED", "ERROR CELL_TOO_LONG", "ERROR ROW_REJECTED", "CREATED", "SKIPPED REFUSED_BY_TRIGGER", "ERROR ROW_REJECTED"}
		if !triggers {
			want[5], want[6] = "CREATED", "CREATED"
		}
		require.Equal(t, want, outcomes, "with triggers: %t", triggers)
	}
}
