package declared

import (
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// target is a row of the table that rows of the batch write.
type target struct {
	id       string // "" for a new one
	identity []string
	rows     []int // in file order
	differs  string
	deleted  bool // it is marked as deleted and exists again
}

func (t *target) last() int { return t.rows[len(t.rows)-1] }

// claims follows, row by row, which target has which value of each key: the state of the table if
// each row were written before the next one is looked at.
type claims struct {
	*writer
	holders []map[string]match   // by key and token: the stored row that has the value
	owners  []map[string]*target // by key and token: the target that took the value last
	current []map[*target]string // by key and target: the value that it took last
	byID    map[string]*target
	targets []*target
}

// classify sets the results of rows that cannot be written, and returns the targets of the others, in
// the order of their first rows.
func (w *writer) classify() []*target {
	c := &claims{writer: w, byID: make(map[string]*target)}
	for range w.keys {
		c.holders = append(c.holders, make(map[string]match))
		c.owners = append(c.owners, make(map[string]*target))
		c.current = append(c.current, make(map[*target]string))
	}
	for k := range w.keys {
		for i, found := range w.found[k] {
			c.holders[k][w.tokens[k][i]] = found[0]
		}
	}
	for i := range w.b.Len() {
		if !w.excluded[i] {
			w.b.Results[i] = entity.Result{}
			c.addRow(i)
		}
	}
	return c.targets
}

// addRow finds the target of row i.
func (c *claims) addRow(i int) {
	by := c.firstKey(i)
	if by == len(c.keys) && len(c.keys) > 0 && c.b.Mode != rowwrite.Insert {
		c.reject(i, rowwrite.Error{Field: c.fieldName(c.keys[0].fields[0]), Code: problem.CellRequired, Message: "The row has no value that identifies an entry."})
		return
	}
	for k := range c.keys {
		if len(c.found[k][i]) > 1 {
			c.reject(i, c.ambiguous(k, i))
			return
		}
	}
	of := &target{}
	if by < len(c.keys) && c.b.Mode != rowwrite.Insert {
		if owner, ok := c.ownerOf(by, c.tokens[by][i], i); ok {
			of = owner
		}
	}
	if c.b.Mode == rowwrite.Update && of.id == "" {
		c.reject(i, rowwrite.Error{Field: c.fieldName(c.keys[by].fields[0]), Code: problem.EntityNotFound, Value: c.keyValue(by, i), Message: "No entry has this value. Correct it, or import in mode upsert to create the entry."})
		return
	}
	for k := range c.keys {
		if rowErr, taken := c.takenBy(k, i, of); taken {
			c.reject(i, rowErr)
			return
		}
	}
	if of.deleted && c.declaration.Deleted.Again == AgainError {
		c.reject(i, c.existsError(by, i, "This entry is marked as deleted."))
		return
	}
	c.claim(of, i)
}

// firstKey returns the first key of which row i has a value; len(keys) for none.
func (w *writer) firstKey(i int) int {
	for k := range w.keys {
		if w.tokens[k][i] != "" {
			return k
		}
	}
	return len(w.keys)
}

// ownerOf returns the target that has the value of a key before row i is written.
func (c *claims) ownerOf(k int, token string, i int) (*target, bool) {
	if of, ok := c.owners[k][token]; ok && c.current[k][of] == token {
		return of, true
	}
	stored, ok := c.holders[k][token]
	if !ok {
		return nil, false
	}
	of := c.byID[stored.id]
	if of == nil {
		of = &target{id: stored.id, identity: stored.identity, deleted: stored.deleted}
		if found := c.found[k][i]; len(found) > 0 {
			of.differs = found[0].differs
		}
	}
	if now, changed := c.current[k][of]; changed && now != token {
		return nil, false
	}
	return of, true
}

// takenBy returns the error of row i if its value of a key belongs to another row than of.
func (c *claims) takenBy(k, i int, of *target) (rowwrite.Error, bool) {
	token := c.tokens[k][i]
	if token == "" {
		return rowwrite.Error{}, false
	}
	owner, ok := c.ownerOf(k, token, i)
	switch {
	case !ok || owner == of || owner.id != "" && owner.id == of.id:
		return rowwrite.Error{}, false
	case len(owner.rows) > 0 && c.owners[k][token] == owner:
		return rowwrite.Error{
			Field: c.fieldName(c.keys[k].fields[0]), Code: problem.RowDuplicate, Value: c.keyValue(k, i),
			Message: fmt.Sprintf("Row %d of this file has the same value.", c.b.Row(owner.last())),
		}, true
	}
	return c.existsError(k, i, "Another entry already has this value."), true
}

// claim adds row i to a target.
func (c *claims) claim(of *target, i int) {
	if of.id != "" {
		c.byID[of.id] = of
	}
	for k := range c.keys {
		if token := c.tokens[k][i]; token != "" {
			c.owners[k][token], c.current[k][of] = of, token
		}
	}
	if len(of.rows) == 0 {
		c.targets = append(c.targets, of)
	} else {
		c.warn(of.last(), rowwrite.Error{Code: problem.RowSuperseded, Message: fmt.Sprintf("Row %d of this file overwrites the same entry.", c.b.Row(i))})
	}
	of.rows = append(of.rows, i)
}

func (w *writer) reject(i int, e rowwrite.Error) {
	w.b.Results[i].Outcome = rowwrite.Errored
	w.b.Results[i].Errors = append(w.b.Results[i].Errors, e)
}

func (w *writer) warn(i int, e rowwrite.Error) {
	w.b.Results[i].Errors = append(w.b.Results[i].Errors, e)
}

func (w *writer) existsError(k, i int, message string) rowwrite.Error {
	return rowwrite.Error{Field: w.fieldName(w.keys[k].fields[0]), Code: problem.AlreadyExists, Value: w.keyValue(k, i), Message: message}
}

// ambiguous is the error of a row with a key that several stored rows have.
func (w *writer) ambiguous(k, i int) rowwrite.Error {
	found := w.found[k][i]
	return rowwrite.Error{
		Field: w.fieldName(w.keys[k].fields[0]), Code: problem.KeyAmbiguous, Value: w.keyValue(k, i),
		Message: ambiguity(describeIdentity(found[0]), describeIdentity(found[1])),
	}
}

func ambiguity(first, second string) string {
	return fmt.Sprintf("Several entries have this value, among them %s and %s. Change one of them, or name another key in the type.", first, second)
}

func describeIdentity(m match) string { return entity.Shorten(strings.Join(m.identity, "/")) }

func (w *writer) fieldName(field int) string { return w.fields[field].declared.Name }

// keyValue returns the values of a key in row i for people.
func (w *writer) keyValue(k, i int) string {
	var values []string
	for _, at := range w.keys[k].fields {
		values = append(values, w.b.Columns[at].Display(i))
	}
	return strings.Join(values, " ")
}
