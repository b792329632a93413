package declared_test

import (
	"context"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

const crm = `
	CREATE TABLE accounts (
		id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
		org_id integer NOT NULL,
		code text CONSTRAINT accounts_code UNIQUE,
		email text,
		name text,
		deleted_at timestamptz
	);
	CREATE UNIQUE INDEX accounts_email ON accounts (org_id, lower(email)) WHERE deleted_at IS NULL;
	INSERT INTO accounts (org_id, code, email, name, deleted_at) VALUES
		(1, 'one', 'Ann@x.org', 'Ann', NULL), (2, 'two', 'ann@x.org', 'Other Ann', NULL), (1, NULL, 'gone@x.org', 'Gone', now()), (2, NULL, 'b@x.org', 'Other Ben', NULL)`

func accountType(keys, more string) string {
	return `
target: {table: app.accounts}
tenant: {column: org_id, value: organisation}
identity: [id]
keys: ` + keys + more + `
fields:
  - {name: CODE, column: code}
  - {name: EMAIL, column: email}
  - {name: NAME, column: name}
`
}

const accountRows = `SELECT concat_ws(' ', org_id, code, email, name, CASE WHEN deleted_at IS NOT NULL THEN '(deleted)' END) FROM app.accounts ORDER BY id`

// A key by an expression, within the tenant, of the rows that are not deleted.
func TestPartialExpressionKeyWithinTenant(t *testing.T) {
	t.Parallel()
	for again, want := range map[string][]string{
		"revive": {"UPDATED", "UPDATED", "CREATED ROW_SUPERSEDED", "UPDATED"},
		"new":    {"UPDATED", "CREATED", "CREATED ROW_SUPERSEDED", "UPDATED"},
		"error":  {"UPDATED", "ERROR EMAIL ALREADY_EXISTS", "CREATED ROW_SUPERSEDED", "UPDATED"},
	} {
		d := setup(t, crm)
		kind := d.compile(t, accountType(`[{name: email, fields: [EMAIL], index: accounts_email}]`, "\ndeleted: {column: deleted_at, again: "+again+"}"))
		outcomes, changes := d.write(t, kind, batch(t, kind, rowwrite.Upsert, "EMAIL,NAME", "ann@X.org,Anne", "GONE@x.org,Back", "b@x.org,Ben", "B@X.ORG,Bene"), true)
		require.Equal(t, want, outcomes, again)
		rows := d.rows(t, accountRows)
		require.Equal(t, []string{"1 one ann@X.org Anne", "2 two ann@x.org Other Ann"}, rows[:2])
		require.Equal(t, "2 b@x.org Other Ben", rows[3], "of another tenant")
		require.Contains(t, rows, "1 B@X.ORG Bene")
		switch again {
		case "revive":
			require.Equal(t, "1 GONE@x.org Back", rows[2])
			require.Len(t, changes, 3)
		case "new":
			require.Equal(t, []string{"1 gone@x.org Gone (deleted)", "1 GONE@x.org Back"}, []string{rows[2], rows[4]})
		}
	}
}

// A key that is unique in the whole table: another tenant's row is taken, not changed, and not named.
func TestGloballyUniqueKeyOfAnotherTenantIsTaken(t *testing.T) {
	t.Parallel()
	d := setup(t, crm)
	kind := d.compile(t, accountType(`[{name: code, fields: [CODE], index: accounts_code}]`, ""))
	before := d.rows(t, accountRows)
	b := batch(t, kind, rowwrite.Upsert, "CODE,NAME", "one,Anne", "two,Mine", "three,New", "four,New")
	outcomes, _ := d.write(t, kind, b, false)
	require.Equal(t, []string{"UPDATED", "ERROR CODE ALREADY_EXISTS", "CREATED", "CREATED"}, outcomes)
	require.Equal(t, before[1], d.rows(t, accountRows)[1])
	other := batch(t, kind, rowwrite.Upsert, "CODE,NAME", "two,Own")
	other.Organisation = 2
	outcomes, _ = d.write(t, kind, other, false)
	require.Equal(t, []string{"UPDATED"}, outcomes)
}

// A key that no index guarantees: writers take turns, and two matches are an error.
func TestKeyWithoutIndex(t *testing.T) {
	t.Parallel()
	d := setup(t, crm+`; INSERT INTO accounts (org_id, name, email) VALUES (1, 'Twin', 'p@x.org'), (1, 'Twin', 'q@x.org')`)
	kind := d.compile(t, accountType(`[{name: name, fields: [NAME], index: none}]`, ""))
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			b := batch(t, kind, rowwrite.Upsert, "NAME,EMAIL", "Ann,Ann@x.org", "Twin,t@x.org", "Zoe,z@x.org", "Zoe,y@x.org")
			err := d.DB.InOrganisation(context.WithoutCancel(t.Context()), 1, func(tx pgx.Tx) error { return kind.Write(t.Context(), tx, b) })
			if err != nil {
				t.Error(err)
				return
			}
			if r := describe(b.Results[1]); r != "ERROR NAME KEY_AMBIGUOUS" {
				t.Errorf("a row with two matches is %s", r)
			}
		})
	}
	group.Wait()
	require.Equal(t, []string{"y@x.org"}, d.rows(t, `SELECT email FROM app.accounts WHERE name = 'Zoe'`))
	require.Equal(t, []string{"p@x.org", "q@x.org"}, d.rows(t, `SELECT email FROM app.accounts WHERE name = 'Twin' ORDER BY 1`))
}

// Concurrent imports of the same new keys: one creates each row, the others find it.
func TestConcurrentUpsertsOfTheSameKeys(t *testing.T) {
	t.Parallel()
	d := setup(t, products)
	kind := d.compile(t, productType)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			b := batch(t, kind, rowwrite.Upsert, "SKU,NAME", "X,x", "A,Apples", "Y,y", "Z,z")
			if err := d.DB.InOrganisation(context.WithoutCancel(t.Context()), 1, func(tx pgx.Tx) error { return kind.Write(t.Context(), tx, b) }); err != nil {
				t.Error(err)
				return
			}
			for i := range b.Results {
				if b.Results[i].Outcome == rowwrite.Errored || b.Results[i].Outcome == 0 {
					t.Errorf("row %d is %s", i, describe(b.Results[i]))
				}
			}
		})
	}
	group.Wait()
	require.Len(t, d.rows(t, `SELECT sku FROM app.products`), 5)
}

// Equality is the column's: of citext, of a deferrable constraint whose keys are swapped, and of
// columns of several types together.
func TestKeysOfOtherKinds(t *testing.T) {
	t.Parallel()
	d := setup(t, `
		CREATE EXTENSION citext;
		CREATE TABLE words (word citext PRIMARY KEY, meaning text);
		INSERT INTO words VALUES ('Ä b', 'old');
		CREATE TABLE places (id integer PRIMARY KEY, place integer CONSTRAINT places_place UNIQUE DEFERRABLE INITIALLY DEFERRED);
		INSERT INTO places VALUES (1, 10), (2, 20);
		CREATE TABLE lines (order_id integer, code char(4), quantity numeric(4,1), PRIMARY KEY (order_id, code)) PARTITION BY RANGE (order_id);
		CREATE TABLE lines_1 PARTITION OF lines FOR VALUES FROM (0) TO (10);
		CREATE TABLE lines_2 PARTITION OF lines FOR VALUES FROM (10) TO (20);
		INSERT INTO lines VALUES (1, 'a', 1), (11, 'a', 1)`)
	words := d.compile(t, `
target: {table: app.words}
tenant: {none: true}
identity: [word]
keys: [{name: word, fields: [WORD], index: words_pkey}]
fields: [{name: WORD, column: word}, {name: MEANING, column: meaning}]`)
	outcomes, changes := d.write(t, words, batch(t, words, rowwrite.Upsert, "WORD,MEANING", "ä B,new", "q r,1", "Q R,2"), false)
	require.Equal(t, []string{"UPDATED", "CREATED ROW_SUPERSEDED", "UPDATED"}, outcomes)
	require.Equal(t, []string{"2 app.words UPDATED Ä b meaning: old → new", "4 app.words CREATED Q R"}, show(changes))

	places := d.compile(t, `
target: {table: app.places}
tenant: {none: true}
identity: [id]
keys: [{name: id, fields: [ID], index: places_pkey}, {name: place, fields: [PLACE], index: places_place}]
fields: [{name: ID, column: id}, {name: PLACE, column: place}]`)
	outcomes, _ = d.write(t, places, batch(t, places, rowwrite.Upsert, "ID,PLACE", "1,30", "2,10", "1,20", "3,20"), false)
	require.Equal(t, []string{"UPDATED ROW_SUPERSEDED", "UPDATED", "UPDATED", "ERROR PLACE ROW_DUPLICATE"}, outcomes)
	require.Equal(t, []string{"1 20", "2 10"}, d.rows(t, `SELECT concat_ws(' ', id, place) FROM app.places ORDER BY id`))

	lines := d.compile(t, `
target: {table: app.lines}
tenant: {none: true}
identity: [order_id, code]
keys: [{name: line, fields: [ORDER, CODE], index: lines_pkey}]
fields: [{name: ORDER, column: order_id}, {name: CODE, column: code}, {name: QUANTITY, column: quantity}]`)
	outcomes, changes = d.write(t, lines, batch(t, lines, rowwrite.Upsert, "ORDER,CODE,QUANTITY", "1,a,2", "11,a,1", "12,b,3", "99,x,1"), true)
	require.Equal(t, []string{"UPDATED", "UNCHANGED", "CREATED", "ERROR ROW_REJECTED"}, outcomes)
	require.Len(t, changes, 2)
	ids, err := lines.EntityTable("app.lines").SplitIDs([]string{changes[0].ID, changes[1].ID})
	require.NoError(t, err)
	require.Equal(t, [][]string{{"1", "12"}, {"a", "b"}}, ids)
}

// A partial index covers some rows only. Rows of files that it does not cover are found, too, so that a
// second import adds none of them again.
func TestPartialKeyFindsRowsThatItDoesNotCover(t *testing.T) {
	t.Parallel()
	d := setup(t, `
		CREATE TABLE plans (id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, email text NOT NULL, active boolean NOT NULL DEFAULT true, note text);
		CREATE UNIQUE INDEX one_active ON plans (email) WHERE active;
		INSERT INTO plans (email, active, note) VALUES ('a', true, 'now'), ('a', false, 'earlier'), ('t', false, '1'), ('t', false, '2')`)
	kind := d.compile(t, `
target: {table: app.plans}
tenant: {none: true}
identity: [id]
keys: [{name: active, fields: [EMAIL], index: one_active}]
fields:
  - {name: EMAIL, column: email}
  - {name: ACTIVE, column: active}
  - {name: NOTE, column: note}
`)
	write := func(fields string, rows ...string) []string {
		outcomes, _ := d.write(t, kind, batch(t, kind, rowwrite.Upsert, fields, rows...), false)
		return outcomes
	}
	const fields = "EMAIL,ACTIVE,NOTE"
	require.Equal(t, []string{"CREATED", "CREATED", "ERROR EMAIL KEY_AMBIGUOUS"}, write(fields, "b,true,new", "c,false,new", "t,false,x"))
	require.Equal(t, []string{"UNCHANGED", "UNCHANGED"}, write(fields, "b,true,new", "c,false,new"))
	require.Equal(t, []string{"UPDATED", "UPDATED", "CREATED"}, write(fields, "b,false,new", "c,false,changed", "t,true,x"))
	require.Equal(t, []string{"UNCHANGED"}, write(fields, "b,false,new"))
	require.Equal(t, []string{"UPDATED", "CREATED"}, write("EMAIL,NOTE", "a,today", "c,again"), "new rows are active, and the index covers them")
	require.Equal(t, []string{"a false earlier", "a true today", "b false new", "c false changed", "c true again", "t false 1", "t false 2", "t true x"},
		d.rows(t, `SELECT concat_ws(' ', email, active::text, note) FROM app.plans ORDER BY 1`))
}
