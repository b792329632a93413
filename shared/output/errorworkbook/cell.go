package errorworkbook

import (
	"bytes"
	"strconv"
	"time"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/output/export"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/value"
)

// cellEncoder writes cells of the file so that they have the same meaning when they are read
// again. The format of dates and decimals is detected from all rows of a file; the few that
// failed might not determine it. So each value that can be decoded is written in an
// unambiguous form.
type cellEncoder struct {
	decoder *value.Decoder
	columns map[int]mappedCells // by column
}

// mappedCells describes the cells of a column that is matched to a field.
type mappedCells struct {
	decoder *value.Decoder
	kind    entity.Kind
}

// epoch is the epoch of Postgres.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// cellValue converts a cell of a column for a workbook.
func (w *cellEncoder) cellValue(column int, c sheet.Cell) any {
	m, mapped := w.columns[column]
	if !mapped {
		return w.plainValue(c)
	}
	switch m.kind {
	case entity.Integer, entity.Decimal:
		if n, code := m.decoder.Decimal(c); code == "" {
			return numberOrText(n)
		}
	case entity.Date:
		if days, code := m.decoder.Date(c); code == "" {
			return epoch.AddDate(0, 0, int(days)).Format(time.DateOnly)
		}
	case entity.Timestamp:
		if micros, code := m.decoder.Timestamp(c); code == "" {
			return time.UnixMicro(epoch.UnixMicro() + micros).UTC().Format(time.RFC3339Nano)
		}
	}
	return w.plainValue(c)
}

// plainValue returns a cell unchanged. Errors and formulas without a value are empty: the
// person has to enter the value.
func (w *cellEncoder) plainValue(c sheet.Cell) any {
	switch c.Kind {
	case sheet.Empty, sheet.ErrorValue, sheet.Formula:
		return nil
	case sheet.Bool:
		return string(c.Bytes) == "true"
	case sheet.Number:
		return numberOrText(c.Bytes)
	}
	if b, code := w.decoder.Text(c); code == "" {
		return export.GuardFormulaText(string(b))
	}
	return export.GuardFormulaText(string(c.Bytes))
}

// exactDigits is the number of digits of a number that a workbook preserves.
const exactDigits = 15

// numberOrText returns a number, or its text if a workbook would lose digits of it: leading
// zeros, which the format of the cell showed, and those after the 15th.
func numberOrText(b []byte) any {
	if whole := bytes.TrimPrefix(b, []byte("-")); len(whole) > 1 && whole[0] == '0' && whole[1] != '.' {
		return string(b)
	}
	digits := 0
	for _, c := range b {
		if c >= '0' && c <= '9' {
			digits++
		}
	}
	n, err := strconv.ParseFloat(string(b), 64)
	if err != nil || digits > exactDigits {
		return string(b)
	}
	return n
}
