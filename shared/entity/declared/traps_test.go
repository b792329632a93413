package declared_test

import (
	"context"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

const kindsTable = `
	CREATE DOMAIN rate AS numeric(5,2) CHECK (VALUE >= 0);
	CREATE TYPE size AS ENUM ('S', 'M');
	CREATE TABLE kinds (
		id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		key text NOT NULL CONSTRAINT kinds_key UNIQUE,
		short varchar(3),
		fixed char(4),
		rate rate DEFAULT 1,
		size size,
		at timestamp(0),
		seen timestamptz(3),
		tags text[],
		numbers integer[],
		document jsonb,
		markup xml,
		span int4range,
		ratio real,
		total numeric GENERATED ALWAYS AS (length(key)) STORED,
		words tsvector
	);
	CREATE FUNCTION words() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN new.words := to_tsvector('simple', new.key); RETURN new; END $$;
	CREATE TRIGGER words BEFORE INSERT OR UPDATE ON kinds FOR EACH ROW EXECUTE FUNCTION words()`

const kindsType = `
target: {table: app.kinds}
tenant: {none: true}
identity: [id]
keys: [{name: key, fields: [KEY], index: kinds_key}]
fields:
  - {name: ID, column: id}
  - {name: KEY, column: key}
  - {name: SHORT, column: short}
  - {name: FIXED, column: fixed}
  - {name: RATE, column: rate}
  - {name: SIZE, column: size, default: S}
  - {name: AT, column: at, zone: Europe/Amsterdam}
  - {name: SEEN, column: seen}
  - {name: TAGS, column: tags}
  - {name: NUMBERS, column: numbers, kind: textList}
  - {name: DOCUMENT, column: document, kind: json}
  - {name: MARKUP, column: markup}
  - {name: SPAN, column: span}
  - {name: RATIO, column: ratio}
`

// Values of all kinds of columns are written, found unchanged by a second import, and neither cut nor
// rounded.
func TestValuesOfAllKinds(t *testing.T) {
	t.Parallel()
	d := setup(t, kindsTable)
	kind := d.compile(t, kindsType)
	const fields = "ID,KEY,SHORT,FIXED,RATE,SIZE,AT,SEEN,TAGS,NUMBERS,DOCUMENT,MARKUP,SPAN,RATIO"
	rows := []string{
		`,a,abc,ab,2.50,M,2026-07-01T10:00:00.7Z,2026-07-01T10:00:00.1239Z,{x},{1},{"a":1.0},<a/>,empty,0.1`,
		`77,b,,,,,,,,,,,,`,
	}
	outcomes, changes := d.write(t, kind, batch(t, kind, rowwrite.Upsert, fields, rows...), true)
	require.Equal(t, []string{"CREATED", "CREATED"}, outcomes)
	require.Len(t, changes, 2)
	stored := d.rows(t, `SELECT k::text FROM app.kinds AS k ORDER BY key`)
	require.Equal(t, []string{
		`(1,a,abc,"ab  ",2.50,M,"2026-07-01 12:00:01","2026-07-01 10:00:00.124+00",{x},{1},"{""a"": 1.0}",<a/>,empty,0.1,1,'a':1)`,
		`(77,b,,,1.00,S,,,,,,,,,1,'b':1)`,
	}, stored)

	again, changes := d.write(t, kind, batch(t, kind, rowwrite.Upsert, fields, rows...), false)
	require.Equal(t, []string{"UNCHANGED", "UNCHANGED"}, again)
	require.Empty(t, changes)

	outcomes, _ = d.write(t, kind, batch(t, kind, rowwrite.Upsert, "KEY,SHORT,DOCUMENT,RATE", "a,abcd,,", "b,,nonsense,", "c,xyz,,-1", "d,,,1"), false)
	require.Equal(t, []string{"ERROR CELL_TOO_LONG", "ERROR ROW_REJECTED", "ERROR ROW_REJECTED", "CREATED"}, outcomes)
	require.Equal(t, stored, d.rows(t, `SELECT k::text FROM app.kinds AS k WHERE key < 'c' ORDER BY key`))

	outcomes, _ = d.write(t, kind, batch(t, kind, rowwrite.Upsert, "ID,KEY", "78,b"), false)
	require.Equal(t, []string{"ERROR ID ALREADY_EXISTS"}, outcomes, "an import does not change the identity")
}

// Limits of columns that Postgres would apply without saying so are limits of the fields.
func TestLimitsFollowFromColumns(t *testing.T) {
	t.Parallel()
	d := setup(t, kindsTable)
	declaration := d.compile(t, kindsType).Declaration()
	field := func(name string) entity.Field { return declaration.Fields[declaration.FieldIndex(name)] }
	require.Equal(t, 3, field("SHORT").MaxLength)
	require.Equal(t, []string{"-999.99", "999.99"}, []string{field("RATE").Min, field("RATE").Max})
	require.Equal(t, 2, *field("RATE").Decimals)
	require.Equal(t, []string{"S", "M"}, field("SIZE").Enum)
	require.Equal(t, "Key", field("KEY").Title)
}

// The role writes only columns that it may write: a changed value of another one is an error of its row.
func TestColumnPrivileges(t *testing.T) {
	t.Parallel()
	d := setup(t, products)
	d.Exec(t, `REVOKE UPDATE ON app.products FROM loadbay_app; GRANT UPDATE (name) ON app.products TO loadbay_app`)
	kind := d.compile(t, productType)
	outcomes, _ := d.write(t, kind, batch(t, kind, rowwrite.Upsert, "SKU,NAME,STOCK", "A,Apples,0", "B,Pear,7", "C,Plum,7"), false)
	require.Equal(t, []string{"UPDATED", "ERROR STOCK ROW_REJECTED", "CREATED"}, outcomes)
	require.Equal(t, []string{"A Apples 0", "B Pear 0", "C Plum 7"}, d.rows(t, `SELECT concat_ws(' ', sku, name, stock) FROM app.products ORDER BY sku`))
}

// A row that a policy of the table refuses is an error of its own.
func TestPolicyRefusesOneRow(t *testing.T) {
	t.Parallel()
	d := setup(t, products)
	d.Exec(t, `ALTER TABLE app.products ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON app.products USING (sku < 'M') WITH CHECK (sku < 'M')`)
	kind := d.compile(t, productType)
	outcomes, _ := d.write(t, kind, batch(t, kind, rowwrite.Upsert, "SKU,NAME", "A,Apples", "Z,Zest", "C,Plum"), false)
	require.Equal(t, []string{"UPDATED", "ERROR ROW_REJECTED", "CREATED"}, outcomes)
}

// Files refer to rows of another table by natural keys, within the tenant.
func TestReferencesByNaturalKeys(t *testing.T) {
	t.Parallel()
	d := setup(t, `
		CREATE TABLE people (id smallint PRIMARY KEY, org_id integer, email text, first_name text, last_name text);
		INSERT INTO people VALUES (1, 1, 'a@x.org', 'Ann', 'Ash'), (2, 1, 'b@x.org', 'Ben', 'Bay'), (3, 1, NULL, 'Ben', 'Bay'), (4, 2, 'c@x.org', 'Cid', 'Clay');
		CREATE TABLE tasks (id integer PRIMARY KEY, org_id integer NOT NULL, owner_id smallint REFERENCES people)`)
	kind := d.compile(t, `
target: {table: app.tasks}
tenant: {column: org_id, value: organisation}
identity: [id]
keys: [{name: id, fields: [ID], index: tasks_pkey}]
fields:
  - {name: ID, column: id}
  - {name: OWNER, column: owner_id, reference: {table: app.people, by: [[email], [first_name, last_name]], within: org_id}}`)
	lookup := kind.Declaration().Fields[1].Lookup
	d.inOrganisation(t, 1, func(tx pgx.Tx) error {
		found, err := entity.Resolve(t.Context(), tx, lookup, 0, []string{"A@X.org", "ann ash", "Ben Bay", "c@x.org", "nobody"})
		require.Equal(t, map[string]int64{"A@X.org": 1, "ann ash": 1}, found)
		if err != nil {
			return err
		}
		candidates, err := entity.Candidates(t.Context(), tx, lookup, 0)
		require.Equal(t, []entity.Candidate{{ID: 1, Name: "a@x.org"}, {ID: 2, Name: "b@x.org"}}, candidates)
		return err
	})
	b := batch(t, kind, rowwrite.Upsert, "ID,OWNER", "1,", "2,", "3,")
	b.Columns[1] = entity.NewColumn(entity.Reference, 3)
	for _, id := range []int64{1, 4, 2} { // 4 is of another tenant
		b.Columns[1].AppendInt64(id)
	}
	outcomes, _ := d.write(t, kind, b, false)
	require.Equal(t, []string{"CREATED", "ERROR OWNER REFERENCE_NOT_FOUND", "CREATED"}, outcomes)
	require.Equal(t, []string{"1 1 1", "3 1 2"}, d.rows(t, `SELECT concat_ws(' ', id, org_id, owner_id) FROM app.tasks ORDER BY id`))

	d.Exec(t, `INSERT INTO app.tasks VALUES (7, 2, 4)`)
	sql, args := kind.Declaration().SelectQuery(entity.Selection{Fields: []int{0, 1}})
	d.inOrganisation(t, 1, func(tx pgx.Tx) error {
		rows, err := tx.Query(context.WithoutCancel(t.Context()), sql, args...)
		if err != nil {
			return err
		}
		exported, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (text string, err error) {
			var id, owner string
			err = row.Scan(&id, &owner)
			return id + " " + owner, err
		})
		require.Equal(t, []string{"1 a@x.org", "3 b@x.org"}, exported, "of the tenant, and references as files contain them")
		return err
	})
}

// Rows with ids that are no whole numbers are found by natural keys while the rows are written, and rows of the
// same table, too. A text that names no row, or several, is an error of its row.
func TestReferencesToIdsOfOtherTypes(t *testing.T) {
	t.Parallel()
	for kind, ids := range map[string][4]string{
		"uuid":       {"00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b", "00000000-0000-4000-8000-00000000000c", "00000000-0000-4000-8000-00000000000d"},
		"varchar(5)": {"ALFKI", "BONAP", "CHOPS", "DRACD"},
	} {
		d := setup(t, `
			CREATE TABLE people (id `+kind+` PRIMARY KEY, org_id integer, email text, first_name text, last_name text);
			INSERT INTO people VALUES ('`+ids[0]+`', 1, 'a@x.org', 'Ann', 'Ash'), ('`+ids[1]+`', 1, 'b@x.org', 'Ben', 'Bay'), ('`+ids[2]+`', 1, NULL, 'Ben', 'Bay'), ('`+ids[3]+`', 2, 'c@x.org', 'Cid', 'Clay');
			CREATE TABLE tasks (id integer PRIMARY KEY, org_id integer NOT NULL, code text, owner_id `+kind+` REFERENCES people, parent_code text)`)
		source := `
target: {table: app.tasks}
tenant: {column: org_id, value: organisation}
identity: [id]
keys: [{name: id, fields: [ID], index: tasks_pkey}]
fields:
  - {name: ID, column: id}
  - {name: OWNER, column: owner_id, reference: {table: app.people, by: [[email], [first_name, last_name]], within: org_id}}`
		typ := d.compile(t, source)
		require.Equal(t, entity.Text, typ.Declaration().Fields[1].Kind)
		require.Zero(t, typ.Declaration().Fields[1].MaxLength, "texts are longer than ids")
		outcomes, _ := d.write(t, typ, batch(t, typ, rowwrite.Upsert, "ID,OWNER", "1,A@X.org", "2,c@x.org", "3,ann ash", "4,Ben Bay", "5,", "6,b@x.org", "7,nobody"), false)
		require.Equal(t, []string{"CREATED", "ERROR OWNER REFERENCE_NOT_FOUND", "CREATED", "ERROR OWNER REFERENCE_NOT_FOUND", "CREATED", "CREATED", "ERROR OWNER REFERENCE_NOT_FOUND"}, outcomes)
		require.Equal(t, []string{"1 " + ids[0], "3 " + ids[0], "5", "6 " + ids[1]}, d.rows(t, `SELECT concat_ws(' ', id, owner_id) FROM app.tasks ORDER BY id`))
		outcomes, _ = d.write(t, typ, batch(t, typ, rowwrite.Upsert, "ID,OWNER", "1,a@x.org", "6,Ann Ash"), false)
		require.Equal(t, []string{"UNCHANGED", "UPDATED"}, outcomes)
		sql, args := typ.Declaration().SelectQuery(entity.Selection{Fields: []int{1}})
		d.inOrganisation(t, 1, func(tx pgx.Tx) error {
			rows, err := tx.Query(context.WithoutCancel(t.Context()), sql, args...)
			if err != nil {
				return err
			}
			exported, err := pgx.CollectRows(rows, pgx.RowTo[*string])
			require.Equal(t, []*string{new("a@x.org"), new("a@x.org"), nil, new("a@x.org")}, exported)
			return err
		})
		err := d.compileError(t, strings.Replace(source, "[ID], index: tasks_pkey", "[OWNER], index: none", 1))
		require.Equal(t, "keys[0].fields[0]", problem.From(err).Fields[0].Field)
	}
}

// A declaration that does not fit its table is refused with the path of each wrong part.
func TestCompileNamesWrongParts(t *testing.T) {
	t.Parallel()
	d := setup(t, products)
	err := d.compileError(t, `
target: {table: app.products}
tenant: {none: true}
identity: [name]
keys: [{name: sku, fields: [SKU, NAME], index: products_sku}, {name: x, fields: [SKU], index: nothing}]
fields:
  - {name: SKU, column: sku}
  - {name: NAME, column: name}
  - {name: STOCK, column: stock, kind: date}
  - {name: GONE, column: gone}
`)
	var wrong []string
	for _, f := range problem.From(err).Fields {
		wrong = append(wrong, f.Field)
	}
	require.Equal(t, []string{"identity", "fields[2].kind", "fields[3].column", "keys[0].index", "keys[1].index"}, wrong)
}

// An exclusion constraint refuses single rows, as a unique one does.
func TestExclusionConstraintRefusesOneRow(t *testing.T) {
	t.Parallel()
	d := setup(t, `
		CREATE TABLE bookings (id integer PRIMARY KEY, during int4range, fee money, CONSTRAINT no_overlap EXCLUDE USING gist (during WITH &&));
		INSERT INTO bookings VALUES (1, '[1,5)')`)
	const source = `
target: {table: app.bookings}
tenant: {none: true}
identity: [id]
keys: [{name: id, fields: [ID], index: bookings_pkey}]
messages: {no_overlap: The room is taken.}
fields:
  - {name: ID, column: id}
  - {name: DURING, column: during}
`
	kind := d.compile(t, source)
	outcomes, _ := d.write(t, kind, batch(t, kind, rowwrite.Upsert, "ID,DURING", "2,[5;9)", "3,[4;6)", "4,[9;10)"), false)
	require.Len(t, outcomes, 3)
	require.Equal(t, []string{"ERROR ROW_REJECTED", "ERROR ROW_REJECTED", "ERROR ROW_REJECTED"}, outcomes, "no ranges")
	b := batch(t, kind, rowwrite.Upsert, "ID,DURING", "2,", "3,", "4,")
	b.Columns[1] = entity.NewColumn(entity.Text, 3)
	for _, span := range []string{"[5,9)", "[4,6)", "[9,10)"} {
		b.Columns[1].AppendText([]byte(span))
	}
	outcomes, _ = d.write(t, kind, b, false)
	require.Equal(t, "CREATED", outcomes[0])
	require.Contains(t, outcomes[1], "ALREADY_EXISTS")
	require.Equal(t, "CREATED", outcomes[2])

	err := d.compileError(t, source+"  - {name: FEE, column: fee}\n")
	require.Equal(t, "fields[2].column", problem.From(err).Fields[0].Field, "money depends on a setting")
}

// A trigger that runs before a row is written may set a value that the table requires.
func TestTriggerSetsRequiredValue(t *testing.T) {
	t.Parallel()
	d := setup(t, products+`;
		CREATE FUNCTION fill() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
			IF new.sku <> 'Z' THEN new.name := coalesce(new.name, 'of ' || new.sku); END IF;
			IF new.sku = 'Y' THEN RAISE EXCEPTION 'never' USING ERRCODE = 'SH001'; END IF;
			RETURN new;
		END $$;
		CREATE TRIGGER fill BEFORE INSERT ON products FOR EACH ROW EXECUTE FUNCTION fill();`)
	kind := d.compile(t, productType)
	outcomes, _ := d.write(t, kind, batch(t, kind, rowwrite.Upsert, "SKU,NAME", "C,", "Z,", "D,Date", "Y,y"), false)
	require.Equal(t, []string{"CREATED", "ERROR NAME CELL_REQUIRED", "CREATED", "ERROR ROW_REJECTED"}, outcomes, "also with an error code of the owner's own")
	require.Equal(t, []string{"C of C", "D Date"}, d.rows(t, `SELECT concat_ws(' ', sku, name) FROM app.products WHERE sku > 'B' ORDER BY sku`))
}

// An export names the rows that others refer to by the first key of which they have a value, and those of
// other tenants not at all.
func TestExportsNameReferredRows(t *testing.T) {
	t.Parallel()
	d := setup(t, `
		CREATE TABLE people (id integer PRIMARY KEY, org_id integer, email text, name text);
		INSERT INTO people VALUES (1, 1, 'a@x.org', 'Ann'), (2, 1, NULL, 'Ben'), (3, 2, 'secret@x.org', 'Cid');
		CREATE TABLE tasks (id integer PRIMARY KEY, org_id integer NOT NULL, owner_id integer REFERENCES people);
		INSERT INTO tasks VALUES (1, 1, 1), (2, 1, 2), (3, 1, 3)`)
	kind := d.compile(t, `
target: {table: app.tasks}
tenant: {column: org_id, value: organisation}
identity: [id]
keys: [{name: id, fields: [ID], index: tasks_pkey}]
fields:
  - {name: ID, column: id}
  - {name: OWNER, column: owner_id, reference: {table: app.people, by: [[email], [name]], within: org_id}}`)
	sql, args := kind.Declaration().SelectQuery(entity.Selection{Fields: []int{1}})
	d.inOrganisation(t, 1, func(tx pgx.Tx) error {
		rows, err := tx.Query(context.WithoutCancel(t.Context()), sql, args...)
		if err != nil {
			return err
		}
		exported, err := pgx.CollectRows(rows, pgx.RowTo[*string])
		require.Equal(t, []*string{new("a@x.org"), new("Ben"), nil}, exported)
		return err
	})
}
