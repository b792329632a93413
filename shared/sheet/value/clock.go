package value

import "bytes"

// time parses the time after a date, if there is one.
func (p *dateParser) time() bool {
	if len(p.rest) == 0 {
		return true
	}
	p.skip(',')
	if !p.skip('T') && !p.skip('t') && !p.skip(' ') {
		return false
	}
	p.spaces()
	hour, n := p.number(2)
	if n == 0 || len(p.rest) == 0 {
		return false
	}
	sep := p.rest[0]
	if sep != ':' && sep != '.' && sep != 'h' || !p.skip(sep) {
		return false
	}
	minute, m := p.number(2)
	second := 0
	if p.skip(sep) {
		var k int
		if second, k = p.number(2); k != 2 {
			return false
		}
	}
	p.micros = p.fraction()
	if hour = p.amPM(hour); m != 2 || hour < 0 || hour > 23 || minute > 59 || second > 59 {
		return false
	}
	p.micros += int64(hour*3600+minute*60+second) * 1_000_000
	return p.zone()
}

// fraction parses the fraction of a second, rounded to microseconds.
func (p *dateParser) fraction() int64 {
	if len(p.rest) < 2 || p.rest[0] != '.' && p.rest[0] != ',' || p.rest[1] < '0' || p.rest[1] > '9' {
		return 0
	}
	p.rest = p.rest[1:]
	micros, n := p.number(6)
	for ; n < 6; n++ {
		micros *= 10
	}
	if next, n := p.number(1); n > 0 && next >= 5 {
		micros++
	}
	for n = 1; n > 0; {
		_, n = p.number(8)
	}
	return int64(micros)
}

// amPM applies AM or PM to the hour, if one follows; it returns a negative number if the hour does
// not allow it.
func (p *dateParser) amPM(hour int) int {
	start := p.rest
	p.spaces()
	if len(p.rest) < 2 || p.rest[1]|0x20 != 'm' || p.rest[0]|0x20 != 'a' && p.rest[0]|0x20 != 'p' {
		p.rest = start
		return hour
	}
	afternoon := p.rest[0]|0x20 == 'p'
	p.rest = p.rest[2:]
	switch {
	case hour < 1 || hour > 12:
		return -1
	case afternoon:
		return hour%12 + 12
	}
	return hour % 12
}

// zone parses a zone, if there is one, and converts the time to UTC.
func (p *dateParser) zone() bool {
	p.spaces()
	for _, utc := range []string{"Z", "UTC", "GMT"} {
		if len(p.rest) == len(utc) && bytes.EqualFold(p.rest, []byte(utc)) {
			p.rest, p.zoned = nil, true
			return true
		}
	}
	if len(p.rest) == 0 {
		return true
	}
	west := p.rest[0] == '-'
	if !west && p.rest[0] != '+' {
		return false
	}
	p.rest = p.rest[1:]
	hours, n := p.number(2)
	colon := p.skip(':')
	minutes, m := p.number(2)
	if n != 2 || m != 2 && (m != 0 || colon) || hours > 15 || minutes > 59 {
		return false
	}
	offset := int64(hours*60+minutes) * 60_000_000
	if west {
		offset = -offset
	}
	p.micros, p.zoned = p.micros-offset, true
	return true
}

func (p *dateParser) spaces() {
	for p.skip(' ') {
	}
}
