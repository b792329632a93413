package entity_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// value is a sample of a kind: how to append it to a column, and its text in Postgres.
type value struct {
	add  func(*entity.Column)
	text string
}

func text(s string) value {
	return value{func(c *entity.Column) { c.AppendText([]byte(s)) }, s}
}

func number(n int64) value {
	return value{func(c *entity.Column) { c.AppendInt64(n) }, fmt.Sprint(n)}
}

// samples holds values of every kind, including extremes.
var samples = map[entity.Kind][]value{
	entity.Text:      {text("a"), text(""), text("ünï \n\t'\"\\{,}NULL"), text("NULL")},
	entity.Email:     {text("a@x.org")},
	entity.Enum:      {text("ONE")},
	entity.Decimal:   {text("123456789012345678901234567890.0001"), text("-1")},
	entity.TextList:  {text(`{a,"b c"}`)},
	entity.Integer:   {number(0), number(-1), number(1<<63 - 1), number(-1 << 63)},
	entity.Reference: {number(7)},
	entity.Boolean: {
		{func(c *entity.Column) { c.AppendBool(true) }, "true"},
		{func(c *entity.Column) { c.AppendBool(false) }, "false"},
	},
	entity.UUID: {
		{func(c *entity.Column) { c.AppendUUID(uuid.Max) }, "ffffffff-ffff-ffff-ffff-ffffffffffff"},
		{func(c *entity.Column) { c.AppendUUID(uuid.MustParse("00112233-4455-4677-8899-aabbccddeeff")) }, "00112233-4455-4677-8899-aabbccddeeff"},
	},
	entity.Date: {
		{func(c *entity.Column) { c.AppendDate(0) }, "2000-01-01"},
		{func(c *entity.Column) { c.AppendDate(-1) }, "1999-12-31"},
		{func(c *entity.Column) { c.AppendDate(59) }, "2000-02-29"},
	},
	entity.Timestamp: {
		{func(c *entity.Column) { c.AppendInt64(0) }, "2000-01-01 00:00:00+00"},
		{func(c *entity.Column) { c.AppendInt64(-1) }, "1999-12-31 23:59:59.999999+00"},
		{func(c *entity.Column) { c.AppendInt64((36 * time.Hour).Microseconds()) }, "2000-01-02 12:00:00+00"},
	},
}

const null = "NULL" // notation of NULL in this file

// columnWithNulls returns a column of the samples of a kind with NULLs around and between them,
// and all values as text.
func columnWithNulls(kind entity.Kind) (entity.Column, []string) {
	c := entity.NewColumn(kind, 0)
	c.AppendNull()
	words := []string{null}
	for _, v := range samples[kind] {
		v.add(&c)
		c.AppendNull()
		words = append(words, "="+v.text, null)
	}
	return c, words
}

// throughPostgres returns the values of a column as Postgres decodes them.
func throughPostgres(t *testing.T, d *postgrestest.Database, kind entity.Kind, c *entity.Column) []string {
	t.Helper()
	words := []string{}
	require.NoError(t, d.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), `SET LOCAL TimeZone = 'UTC'`); err != nil {
			return err
		}
		sql := fmt.Sprintf(`SELECT coalesce('=' || v.x::text, 'NULL') FROM unnest($1::%s) WITH ORDINALITY AS v(x, place) ORDER BY v.place`, kind.ArrayType())
		_, err := entity.Query(t.Context(), tx, sql, []entity.Param{entity.ArrayParam(c)}, func(v [][]byte) error {
			words = append(words, string(v[0]))
			return nil
		})
		return err
	}))
	return words
}

func TestColumnsRoundTripThroughPostgres(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	for kind := entity.Text; kind <= entity.TextList; kind++ {
		require.NotEmpty(t, samples[kind], "kind %d", kind)
		c, words := columnWithNulls(kind)
		require.Equal(t, len(words), c.Len())
		require.Equal(t, words, throughPostgres(t, d, kind, &c), "kind %d", kind)

		places := []int{c.Len() - 1, 1, 0, 1}
		picked, want := c.Pick(places), []string{}
		for _, i := range places {
			want = append(want, words[i])
		}
		require.Equal(t, want, throughPostgres(t, d, kind, &picked), "selected rows, kind %d", kind)

		for _, n := range []int{2, 1, 0} { // the leading NULL is removed last
			c.Truncate(n)
			require.Equal(t, words[:n], throughPostgres(t, d, kind, &c), "truncated, kind %d", kind)
		}
		samples[kind][0].add(&c)
		require.Equal(t, words[1:2], throughPostgres(t, d, kind, &c), "reused column, kind %d", kind)
	}
}

func TestColumnValuesRoundTrip(t *testing.T) {
	t.Parallel()
	c := entity.NewColumn(entity.Integer, 2)
	c.AppendInt64(-5)
	c.AppendNull()
	n, ok := c.Int64(0)
	require.True(t, ok)
	require.Equal(t, int64(-5), n)
	_, ok = c.Int64(1)
	require.False(t, ok)
	s := entity.NewColumn(entity.Text, 2)
	s.AppendText(nil)
	s.AppendNull()
	v, ok := s.Bytes(0)
	require.True(t, ok, "an empty string is not null")
	require.Empty(t, v)
	_, ok = s.Bytes(1)
	require.False(t, ok)
	require.Empty(t, s.String(1))
}

// declaration of the batches in this file.
var declaration = entity.Declaration{Fields: []entity.Field{{Name: "N", Kind: entity.Integer}, {Name: "T", Kind: entity.Text}}}

// batch returns rows 2, 3 and 4; row 3 has no text.
func batch() *entity.Batch {
	b := entity.NewBatch(&declaration, []bool{true, true}, 3)
	b.Organisation, b.Context, b.JobKey, b.Mode = 1, 2, 3, rowwrite.Upsert
	for i, s := range []string{"a", "", "c"} {
		b.Columns[0].AppendInt64(int64(i))
		if s != "" {
			b.Columns[1].AppendText([]byte(s))
		}
		b.Commit(int64(i + 2))
	}
	return b
}

// batchText returns a batch as text.
func batchText(b *entity.Batch) []string {
	out := []string{}
	for i := range b.Len() {
		n, _ := b.Columns[0].Int64(i)
		s, ok := b.Columns[1].Bytes(i)
		out = append(out, fmt.Sprintf("%d: %d %s %v", b.Row(i), n, s, ok))
	}
	return out
}

func TestBatches(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"2: 0 a true", "3: 1  false", "4: 2 c true"}, batchText(batch()))

	b := batch()
	b.Columns[0].AppendInt64(9) // a row that is begun and then discarded
	b.Discard(b.Len())
	require.Equal(t, batchText(batch()), batchText(b))
	b.Discard(1)
	require.Equal(t, []string{"2: 0 a true"}, batchText(b))
	require.Equal(t, 1, b.Columns[1].Len())

	b = batch()
	picked := b.Pick([]int{2, 1})
	require.Equal(t, []string{"4: 2 c true", "3: 1  false"}, batchText(picked))
	require.Equal(t, []string{"3: 1  false", "4: 2 c true"}, batchText(b.Range(1, 3)))
	require.Empty(t, batchText(b.Range(1, 1)))
	require.Equal(t, []any{b.Organisation, b.Context, b.JobKey, b.Mode, b.Declaration, b.Mapped},
		[]any{picked.Organisation, picked.Context, picked.JobKey, picked.Mode, picked.Declaration, picked.Mapped})
	picked.Columns[1].AppendText([]byte("more"))
	require.Equal(t, batchText(batch()), batchText(b), "a selected batch does not share memory")
}

func TestSavepointRollsBackOnlyItsWrites(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	ctx := context.WithoutCancel(t.Context())
	add := func(tx pgx.Tx, name string) error {
		_, err := tx.Exec(ctx, `INSERT INTO users (organisation_id, email, name) VALUES (1, $1, $1)`, name)
		return err
	}
	require.NoError(t, d.DB.InOrganisation(ctx, 1, func(tx pgx.Tx) error {
		require.NoError(t, add(tx, "kept"))
		require.Error(t, entity.Savepoint(ctx, tx, func(tx pgx.Tx) error {
			require.NoError(t, add(tx, "taken back"))
			return add(tx, "kept") // violates the primary key
		}))
		return entity.Savepoint(ctx, tx, func(tx pgx.Tx) error { return add(tx, "kept too") })
	}))
	require.Equal(t, []string{"kept", "kept too"}, postgrestest.Query[[]string](t, d, `SELECT array_agg(name ORDER BY name) FROM users`))
}
