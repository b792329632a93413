package sheet

import "bytes"

// DecimalMark infers from numbers such as 12,5 or 1.234,56 whether the file
// writes a comma or a point before decimals. Where none decides, it is a point,
// except in files delimited by semicolons, which is what spreadsheet programs
// write where the comma is taken; there, and where numbers contradict each
// other, it is empty.
func (s *Sample) DecimalMark(delimiter string) string {
	var point, comma bool
	for i := range s.rows {
		for _, c := range s.rows[i].Cells {
			if c.Kind != Text {
				continue
			}
			switch markOf(c.Bytes) {
			case '.':
				point = true
			case ',':
				comma = true
			}
		}
	}
	switch {
	case comma && !point:
		return ","
	case point && !comma, !point && !comma && delimiter != ";":
		return "."
	}
	return ""
}

// markOf is the decimal mark that a number must have been written with; 0 for
// what is no number and for numbers that may be read either way, as 1.234 may.
func markOf(b []byte) byte {
	b = bytes.TrimLeft(bytes.TrimSpace(b), "+-")
	last := bytes.LastIndexAny(b, ".,")
	if last < 0 {
		return 0
	}
	mark := b[last]
	other := '.' + ',' - mark
	whole, fraction := b[:last], b[last+1:]
	switch {
	case !digits(fraction):
		return 0
	case bytes.IndexByte(whole, mark) >= 0: // 1.234.567: it groups
		if len(fraction) == 3 && grouped(whole, mark) {
			return other
		}
		return 0
	case bytes.IndexByte(whole, other) >= 0: // 1.234,5
		if grouped(whole, other) {
			return mark
		}
		return 0
	case !digits(whole) || len(whole) == 0:
		return 0
	case len(fraction) == 3 && len(whole) <= 3 && whole[0] != '0':
		return 0
	}
	return mark
}

// grouped reports whether b is digits in groups of three, as in 1.234.567.
func grouped(b []byte, sep byte) bool {
	for i, group := range bytes.Split(b, []byte{sep}) {
		if !digits(group) || len(group) > 3 || len(group) == 0 || i > 0 && len(group) < 3 {
			return false
		}
	}
	return true
}

func digits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}
