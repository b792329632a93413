package entity

import (
	"encoding/binary"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

// maxDisplay is the maximum number of characters of a value in an error.
const maxDisplay = 200

// Display returns value i as text for people, shortened.
func (c *Column) Display(i int) string {
	v, ok := c.Bytes(i)
	if !ok {
		return ""
	}
	switch c.kind {
	case UUID:
		return uuid.UUID(v).String()
	case Integer, Reference:
		return strconv.FormatInt(Int64(v), 10)
	case Boolean:
		return strconv.FormatBool(v[0] == 1)
	case Date:
		return DisplayDate(v)
	case Timestamp:
		return time.UnixMicro(epoch.UnixMicro() + Int64(v)).UTC().Format(time.RFC3339Nano)
	default:
		return Shorten(string(v))
	}
}

var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// DisplayDate returns a date in Postgres's binary format as text.
func DisplayDate(v []byte) string {
	return epoch.AddDate(0, 0, int(int32(binary.BigEndian.Uint32(v)))).Format(time.DateOnly)
}

// Shorten truncates a value to the length that row errors allow.
func Shorten(s string) string {
	if len(s) <= maxDisplay && utf8.ValidString(s) {
		return s // the usual case
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	if utf8.RuneCountInString(s) <= maxDisplay {
		return s
	}
	return string([]rune(s)[:maxDisplay]) + "…"
}
