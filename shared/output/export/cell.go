package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/shared/entity"
)

// cellText returns a value in the format of CSV files and workbooks, in buf.
func cellText(buf []byte, f *entity.Field, value []byte) ([]byte, error) {
	switch {
	case value == nil:
		return buf, nil
	case f.Kind == entity.Timestamp:
		return append(buf, trimTimestamp(value)...), nil
	case f.Kind == entity.TextList:
		list, err := joinList(value)
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", f.Name, err)
		}
		return GuardFormula(buf, list), nil
	case isFreeText(f):
		return GuardFormula(buf, value), nil
	default:
		return append(buf, value...), nil
	}
}

// trimTimestamp returns an ISO time without trailing zeros in its fraction.
func trimTimestamp(value []byte) []byte {
	digits, ok := bytes.CutSuffix(value, []byte("Z"))
	if !ok || bytes.IndexByte(digits, '.') < 0 {
		return value
	}
	digits = bytes.TrimSuffix(bytes.TrimRight(digits, "0"), []byte("."))
	return append(bytes.Clone(digits), 'Z')
}

// listSeparators are the separators of list entries that are read: the first one is written.
const listSeparators = "|,;"

// joinList returns a JSON array of texts as one cell: its entries separated by |, or the
// array itself if that would be read as another list.
func joinList(value []byte) ([]byte, error) {
	var entries []string
	if err := json.Unmarshal(value, &entries); err != nil {
		return nil, fmt.Errorf("list: %w", err)
	}
	if len(entries) == 0 {
		return nil, nil
	}
	for i, e := range entries {
		if strings.ContainsAny(e, listSeparators) || e != strings.TrimSpace(e) || i == 0 && strings.HasPrefix(e, "[") {
			return value, nil
		}
	}
	return []byte(strings.Join(entries, listSeparators[:1])), nil
}
