package reading

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/rowview"
)

// progressRecorder records the progress updates.
type progressRecorder struct{ read []int64 }

func (*progressRecorder) InOrganisation(_ context.Context, _ tenant.ID, f func(pgx.Tx) error) error {
	return f(nil)
}

func (n *progressRecorder) SaveBytesRead(_ context.Context, _ pgx.Tx, _ job.Key, read int64) error {
	n.read = append(n.read, read)
	return nil
}

// Progress is saved once a second, however much is read, and never exceeds the file's size.
func TestProgressIsSavedOncePerSecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		kept := &progressRecorder{}
		w := TrackProgress(t.Context(), strings.NewReader(strings.Repeat("x", 1000)), kept, &job.Job{}, slog.New(slog.DiscardHandler))
		for i := range 15 {
			_, err := w.ReadAt(make([]byte, 100), int64(i%10)*100)
			require.NoError(t, err)
			<-time.After(400 * time.Millisecond)
		}
		require.Equal(t, []int64{400, 700, 1000, 1000}, kept.read)
	})
}

// tailOf returns the tail of a file with the given lines as rows; | separates the cells.
func tailOf(lines ...string) *Tail {
	var t Tail
	for i, line := range lines {
		row := sheet.Row{Number: int64(i + 2)}
		for _, text := range strings.Split(line, "|") {
			c := sheet.Cell{Kind: sheet.Text, Bytes: []byte(text)}
			if text == "" {
				c.Kind = sheet.Empty
			}
			row.Cells = append(row.Cells, c)
		}
		t.Add(&row)
	}
	return &t
}

func TestFooterIsDetected(t *testing.T) {
	t.Parallel()
	three := &sheet.Dialect{HeaderRow: 1, Header: []string{"id", "name", "paid"}}
	two := &sheet.Dialect{HeaderRow: 1, Header: []string{"name", "paid"}}
	for name, c := range map[string]struct {
		dialect *sheet.Dialect
		lines   []string
		n       int
		first   int64
	}{
		"none":                        {three, []string{"1|a|2", "2|b|3"}, 0, 0},
		"a total":                     {three, []string{"1|a|2", "Total:||2"}, 1, 3},
		"a total in a later column":   {three, []string{"1|a|2", "|SUMME|2"}, 1, 3},
		"a total and a note":          {three, []string{"1|a|2", "Total||2", "Printed on Monday||"}, 2, 3},
		"a note":                      {three, []string{"1|a|2", "2|b|3", "3|c|4", "Printed on Monday"}, 1, 5},
		"names that look like totals": {three, []string{"1|Total|2", "2|Sum Total|3"}, 0, 0},
		"names in a two-column list":  {two, []string{"Ann Ash|1", "Ben Cole|"}, 0, 0},
		"footer lines only":           {three, []string{"Printed on Monday||", "Printed on Tuesday||"}, 0, 0},
		"a long file":                 {three, []string{"1|a|2", "1|a|2", "1|a|2", "1|a|2", "1|a|2", "1|a|2", "1|a|2", "Razem||14"}, 1, 9},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, first := tailOf(c.lines...).Footer(c.dialect)
			require.Equal(t, c.n, n)
			require.Equal(t, c.first, first)
		})
	}
}

func TestTailIsOrderedAndBounded(t *testing.T) {
	t.Parallel()
	rows := tailOf("1", "2", "3", "4", "5", "6", "7", "8").Rows(&sheet.Dialect{HeaderRow: 1, FooterRow: 9})
	require.Len(t, rows, lastRows)
	require.Equal(t, rowview.DisplayRow{Number: 4, Part: rowview.PartData, Cells: []rowview.DisplayCell{{Text: "3", Kind: "TEXT"}}}, rows[0])
	require.Equal(t, rowview.DisplayRow{Number: 9, Part: rowview.PartFooter, Cells: []rowview.DisplayCell{{Text: "8", Kind: "TEXT"}}}, rows[5])

	wide := strings.TrimSuffix(strings.Repeat(strings.Repeat("ö", 300)+"|", 100), "|")
	require.Len(t, tailOf(wide, wide, wide, wide).Rows(&sheet.Dialect{}), 1)
	require.Len(t, tailOf(wide).Rows(&sheet.Dialect{})[0].Cells, 100)
}

func BenchmarkTail(b *testing.B) {
	var t Tail
	row := sheet.Row{}
	for range 7 {
		row.Cells = append(row.Cells, sheet.Cell{Kind: sheet.Text, Bytes: []byte("somebody@example.org")})
	}
	b.ReportAllocs()
	for b.Loop() {
		t.Add(&row)
	}
}
