package result

import (
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// classify determines the rows that can be written, irrespective of stored results.
func (e *event) classify() {
	e.rejected, e.lists = make(map[int64]rowwrite.Error), make(map[int64]*list)
	for _, l := range e.lines {
		rowErr, bad := e.checkLine(l)
		if bad {
			e.rejected[l.row] = rowErr
		}
		category, ok := e.categories[l.category]
		if !ok {
			continue
		}
		c := e.lists[category.ID]
		if c == nil {
			c = &list{lines: make(map[int64]*line), named: make(map[int64]bool), accepted: make(map[int64]bool), hasStatus: e.hasStatus}
			e.lists[category.ID] = c
		}
		c.last = max(c.last, l.sequence)
		if of := e.entry(l); of != nil {
			if c.named[of.id] = true; !bad {
				c.accepted[of.id], c.lines[of.id] = true, l
			}
		}
	}
	for _, c := range e.lists {
		c.complete = e.complete && e.refused() == 0
	}
	e.shared = e.sharedNumbers()
}

// refused returns the number of rows that are not written. The participants of some of them are
// unknown, and may be those who seem to be missing from the file.
func (e *event) refused() int { return e.undecoded + len(e.rejected) }

// checkLine returns the reason why a line cannot be written.
func (e *event) checkLine(l *line) (rowwrite.Error, bool) {
	if _, ok := e.categories[l.category]; !ok {
		return rowwrite.Error{
			Field: declaration.Fields[categoryName].Name, Code: problem.CellUnresolved, Value: entity.Shorten(l.name),
			Message: "The event has no category with this name.",
		}, true
	}
	if rowErr, ok := e.rejectedRows[l.row]; ok {
		return rowErr, true
	}
	if e.entry(l) == nil {
		return rowwrite.Error{
			Field: declaration.Fields[participant].Name, Code: problem.CellUnresolved, Value: entity.Shorten(l.participant),
			Message: "The event does not have this participant.",
		}, true
	}
	return rowwrite.Error{}, false
}

// sharedNumbers returns the race numbers that several participants have: in the file, or among
// the entries with numbers that the file does not change.
func (e *event) sharedNumbers() map[string]bool {
	claimed := make(map[int64]bool)
	holders := make(map[string]map[int64]bool)
	hold := func(number string, id int64) {
		if holders[number] == nil {
			holders[number] = make(map[int64]bool, 1)
		}
		holders[number][id] = true
	}
	for _, l := range e.lines {
		if _, refused := e.rejected[l.row]; !refused && l.number != "" {
			claimed[e.entry(l).id] = true
			hold(l.number, e.entry(l).id)
		}
	}
	shared := make(map[string]bool)
	for _, other := range e.entries.all {
		if holders[other.number] != nil && !claimed[other.id] {
			hold(other.number, other.id)
		}
	}
	for number, ids := range holders {
		if len(ids) > 1 {
			shared[number] = true
		}
	}
	return shared
}

func (e *event) entry(l *line) *participantEntry { return e.entries.byKey[l.participant] }
