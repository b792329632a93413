package postgres

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/loadbay/loadbay/shared/problem"
)

// listOrder is the order of a list. Its last key is unique, so that a page can begin after an entry.
type listOrder []sortKey

// sortKey is an expression by which a list is sorted.
type sortKey struct {
	column     string
	descending bool
	value      string              // SQL of the value in an entry, from the texts of its cursor: %[1]d is the first parameter
	valid      []func(string) bool // of the texts
}

func (k sortKey) desc() sortKey {
	k.descending = true
	return k
}

func intKey(column string) sortKey {
	return sortKey{column: column, value: `$%[1]d::bigint`, valid: []func(string) bool{isInteger}}
}

func boolKey(column string) sortKey {
	return sortKey{column: column, value: `$%[1]d::boolean`, valid: []func(string) bool{isBool}}
}

func timeKey(column string) sortKey {
	return sortKey{column: column, value: `$%[1]d::timestamptz`, valid: []func(string) bool{isTime}}
}

func dateKey(column string) sortKey {
	return sortKey{column: column, value: `coalesce(nullif($%[1]d, ''), '-infinity')::date`, valid: []func(string) bool{isDateOrEmpty}}
}

func uuidKey(column string) sortKey {
	return sortKey{column: column, value: `$%[1]d::uuid`, valid: []func(string) bool{isUUID}}
}

// textKey is a key with the SQL of its value, such as lower($%[1]d).
func textKey(column, value string) sortKey {
	return sortKey{column: column, value: value, valid: []func(string) bool{func(string) bool { return true }}}
}

// createdKey is the id of a table that assigns ids in the order of creation. Ids come from a sequence
// that organisations share, so the cursor has the uuid and, in case the entry is deleted by then, the
// time of its creation.
func createdKey(table string, descending bool) sortKey {
	next := "a.id"
	if descending {
		next = "a.id + 1" // the entry that is found is older and not listed yet
	}
	return sortKey{
		column: "id", descending: descending,
		value: `coalesce((SELECT a.id FROM ` + table + ` AS a WHERE a.uuid = $%[1]d::uuid),
			(SELECT ` + next + ` FROM ` + table + ` AS a WHERE a.created_at <= $%[2]d::timestamptz ORDER BY a.id DESC LIMIT 1), 0)`,
		valid: []func(string) bool{isUUID, isTime},
	}
}

func createdCursor[ID ~string](id ID, created time.Time) []string {
	return []string{string(id), timeCursor(created)}
}

func timeCursor(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

func intCursor[N ~int | ~int64](n N) string { return strconv.FormatInt(int64(n), 10) }

// clause returns the ORDER BY clause.
func (o listOrder) clause() string {
	texts := make([]string, len(o))
	for i, k := range o {
		if texts[i] = k.column; k.descending {
			texts[i] += " DESC"
		}
	}
	return ` ORDER BY ` + strings.Join(texts, ", ")
}

// addAfter adds the condition that an entry follows the one with the texts of a cursor; none without
// texts. The error names the parameter cursor.
func (c *conditions) addAfter(o listOrder, cursor []string) error {
	if len(cursor) == 0 {
		return nil
	}
	values := make([]string, len(o))
	for i, k := range o {
		if len(cursor) < len(k.valid) {
			return errCursor()
		}
		numbers := make([]any, len(k.valid))
		for n, valid := range k.valid {
			if !valid(cursor[n]) {
				return errCursor()
			}
			c.args = append(c.args, cursor[n])
			numbers[n] = len(c.args)
		}
		values[i], cursor = fmt.Sprintf(k.value, numbers...), cursor[len(k.valid):]
	}
	if len(cursor) > 0 {
		return errCursor()
	}
	c.texts = append(c.texts, o.follows(values))
	return nil
}

// follows returns the condition that an entry follows the one with these values.
func (o listOrder) follows(values []string) string {
	last := len(o) - 1
	text := o[last].column + o[last].follow() + values[last]
	for i := last - 1; i >= 0; i-- {
		k := o[i]
		text = fmt.Sprintf(`%[1]s%[2]s= %[3]s AND (%[1]s%[2]s %[3]s OR %[4]s)`, k.column, k.follow(), values[i], text)
	}
	return text
}

func (k sortKey) follow() string {
	if k.descending {
		return " <"
	}
	return " >"
}

func errCursor() error {
	return problem.New(problem.ParameterInvalid, "This cursor does not belong to the list.").
		With("cursor", problem.ParameterInvalid, "A cursor from the Link header of this list, with the same sort.")
}

func isInteger(text string) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil
}

func isBool(text string) bool { return text == "true" || text == "false" }

func isUUID(text string) bool { return len(text) == 36 && uuid.Validate(text) == nil }

func isTime(text string) bool {
	t, err := time.Parse(time.RFC3339Nano, text)
	return err == nil && t.Year() > 0
}

func isDateOrEmpty(text string) bool {
	t, err := time.Parse(time.DateOnly, text)
	return text == "" || err == nil && t.Year() > 0
}
