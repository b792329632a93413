package text

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

func TestNDJSON(t *testing.T) {
	t.Parallel()
	in := strings.Join([]string{
		`{"id": 1, "name": "Zo\u00eb \ud834\udd1e", "tags": ["a", {"b": "}"}], "active": true}`,
		``,
		`  {"name":"Bob","id":2.50,"note":null,"é":"x"}  `,
		`{"id":12345678901234567890.123456789,"unknown":null}`,
		`{"id":3`,
		`[1,2]`,
		`{"id":4,"id":5}`,
		`{"name":"\ud834"}`,
		`{}`,
		`{"name":""}` + "\r",
	}, "\n")
	d, err := Detect(context.Background(), bytesSource(in), sheet.Options{}, sheet.DefaultLimits())
	require.NoError(t, err)
	require.Equal(t, sheet.NDJSON, d.Format)
	require.Equal(t, []string{"id", "name", "tags", "active", "note", "é", "unknown"}, d.Header)
	require.Zero(t, d.HeaderRow)
	rows, err := Open(context.Background(), bytesSource(in), d, sheet.DefaultLimits())
	require.NoError(t, err)
	want := []string{
		`1: 1|Zoë 𝄞|["a", {"b": "}"}]|true|||`,
		`3: 2.50|Bob||||x|`,
		`4: 12345678901234567890.123456789||||||`,
		`5:  !BAD_JSON`,
		`6:  !BAD_JSON`,
		`7: 4|||||| !BAD_JSON`,
		`8: |||||| !BAD_JSON`,
		`9: ||||||`,
		`10: ||||||`,
	}
	require.Equal(t, want, read(t, rows))
	require.NoError(t, rows.Err())
	require.Equal(t, sheet.Counts{Lines: 10, Rows: 9, Blank: 1}, rows.Counts())
	require.Equal(t, want, readChunks(t, in, d, 2))
}

func TestNDJSONKinds(t *testing.T) {
	t.Parallel()
	lim := sheet.DefaultLimits()
	o := newObjects([]string{"a", "b", "c", "d", "e", "f"}, false, lim)
	cells, code := o.cells([]byte(`{"a":"x","b":-1.5e3,"c":false,"d":{"x":1},"e":null}`), nil)
	require.Empty(t, code)
	var kinds []sheet.Kind
	for _, c := range cells {
		kinds = append(kinds, c.Kind)
	}
	require.Equal(t, []sheet.Kind{sheet.Text, sheet.Number, sheet.Bool, sheet.JSON, sheet.Empty, sheet.Empty}, kinds)
}

// TestNDJSONNestedObjects: values of nested objects have columns named by their path. An object in
// a column with plain values in other rows is also a value as a whole; nothing is dropped.
func TestNDJSONNestedObjects(t *testing.T) {
	t.Parallel()
	in := strings.Join([]string{
		`{"id":1,"profile":{"name":{"given":"Zo\u00eb","family":"Ash"},"mails":["a"]},"none":{}}`,
		`{"profile":{"name":{"family":"Beech"}},"id":2}`,
		`{"id":3,"profile":null,"profile.name.given":"Cy"}`,
		`{"id":4,"profile.mails":[],"profile":{"mails":["b"]}}`,
		`{"id":5,"profile":"plain"}`,
		`{"id":6,"profile":{"name":{"given":"\ud800"}}}`,
	}, "\n")
	d, err := Detect(context.Background(), bytesSource(in), sheet.Options{}, sheet.DefaultLimits())
	require.NoError(t, err)
	require.Equal(t, []string{"id", "profile.name.given", "profile.name.family", "profile.mails", "profile"}, d.Header)
	rows, err := Open(context.Background(), bytesSource(in), d, sheet.DefaultLimits())
	require.NoError(t, err)
	want := []string{
		`1: 1|Zoë|Ash|["a"]|{"name":{"given":"Zo\u00eb","family":"Ash"},"mails":["a"]}`, `2: 2||Beech||{"name":{"family":"Beech"}}`, `3: 3|Cy|||`,
		`4: 4|||[]|{"mails":["b"]} !BAD_JSON`, `5: 5||||plain`, `6: 6||||{"name":{"given":"\ud800"}} !BAD_JSON`,
	}
	require.Equal(t, want, read(t, rows))
	require.Equal(t, want, readChunks(t, in, d, 2))

	deep := strings.Repeat(`{"a":`, maxDepth+2) + "1" + strings.Repeat("}", maxDepth+2)
	d, err = Detect(context.Background(), bytesSource(deep), sheet.Options{}, sheet.DefaultLimits())
	require.NoError(t, err)
	require.Equal(t, []string{"a" + strings.Repeat(".a", maxDepth)}, d.Header)
}

// TestNDJSONUnnestedDialect: an import that was analysed when nested objects were single values is
// read in that way to its end.
func TestNDJSONUnnestedDialect(t *testing.T) {
	t.Parallel()
	in := `{"id":1,"profile":{"name":"Zoë"}}`
	d := &sheet.Dialect{Format: sheet.NDJSON, Encoding: "utf-8", LineEnd: "\n", Header: []string{"id", "profile"}}
	rows, err := Open(context.Background(), bytesSource(in), d, sheet.DefaultLimits())
	require.NoError(t, err)
	require.Equal(t, []string{`1: 1|{"name":"Zoë"}`}, read(t, rows))
}

// TestNDJSONLateKey: a key that first occurs far down is a column like any other.
func TestNDJSONLateKey(t *testing.T) {
	t.Parallel()
	const before = 20_000
	in := strings.Repeat("{\"a\":1}\n", before) + "{\"a\":2,\"b\":3,\"c\":{\"d\":4}}\n{\"e\":null}\n"
	d, err := Detect(context.Background(), bytesSource(in), sheet.Options{}, sheet.DefaultLimits())
	require.NoError(t, err)
	require.Equal(t, []string{"a", "b", "c.d", "e"}, d.Header)
	require.Equal(t, []string{"20001: 2|3|4|", "20002: |||"}, readAll(t, in, d)[before:])

	d, err = Detect(context.Background(), bytesSource(in), sheet.Options{OnlyBeginning: true}, sheet.DefaultLimits())
	require.NoError(t, err)
	require.Equal(t, []string{"a"}, d.Header)
	require.Equal(t, "20001: 2 !ROW_WIDTH", readAll(t, in, d)[before], "the value of an unknown key is not dropped")

	lim := sheet.DefaultLimits()
	lim.Columns = 3
	_, err = Detect(context.Background(), bytesSource(in), sheet.Options{}, lim)
	require.Equal(t, problem.TooManyColumns, problem.CodeOf(err))
}

func readAll(t *testing.T, in string, d *sheet.Dialect) []string {
	t.Helper()
	rows, err := Open(context.Background(), bytesSource(in), d, sheet.DefaultLimits())
	require.NoError(t, err)
	return read(t, rows)
}

func TestNDJSONLimits(t *testing.T) {
	t.Parallel()
	lim := tightLimits()
	detect := func(in string) error {
		d, err := Detect(context.Background(), bytesSource(in), sheet.Options{Format: sheet.NDJSON}, lim)
		if err == nil {
			_, err = Cut(context.Background(), bytesSource(in), d, 5, lim, sheet.Observer{}, func(context.Context, sheet.Chunk, []byte) error { return nil })
		}
		return err
	}
	require.NoError(t, detect(`{"a":"`+strings.Repeat("x", 64)+`"}`))
	require.Equal(t, problem.TooManyColumns, problem.CodeOf(detect(`{"1":1,"2":1,"3":1,"4":1,"5":1,"6":1,"7":1,"8":1,"9":1}`)))
	require.Equal(t, problem.TooManyRows, problem.CodeOf(detect(strings.Repeat("{}\n", 51))))
	require.Equal(t, problem.FieldTooLarge, problem.CodeOf(detect(strings.Repeat(" ", maxRowBytes+blockBytes)+"{}")))
}

func BenchmarkNDJSON(b *testing.B) {
	in := strings.Repeat(`{"id":123456,"email":"member123456@example.org","first name":"Anna","last name":"Smith","joined":"2026-01-31","fee":12.50,"active":true}`+"\n", 50_000)
	lim := sheet.DefaultLimits()
	d, err := Detect(context.Background(), bytesSource(in), sheet.Options{}, lim)
	require.NoError(b, err)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		rows, err := OpenChunk([]byte(in), d, sheet.Chunk{FirstRow: 1, Lines: 50_000, Rows: 50_000}, lim)
		require.NoError(b, err)
		for rows.Next() {
		}
		require.NoError(b, rows.Err())
	}
}
