package result

import (
	"fmt"
	"maps"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/problem"
)

// fileClassification is the outcome of a whole file for the current state of the event. It is
// the same for each part of the file, regardless of what earlier parts have written.
type fileClassification struct {
	rejected map[int64]entity.RowError // by row
	after    map[place]standing        // all results of the event after the file
	winners  map[int64]standing        // by category, of the results with a time
	shared   map[string]bool           // race numbers that several participants have
}

// categoryParticipant is a participant in a category.
type categoryParticipant struct{ category, participant int64 }

// classify determines the rows that can be written, and the results of the event after that.
func (e *event) classify() *fileClassification {
	v := &fileClassification{rejected: make(map[int64]entity.RowError), after: maps.Clone(e.before), winners: make(map[int64]standing)}
	accepted := make(map[place]*line, len(e.lines))
	by := make(map[categoryParticipant]*line, len(e.lines))
	for _, l := range e.lines {
		if rowErr, bad := e.checkLine(l); bad {
			v.rejected[l.row] = rowErr
			continue
		}
		at := e.place(l)
		accepted[at], by[categoryParticipant{at.category, e.entry(l).id}] = l, l
	}
	v.rejectSecondPlaces(e, accepted, by)
	v.shared = e.sharedNumbers(accepted)
	for at, l := range accepted {
		v.after[at] = e.before[at].merge(l, e.entry(l).id)
	}
	for at, s := range v.after {
		best, ok := v.winners[at.category]
		if s.status == finished && s.time > 0 && (!ok || s.position < best.position || s.position == best.position && s.time < best.time) {
			v.winners[at.category] = s
		}
	}
	return v
}

// rejectSecondPlaces rejects lines whose participant already has another place in the category,
// unless a line of the file assigns that place to another participant. If a line is rejected, the
// result in its place stays, and so does its participant.
func (v *fileClassification) rejectSecondPlaces(e *event, accepted map[place]*line, by map[categoryParticipant]*line) {
	var stays []place
	for at := range e.before {
		if accepted[at] == nil {
			stays = append(stays, at)
		}
	}
	for len(stays) > 0 {
		at := stays[len(stays)-1]
		stays = stays[:len(stays)-1]
		l := by[categoryParticipant{at.category, e.before[at].participant}]
		if l == nil || accepted[e.place(l)] != l {
			continue
		}
		v.rejected[l.row] = entity.RowError{
			Field: declaration.Fields[participant].Name, Code: problem.AlreadyExists, Value: entity.Shorten(l.participant),
			Message: fmt.Sprintf("The participant already has sequence %d of this category. Assign that sequence in the same file.", at.sequence),
		}
		delete(accepted, e.place(l))
		if _, ok := e.before[e.place(l)]; ok {
			stays = append(stays, e.place(l))
		}
	}
}

// sharedNumbers returns the race numbers that several participants have: in the file, or among
// the entries with numbers that the file does not change.
func (e *event) sharedNumbers(accepted map[place]*line) map[string]bool {
	claimed := make(map[int64]bool)
	holders := make(map[string]map[int64]bool)
	hold := func(number string, id int64) {
		if holders[number] == nil {
			holders[number] = make(map[int64]bool, 1)
		}
		holders[number][id] = true
	}
	for _, l := range accepted {
		if l.number != "" {
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

func (e *event) place(l *line) place {
	return place{category: e.categories[l.category].ID, sequence: l.sequence}
}

func (e *event) entry(l *line) *participantEntry { return e.entries.byKey[l.participant] }
