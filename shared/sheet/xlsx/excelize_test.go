package xlsx_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/xlsx"
)

// corpus is the folder of real files next to the repository.
const corpus = "../../../../shared/corpus"

// excelizeLosesCells are the workbooks of the corpus that excelize misreads: it stops without an
// error at a cell with s="".
var excelizeLosesCells = map[string]bool{"empty_s_attribute.xlsx": true}

func TestAgreesWithExcelize(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(corpus, "*", "*.xls[xm]"))
	require.NoError(t, err)
	if len(files) == 0 {
		t.Skip("no real workbooks in " + corpus + ": nothing to compare with excelize")
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			if excelizeLosesCells[filepath.Base(path)] {
				t.Skip("excelize loses cells of this workbook")
			}
			file, err := os.ReadFile(path)
			require.NoError(t, err)
			compareWithExcelize(t, file)
		})
	}
}

func TestAgreesWithExcelizeOnOwnFiles(t *testing.T) {
	t.Parallel()
	compareWithExcelize(t, generate(t, 2000))
}

// compareWithExcelize reads every sheet of the workbook with this package and with excelize.
func compareWithExcelize(t *testing.T, file []byte) {
	t.Helper()
	theirs, err := excelize.OpenReader(bytes.NewReader(file), excelize.Options{RawCellValue: true})
	if err != nil {
		t.Skipf("excelize cannot read this workbook: %v", err)
	}
	defer func() { require.NoError(t, theirs.Close()) }()
	props, err := theirs.GetWorkbookProps()
	require.NoError(t, err)
	date1904 := props.Date1904 != nil && *props.Date1904
	for index, name := range theirs.GetSheetList() {
		want, err := theirs.GetRows(name)
		require.NoError(t, err)
		d := &sheet.Dialect{Format: sheet.XLSX, SheetIndex: index}
		rows, err := xlsx.Open(context.Background(), bytes.NewReader(file), d, sheet.DefaultLimits())
		if problem.CodeOf(err) == problem.SheetNotFound {
			require.Empty(t, want, "a chart")
			continue
		}
		require.NoError(t, err)
		for number := int64(1); rows.Next(); number++ {
			for ; number < rows.Row().Number; number++ {
				requireSame(t, nil, line(want, number), date1904)
			}
			requireSame(t, rows.Row().Cells, line(want, number), date1904)
		}
		require.NoError(t, rows.Err())
		for number := rows.Counts().Lines + 1; number <= int64(len(want)); number++ {
			requireSame(t, nil, line(want, number), date1904)
		}
		require.NoError(t, rows.Close())
	}
}

// line returns a row of excelize by its number.
func line(rows [][]string, number int64) []string {
	if number > int64(len(rows)) {
		return nil
	}
	return rows[number-1]
}

func requireSame(t *testing.T, ours []sheet.Cell, theirs []string, date1904 bool) {
	t.Helper()
	for i := range max(len(ours), len(theirs)) {
		var cell sheet.Cell
		var text string
		if i < len(ours) {
			cell = ours[i]
		}
		if i < len(theirs) {
			text = theirs[i]
		}
		require.True(t, same(t, cell, text, date1904), "column %d: %q of kind %d is not %q", i+1, cell.Bytes, cell.Kind, text)
	}
}

// same reports whether a cell equals the value of excelize.
func same(t *testing.T, cell sheet.Cell, theirs string, date1904 bool) bool {
	switch text := string(cell.Bytes); cell.Kind {
	case sheet.Number:
		a, err := strconv.ParseFloat(text, 64)
		require.NoError(t, err)
		b, err := strconv.ParseFloat(theirs, 64)
		return err == nil && a == b
	case sheet.Bool:
		return text == "true" && (theirs == "1" || theirs == "TRUE") || text == "false" && (theirs == "0" || theirs == "FALSE")
	case sheet.Date:
		serial, err := strconv.ParseFloat(theirs, 64)
		if err != nil {
			return strings.HasPrefix(theirs, text) // an unchanged ISO date
		}
		return sameInstant(t, text, serial, date1904)
	default:
		return text == theirs
	}
}

// sameInstant compares a date with its serial number.
func sameInstant(t *testing.T, text string, serial float64, date1904 bool) bool {
	day, clock, both := strings.Cut(text, "T")
	if !both && strings.Contains(text, ":") {
		day, clock = "", text
	}
	var seconds float64
	for i, part := range strings.Split(clock, ":") {
		if clock == "" {
			break
		}
		n, err := strconv.ParseFloat(part, 64)
		require.NoError(t, err)
		seconds += n * []float64{3600, 60, 1}[i]
	}
	days := seconds / 86400
	if day != "" {
		date, err := time.Parse(time.DateOnly, day)
		require.NoError(t, err)
		epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
		if date1904 {
			epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
		}
		days += date.Sub(epoch).Hours() / 24
	}
	const millisecond = 1.0 / 86400 / 1000
	return days-serial < millisecond && serial-days < millisecond
}
