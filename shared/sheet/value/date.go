package value

import (
	"strconv"
	"time"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/book"
)

// microsDay is a day in microseconds.
const microsDay = 24 * 60 * 60 * 1_000_000

// Date returns the cell as days since 2000-01-01, as PostgreSQL counts them.
//
// It accepts these forms: ISO 8601 (2026-01-31, 20260131), also with slashes or points instead of
// hyphens; day, month and year in the column's order (31/1/2026), where two-digit years are those
// from 1930 to 2029 and may come first as well; the month as a name in one of eight languages (31
// Jan 2026, January 31, 2026, 31 de enero de 2026); and in workbooks any number, which is a date
// in the file's date system. If the column has no order, a date is accepted if it is
// unambiguous; with points, the day comes first (3.4.2026), unless cells of the column contradict
// that.
//
// CELL_DATE: it is not a date of the calendar, it is ambiguous (3/4/2026, and the column's order is
// unknown), or it is only a time. CELL_PRECISION: it has a time of day, which the column would
// lose.
func (d *Decoder) Date(c sheet.Cell) (int32, problem.Code) {
	days, micros, _, code := d.timestampOf(c)
	if code == "" && micros != 0 {
		code = problem.CellPrecision
	}
	if code != "" {
		return 0, code
	}
	return int32(days), ""
}

// Timestamp returns the cell as microseconds since 2000-01-01 00:00 UTC, as PostgreSQL counts
// them. It accepts the forms of Date, optionally followed by a time: hours, minutes, and
// optionally seconds, their fraction, AM or PM, and a zone (Z, UTC, GMT, +01:00). The default zone
// is that of the dialect, else UTC; digits below a microsecond are rounded. The code is CELL_DATE.
func (d *Decoder) Timestamp(c sheet.Cell) (int64, problem.Code) {
	days, micros, zoned, code := d.timestampOf(c)
	if code != "" {
		return 0, code
	}
	at := days*microsDay + micros
	if d.zone != nil && !zoned {
		at = d.localToUTC(at)
	}
	return at, ""
}

// localToUTC converts a time of the dialect's zone, with fields given as if it were UTC. An
// ambiguous time in autumn is the first of the two; a time skipped in spring is moved by an hour.
func (d *Decoder) localToUTC(micros int64) int64 {
	clock := time.UnixMicro(micros + epochMicros).UTC()
	year, month, day := clock.Date()
	moment := time.Date(year, month, day, clock.Hour(), clock.Minute(), clock.Second(), clock.Nanosecond(), d.zone)
	return moment.UnixMicro() - epochMicros
}

// epochMicros is 2000-01-01 00:00 UTC as Unix time counts microseconds.
const epochMicros = 946_684_800 * 1_000_000

// timestampOf returns a day since 2000-01-01 and a time in UTC, which may belong to the day
// before or after; zoned reports whether the cell contains a zone.
func (d *Decoder) timestampOf(c sheet.Cell) (days, micros int64, zoned bool, code problem.Code) {
	switch c = c.AsNumber(); c.Kind {
	case sheet.Empty:
		return 0, 0, false, problem.CellRequired
	case sheet.ErrorValue:
		return 0, 0, false, problem.CellError
	case sheet.Formula:
		return 0, 0, false, problem.CellFormula
	case sheet.Number:
		if c.Bytes = d.serialText(c.Bytes); c.Bytes == nil {
			return 0, 0, false, problem.CellDate
		}
	case sheet.Text:
		if c.Bytes = trimSpace(c.Bytes); len(c.Bytes) == 0 {
			return 0, 0, false, problem.CellRequired
		}
	case sheet.Date:
	default:
		return 0, 0, false, problem.CellDate
	}
	p := dateParser{rest: c.Bytes, order: d.order}
	if !p.date() || !p.time() || len(p.rest) > 0 {
		return 0, 0, false, problem.CellDate
	}
	return daysSince2000(p.year, p.month, p.day), p.micros, p.zoned, ""
}

// serialText returns the date of a workbook's number as ISO 8601, or nil if it is not a date.
// Numbers that are too high for a serial are unchanged: 20260131 is a date anyway.
func (d *Decoder) serialText(b []byte) []byte {
	if !d.workbook {
		return b
	}
	n, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		return nil
	}
	if n >= 1e7 {
		return b
	}
	text, ok := book.AppendDate(d.buf[:0], n, book.DateTime, d.date1904)
	d.buf = text
	if !ok {
		return nil
	}
	return text
}

// daysIn returns the number of days of a month.
func daysIn(year, month int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// daysSince2000 counts the days of the Gregorian calendar. Years begin in March here, so that the
// leap day is the last day of the year.
func daysSince2000(year, month, day int) int64 {
	y := int64(year)
	if month <= 2 {
		y--
	}
	fromMarch := int64((month + 9) % 12)
	const epoch = 730_425 // 2000-01-01, counted from 0000-03-01
	return y*365 + y/4 - y/100 + y/400 + (153*fromMarch+2)/5 + int64(day) - 1 - epoch
}
