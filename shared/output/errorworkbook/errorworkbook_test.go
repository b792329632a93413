package errorworkbook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/output/errorworkbook"
	"github.com/loadbay/loadbay/shared/output/translation"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
	"github.com/loadbay/loadbay/shared/transform"
)

// importedJob is a job with a split file and some rows in error. It also serves as the store
// and the bucket.
type importedJob struct {
	job     *job.Job
	objects map[string][]byte
	columns []job.MappedColumn
	chunks  []job.Chunk
	failed  []job.RowResult
	ranges  int // how often a chunk was read
}

type source struct{ *bytes.Reader }

func (i *importedJob) Open(_ context.Context, v object.Version) sheet.Source {
	return source{bytes.NewReader(i.objects[v.Key])}
}

func (i *importedJob) ReadRange(_ context.Context, v object.Version, offset, length int64) ([]byte, error) {
	key := v.Key
	i.ranges++
	if offset+length > int64(len(i.objects[key])) {
		return nil, io.ErrUnexpectedEOF
	}
	return i.objects[key][offset : offset+length], nil
}

func (i *importedJob) InOrganisation(_ context.Context, organisation tenant.ID, f func(pgx.Tx) error) error {
	if organisation != i.job.OrganisationID {
		return fmt.Errorf("organisation %d", organisation)
	}
	return f(nil)
}

func (i *importedJob) ColumnMappings(context.Context, pgx.Tx, job.Key) ([]job.MappedColumn, error) {
	return i.columns, nil
}

func (i *importedJob) NextFailedChunk(_ context.Context, _ pgx.Tx, _ job.Key, after int) (*job.Chunk, error) {
	for c := range i.chunks {
		if i.chunks[c].Index > after && bytes.IndexByte(i.chunks[c].Outcomes, byte(rowwrite.Errored)) >= 0 {
			return &i.chunks[c], nil
		}
	}
	return nil, nil
}

func (i *importedJob) FailedRows(_ context.Context, _ pgx.Tx, _ job.Key, first, last int64, _ int) (found []job.RowResult, _ error) {
	for _, r := range i.failed {
		if r.Row >= first && r.Row <= last {
			found = append(found, r)
		}
	}
	return found, nil
}

// declaration has a field of each kind that is written differently.
var declaration = entity.Declaration{Name: "MEMBER", Title: "Members", Fields: []entity.Field{
	{Name: "NAME", Title: "Name"},
	{Name: "EMAIL", Title: "E-mail", Kind: entity.Email},
	{Name: "BORN", Title: "Born on", Kind: entity.Date},
	{Name: "FEE", Title: "Fee", Kind: entity.Decimal},
	{Name: "SEEN", Title: "Seen", Kind: entity.Timestamp},
}}

// afterImport imports a file of which some rows failed. targets are the fields of its
// columns, "" for one that is ignored.
func afterImport(t testing.TB, file []byte, chunkRows int, targets []string, failed ...job.RowResult) *importedJob {
	t.Helper()
	i := &importedJob{
		job:     &job.Job{Key: 1, ID: "the-job", OrganisationID: 1, ObjectKey: "source", SizeBytes: int64(len(file))},
		objects: map[string][]byte{"source": file}, failed: failed,
	}
	limits := sheet.DefaultLimits()
	d, err := reader.Detect(t.Context(), i.Open(t.Context(), object.Version{Key: "source"}), sheet.Options{}, limits)
	require.NoError(t, err)
	i.job.Dialect, err = json.Marshal(d)
	require.NoError(t, err)
	for column, target := range targets {
		i.columns = append(i.columns, job.MappedColumn{ColumnIndex: column, TargetField: target})
	}
	_, err = reader.Cut(t.Context(), i.Open(t.Context(), object.Version{Key: "source"}), d, chunkRows, limits, func(_ context.Context, c sheet.Chunk, body []byte) error {
		kept := job.Chunk{
			Index: c.Index, Key: "source", Offset: c.Offset, Length: c.Length, FirstRow: c.FirstRow, Lines: c.Lines, Rows: c.Rows, CRC32C: c.CRC32C,
			Outcomes: bytes.Repeat([]byte{byte(rowwrite.Created)}, c.Lines),
		}
		if body != nil {
			kept.Key = fmt.Sprintf("chunk %d", c.Index)
			i.objects[kept.Key] = bytes.Clone(body)
		}
		for _, f := range failed {
			if at := f.Row - c.FirstRow; at >= 0 && at < int64(c.Lines) {
				kept.Outcomes[at] = byte(rowwrite.Errored)
			}
		}
		i.chunks = append(i.chunks, kept)
		return nil
	})
	require.NoError(t, err)
	return i
}

func newRowError(row int64, field, message string) job.RowResult {
	return job.RowResult{Row: row, Outcome: rowwrite.Errored, Errors: []rowwrite.Error{{Code: "X", Field: field, Message: message}}}
}

// book writes the error workbook and opens it.
func (i *importedJob) book(t *testing.T) (*excelize.File, [][]string) {
	t.Helper()
	var out bytes.Buffer
	n, err := errorworkbook.New(i, i, sheet.DefaultLimits()).Write(t.Context(), &out, translation.English, i.job, &declaration)
	require.NoError(t, err)
	f, err := excelize.OpenReader(&out)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, f.Close()) })
	rows, err := f.GetRows("Errors")
	require.NoError(t, err)
	require.Equal(t, int(n), len(rows)-1)
	return f, rows
}

const members = "Name;E-mail;Note;Born on\n" +
	"Anna;anna@x.org;fine;01.02.1990\n" +
	"Ben;nonsense;=1+1;31.12.1991\n" +
	"\n" +
	"\"Cleo\nDahl\";cleo@x.org;+27 82 555;yesterday\n" +
	"Dora;dora@x.org;fine\n"

func TestFailedRowsKeepFileColumns(t *testing.T) {
	t.Parallel()
	for _, chunkRows := range []int{1, 2, 100} {
		t.Run(fmt.Sprintf("%d rows a chunk", chunkRows), func(t *testing.T) {
			t.Parallel()
			both := newRowError(5, "BORN", "This is no date.")
			both.Errors = append(both.Errors, rowwrite.Error{Message: "Nor is anything else right."}, rowwrite.Error{Field: "GONE", Message: "Odd."})
			i := afterImport(t, []byte(members), chunkRows, []string{"NAME", "EMAIL", "", "BORN"}, newRowError(3, "EMAIL", "This is no address."), both, newRowError(6, "BORN", "Missing."))
			f, rows := i.book(t)
			require.Equal(t, [][]string{
				{"Loadbay row", "Loadbay message", "Name", "E-mail", "Note", "Born on"},
				{"3", "E-mail: This is no address.", "Ben", "nonsense", "'=1+1", "1991-12-31"},
				{"5", "Born on: This is no date.\nNor is anything else right.\nGONE: Odd.", "Cleo\nDahl", "cleo@x.org", "'+27 82 555", "yesterday"},
				{"6", "Born on: Missing.", "Dora", "dora@x.org", "fine"},
			}, rows)
			require.Equal(t, []string{"D2", "F3", "F4"}, markedCells(t, f, 4))
		})
	}
}

// markedCells returns the cells with a red fill.
func markedCells(t *testing.T, f *excelize.File, lastRow int) []string {
	t.Helper()
	var found []string
	for row := 2; row <= lastRow; row++ {
		for column := 1; column <= 8; column++ {
			at, err := excelize.CoordinatesToCellName(column, row)
			require.NoError(t, err)
			id, err := f.GetCellStyle("Errors", at)
			require.NoError(t, err)
			style, err := f.GetStyle(id)
			require.NoError(t, err)
			if style.Fill.Pattern == 1 { // solid
				found = append(found, at)
			}
		}
	}
	return found
}

func TestChunksWithoutErrorsAreNotRead(t *testing.T) {
	t.Parallel()
	var file strings.Builder
	file.WriteString("Name,E-mail\n")
	for i := range 100 {
		fmt.Fprintf(&file, "Name %d,a%d@x.org\n", i, i)
	}
	i := afterImport(t, []byte(file.String()), 10, []string{"NAME", "EMAIL"}, newRowError(15, "EMAIL", "No."), newRowError(99, "EMAIL", "No."))
	_, rows := i.book(t)
	require.Equal(t, []string{"15", "99"}, []string{rows[1][0], rows[2][0]})
	require.Equal(t, 2, i.ranges)
}

func TestFileWithoutChunksIsReadOnce(t *testing.T) {
	t.Parallel()
	i := afterImport(t, []byte(members), 2, []string{"NAME", "EMAIL", "", "BORN"}, newRowError(3, "EMAIL", "No."), newRowError(5, "", "No."), newRowError(6, "BORN", "No."))
	i.job.WholeFile = true
	for c := range i.chunks {
		i.chunks[c].Key, i.chunks[c].Length = "nowhere", 0
	}
	_, rows := i.book(t)
	require.Equal(t, []string{"Ben", "Cleo\nDahl", "Dora"}, []string{rows[1][2], rows[2][2], rows[3][2]})
	require.Zero(t, i.ranges)
}

// The format of values such as 31.12. and 1.234,5 is detected from all rows of a file; the
// error workbook is unambiguous.
func TestCellValuesRoundTrip(t *testing.T) {
	t.Parallel()
	file := "Name;Fee;Born on;Seen;E-mail\n" +
		"Anna;1.234,50;31.12.1990;31.12.2025 10:20;a@x.org\n" +
		"'=Ben;1.234;01.02.1991;01.02.2026 23:59:58;no\n" +
		"-5;-1;12345678901234567890;;no\n"
	i := afterImport(t, []byte(file), 10, []string{"NAME", "FEE", "BORN", "SEEN", "EMAIL"}, newRowError(3, "EMAIL", "No."), newRowError(4, "EMAIL", "No."))
	i.columns[1].Locale.DecimalMark = sheet.Finding{Value: ",", Evidence: sheet.Decided, DecidedBy: 1}
	f, rows := i.book(t)
	require.Equal(t, []string{"3", "E-mail: No.", "'=Ben", "1234", "1991-02-01", "2026-02-01T23:59:58Z", "no"}, rows[1])
	require.Equal(t, []string{"4", "E-mail: No.", "-5", "-1", "12345678901234567890", "", "no"}, rows[2])
	kind, err := f.GetCellType("Errors", "D2")
	require.NoError(t, err)
	require.Equal(t, excelize.CellTypeUnset, kind, "the fee is stored as a number")
}

// A column that is transformed for its field, or used by several, keeps the file's values: a
// step that parses 01.02.1991 as 2 January does not fit 1991-02-01. Errors are marked in its
// first column.
func TestComposedColumnsKeepFileValues(t *testing.T) {
	t.Parallel()
	file := "Name;Born on;Seen;Fee\nAnna;01.02.1991;01.02.2026;1,5\n"
	i := afterImport(t, []byte(file), 10, []string{"NAME", "BORN", "SEEN", "FEE"}, newRowError(2, "EMAIL", "No."))
	i.columns[1].Transforms = []transform.Step{{Op: transform.Date, Pattern: "MM.DD.YYYY"}}
	i.columns[3].TargetField, i.columns[3].Locale.DecimalMark = "FEE", sheet.Finding{Value: ",", Evidence: sheet.Decided}
	i.columns = append(i.columns, job.MappedColumn{ColumnIndex: -1, ExtraColumns: []int{0, 2}, TargetField: "EMAIL"})
	f, rows := i.book(t)
	require.Equal(t, []string{"2", "E-mail: No.", "Anna", "01.02.1991", "01.02.2026", "1.5"}, rows[1])
	wrong, err := f.GetCellStyle("Errors", "C2")
	require.NoError(t, err)
	require.NotZero(t, wrong)
}

func TestWorkbookCellValues(t *testing.T) {
	t.Parallel()
	x := excelize.NewFile()
	require.NoError(t, x.SetSheetRow("Sheet1", "A1", &[]any{"Name", "Fee", "Flag", "Formula", "Broken", "E-mail", "Text"}))
	require.NoError(t, x.SetSheetRow("Sheet1", "A2", &[]any{"Anna", 12.5, true, nil, nil, "no", "<&>"}))
	require.NoError(t, x.SetCellFormula("Sheet1", "D2", "1+1"))
	require.NoError(t, x.SetCellFormula("Sheet1", "E2", "1/0"))
	var file bytes.Buffer
	require.NoError(t, x.Write(&file))
	i := afterImport(t, file.Bytes(), 10, []string{"NAME", "FEE", "", "", "", "EMAIL", ""}, newRowError(2, "EMAIL", "No."))
	_, rows := i.book(t)
	require.Equal(t, []string{"2", "E-mail: No.", "Anna", "12.5", "TRUE", "", "", "no", "<&>"}, rows[1])
}

func TestDisplayedTextIsKept(t *testing.T) {
	t.Parallel()
	x := excelize.NewFile()
	require.NoError(t, x.SetSheetRow("Sheet1", "A1", &[]any{"Name", "Code", "Below", "Fraction", "Number"}))
	require.NoError(t, x.SetSheetRow("Sheet1", "A2", &[]any{"Anna", 412, -412, 412.5, 123456789}))
	for i, code := range []string{"00000", "00000", "00000", "000-00-0000"} {
		style, err := x.NewStyle(&excelize.Style{CustomNumFmt: &code})
		require.NoError(t, err)
		cell := string(rune('B'+i)) + "2"
		require.NoError(t, x.SetCellStyle("Sheet1", cell, cell, style))
	}
	var file bytes.Buffer
	require.NoError(t, x.Write(&file))
	i := afterImport(t, file.Bytes(), 10, []string{"NAME", "", "", "", ""}, newRowError(2, "NAME", "No."))
	_, rows := i.book(t)
	require.Equal(t, []string{"2", "Name: No.", "Anna", "00412", "-00412", "00413", "123-45-6789"}, rows[1])
}

func TestNoCellIsAFormula(t *testing.T) {
	t.Parallel()
	file := "=cmd,E-mail\n" + "@SUM(A1),-2+3+cmd\n" + "\"\tx\",\"\rx\"\n" + "\x00=x,_x0041_\n"
	i := afterImport(t, []byte(file), 10, []string{"NAME", "EMAIL"}, newRowError(2, "EMAIL", "=no"), newRowError(3, "EMAIL", "No."), newRowError(4, "EMAIL", "No."))
	f, rows := i.book(t)
	require.Equal(t, "'=cmd", rows[0][2])
	require.Equal(t, []string{"E-mail: =no", "'@SUM(A1)", "'-2+3+cmd"}, rows[1][1:])
	require.Equal(t, []string{"'\tx", "'\rx"}, rows[2][2:])
	require.Equal(t, []string{"\uFFFD=x", "_x0041_"}, rows[3][2:])
	for row := range rows {
		for column := range rows[row] {
			at, err := excelize.CoordinatesToCellName(column+1, row+1)
			require.NoError(t, err)
			formula, err := f.GetCellFormula("Errors", at)
			require.NoError(t, err)
			require.Empty(t, formula)
		}
	}
}

func TestJobWithoutErrorsHasEmptyWorkbook(t *testing.T) {
	t.Parallel()
	i := afterImport(t, []byte(members), 10, []string{"NAME", "EMAIL", "", "BORN"})
	_, rows := i.book(t)
	require.Len(t, rows, 1)
	i.job.Dialect = nil
	_, rows = i.book(t)
	require.Equal(t, [][]string{{"Loadbay row", "Loadbay message"}}, rows, "a job that is not analysed has only the added columns")
}

// The headers, by which the corrected workbook is recognised, and the values of the file are in no
// language.
func TestWorkbookInAnotherLanguage(t *testing.T) {
	t.Parallel()
	both := newRowError(5, "BORN", "Born on: This is not a date. Write it as year, month and day: 2026-01-31.")
	both.Errors = append(both.Errors, rowwrite.Error{Message: "Row 3 of this file is the same person."}, rowwrite.Error{Field: "NAME", Message: "The fleet has no such member."})
	i := afterImport(t, []byte(members), 100, []string{"NAME", "EMAIL", "", "BORN"},
		newRowError(3, "EMAIL", "E-mail: This is not an e-mail address, such as ada@example.org."), both)
	for _, c := range []struct {
		language     translation.Language
		sheet        string
		email, birth string
	}{
		{"de", "Fehler", "E-mail: Das ist keine E-Mail-Adresse wie ada@example.org.", "Das ist kein Datum."},
		{"fr", "Erreurs", "E-mail\u202f: Ce n’est pas une adresse e-mail, comme ada@example.org.", "Ce n’est pas une date."},
		{"es", "Errores", "E-mail: No es una dirección de correo, como ada@example.org.", "No es una fecha."},
		{"nl", "Fouten", "E-mail: Dit is geen e-mailadres, zoals ada@example.org.", "Dit is geen datum."},
	} {
		var out bytes.Buffer
		_, err := errorworkbook.New(i, i, sheet.DefaultLimits()).Write(t.Context(), &out, c.language, i.job, &declaration)
		require.NoError(t, err)
		f, err := excelize.OpenReader(&out)
		require.NoError(t, err)
		rows, err := f.GetRows(c.sheet)
		require.NoError(t, err)
		require.Equal(t, []string{"Loadbay row", "Loadbay message", "Name", "E-mail", "Note", "Born on"}, rows[0])
		require.Equal(t, []string{"3", c.email, "Ben", "nonsense", "'=1+1", "1991-12-31"}, rows[1])
		lines := strings.Split(rows[2][1], "\n")
		require.Len(t, lines, 3)
		require.Contains(t, lines[0], c.birth)
		require.Contains(t, lines[1], "3")
		require.NotContains(t, lines[1], "Row 3")
		require.Contains(t, lines[2], "The fleet has no such member.", "the sentences of a declaration are shown as declared")
		require.NoError(t, f.Close())
	}
}
