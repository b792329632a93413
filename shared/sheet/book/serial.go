package book

import (
	"math"
	"strconv"
)

const (
	dayMillis = 24 * 60 * 60 * 1000
	// lastDay is 9999-12-31 in the 1900 system; the 1904 system begins four years and a day
	// later.
	lastDay        = 2_958_465
	offset1904     = 1_462
	phantomLeapDay = 60 // 1900-02-29, a date that only spreadsheets know
	// unixEpoch is the serial of 1970-01-01 in the 1900 system.
	unixEpoch = 25_569
)

// AppendDate appends a serial number as a date format displays it: "2026-01-31",
// "2026-01-31T10:20:30", "10:20:30", with milliseconds if there are any. It returns false if the
// number is not a date and stays a number, because it is before the system's first day or
// after the year 9999.
//
// A serial with a day keeps it even if the format only displays the time, and a serial without
// one is a time of day. An elapsed time consists of hours, minutes and seconds, and may exceed 24
// hours. Day 60 of the 1900 system is "1900-02-29", as spreadsheets display it; the date does
// not exist.
func AppendDate(dst []byte, serial float64, f Format, date1904 bool) ([]byte, bool) {
	if !(serial >= 0 && serial < lastDay+1) {
		return dst, false
	}
	millis := int64(math.Round(serial * dayMillis))
	day, clock := millis/dayMillis, millis%dayMillis
	if f == Elapsed {
		return appendClock(dst, millis), true
	}
	if serial < 1 && (f == TimeOnly || f == DateTime && !date1904) {
		return appendClock(dst, clock), true
	}
	if date1904 {
		day += offset1904
	}
	if day < 1 || day > lastDay {
		return dst, false
	}
	dst = appendDay(dst, day)
	if clock != 0 {
		dst = appendClock(append(dst, 'T'), clock)
	}
	return dst, true
}

// appendDay appends the date of a day of the 1900 system.
func appendDay(dst []byte, day int64) []byte {
	if day == phantomLeapDay {
		return append(dst, "1900-02-29"...)
	}
	if day < phantomLeapDay {
		day++
	}
	y, m, d := civilDate(day - unixEpoch)
	dst = appendPadded(dst, y, 4)
	dst = appendPadded(append(dst, '-'), m, 2)
	return appendPadded(append(dst, '-'), d, 2)
}

// civilDate converts days since 1970-01-01 into a date of the Gregorian calendar. Years begin
// in March, so that the leap day is the last day of the year.
func civilDate(days int64) (year, month, day int64) {
	const era = 146_097 // days in 400 years
	days += 719_468     // 0000-03-01
	ofEra := days % era
	yearOfEra := (ofEra - ofEra/1460 + ofEra/36524 - ofEra/146096) / 365
	ofYear := ofEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100)
	shifted := (5*ofYear + 2) / 153
	day = ofYear - (153*shifted+2)/5 + 1
	month = shifted + 3
	year = yearOfEra + days/era*400
	if month > 12 {
		month, year = month-12, year+1
	}
	return year, month, day
}

func appendClock(dst []byte, millis int64) []byte {
	seconds := millis / 1000
	dst = appendPadded(dst, seconds/3600, 2)
	dst = appendPadded(append(dst, ':'), seconds/60%60, 2)
	dst = appendPadded(append(dst, ':'), seconds%60, 2)
	if rest := millis % 1000; rest != 0 {
		dst = appendPadded(append(dst, '.'), rest, 3)
	}
	return dst
}

// appendPadded appends n with at least width digits.
func appendPadded(dst []byte, n int64, width int) []byte {
	floor := int64(1)
	for range width - 1 {
		floor *= 10
	}
	for ; n < floor && floor > 1; floor /= 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, n, 10)
}
