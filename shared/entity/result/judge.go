package result

import (
	"fmt"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/problem"
)

// verdict is what becomes of a whole file in the event as it is. It is the same for
// each part of the file: what the parts before have written makes no difference.
type verdict struct {
	refused map[int64]entity.RowError // by row
	after   map[place]standing        // all results of the event
	winners map[int64]standing        // by category, of those with a time
	shared  map[string]bool           // race numbers that several participants have
}

// who is a participant in a category.
type who struct{ category, participant int64 }

// judge finds the rows that can be written, and what the event's results are then;
// before becomes that.
func (w *writing) judge(before map[place]standing) *verdict {
	v := &verdict{refused: make(map[int64]entity.RowError), after: before, winners: make(map[int64]standing)}
	accepted := make(map[place]*line, len(w.pass.lines))
	by := make(map[who]*line, len(w.pass.lines))
	for _, l := range w.pass.lines {
		if rowErr, bad := w.check(l); bad {
			v.refused[l.row] = rowErr
			continue
		}
		at := w.place(l)
		accepted[at], by[who{at.category, w.entry(l).id}] = l, l
	}
	v.refuseSecondPlaces(w, before, accepted, by)
	v.shared = w.sharedNumbers(accepted)
	for at, l := range accepted {
		v.after[at] = before[at].merge(l, w.entry(l).id)
	}
	for at, s := range v.after {
		best, ok := v.winners[at.category]
		if s.status == finished && s.time > 0 && (!ok || s.position < best.position || s.position == best.position && s.time < best.time) {
			v.winners[at.category] = s
		}
	}
	return v
}

// refuseSecondPlaces refuses lines whose participant has another place in the
// category already, which no line of the file gives to somebody else. Where a line
// is refused, the result in its place stays, and with it its participant.
func (v *verdict) refuseSecondPlaces(w *writing, before map[place]standing, accepted map[place]*line, by map[who]*line) {
	var stays []place
	for at := range before {
		if accepted[at] == nil {
			stays = append(stays, at)
		}
	}
	for len(stays) > 0 {
		at := stays[len(stays)-1]
		stays = stays[:len(stays)-1]
		l := by[who{at.category, before[at].participant}]
		if l == nil || accepted[w.place(l)] != l {
			continue
		}
		v.refused[l.row] = entity.RowError{
			Field: declaration.Fields[participant].Name, Code: problem.AlreadyExists, Value: entity.Shorten(l.participant),
			Message: fmt.Sprintf("The participant has sequence %d of this category already. Say in the same file who has that one instead.", at.sequence),
		}
		delete(accepted, w.place(l))
		if _, ok := before[w.place(l)]; ok {
			stays = append(stays, w.place(l))
		}
	}
}

// sharedNumbers are the race numbers that several participants have: in the file, or
// among the entries that the file gives no other number.
func (w *writing) sharedNumbers(accepted map[place]*line) map[string]bool {
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
			claimed[w.entry(l).id] = true
			hold(l.number, w.entry(l).id)
		}
	}
	shared := make(map[string]bool)
	for _, e := range w.entries.all {
		if holders[e.number] != nil && !claimed[e.id] {
			hold(e.number, e.id)
		}
	}
	for number, ids := range holders {
		if len(ids) > 1 {
			shared[number] = true
		}
	}
	return shared
}

func (w *writing) place(l *line) place {
	return place{category: w.categories[l.category].ID, sequence: l.sequence}
}

func (w *writing) entry(l *line) *entry { return w.entries.byKey[l.participant] }
