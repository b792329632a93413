package result

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
)

// standing is a result.
type standing struct {
	participant int64
	number      string // race number
	time        int64  // milliseconds; 0 for none
	status      string
	position    int64 // 0 for none
	written     bool  // whether a file contained the position; all others are computed
	points      string
	calculator  string // code of the calculator of the points; "" for none, and for results of versions that did not store it
}

// standings are the results of one category by sequence.
type standings map[int64]standing

// sequences returns the sequences in ascending order.
func (s standings) sequences() []int64 { return slices.Sorted(maps.Keys(s)) }

// lockStandings locks categories of an event against other imports of results, and loads their
// results. Positions and points depend on the whole category, so two imports that change it must
// not overlap.
func lockStandings(ctx context.Context, tx pgx.Tx, event int64, parts []*categoryPart) (map[int64]standings, error) {
	categories := make([]int64, len(parts))
	for i, part := range parts {
		categories[i] = part.id
	}
	slices.Sort(categories) // in one order, so that imports do not wait for each other in a circle
	found := make(map[int64]standings, len(categories))
	for _, category := range categories {
		s, err := lockCategory(ctx, tx, event, category)
		if err != nil {
			return nil, fmt.Errorf("load results of category %d: %w", category, err)
		}
		found[category] = s
	}
	return found, nil
}

func lockCategory(ctx context.Context, tx pgx.Tx, event, category int64) (standings, error) {
	_, err := tx.Exec(ctx, `SELECT FROM event_categories WHERE organisation_id = current_organisation() AND id = $1 FOR NO KEY UPDATE`, category)
	if err != nil {
		return nil, err
	}
	rows, err := tx.Query(ctx, `
		SELECT sequence, participant_id, coalesce(race_number, ''), coalesce(time_ms, 0), status, coalesce(position, 0),
			position IS NOT NULL AND coalesce(position_written, position <> sequence), coalesce(points::text, ''), coalesce(points_calculator, '')
		FROM results
		WHERE organisation_id = current_organisation() AND event_id = $1 AND category_id = $2`, event, category)
	if err != nil {
		return nil, err
	}
	found := make(standings)
	var sequence int64
	var s standing
	_, err = pgx.ForEachRow(rows, []any{&sequence, &s.participant, &s.number, &s.time, &s.status, &s.position, &s.written, &s.points, &s.calculator}, func() error {
		found[sequence] = s
		return nil
	})
	return found, err
}

// list is the part of a result list that concerns one category.
type list struct {
	lines     map[int64]*line // accepted lines by participant
	named     map[int64]bool  // participants of all lines of the file, including rejected ones and those of other parts
	accepted  map[int64]bool  // participants of all accepted lines of the file
	last      int64           // highest sequence in the file
	hasStatus bool            // whether the file has a status column
	complete  bool            // whether participants without a line lose their result
}

// listEffect tells what a list did to the results of participants that it does not name.
type listEffect struct {
	kept, removed int
	moved         map[int64]int64 // new sequences by the old ones, which lines assign to others
}

// apply returns the results after the list. A line takes what it leaves out from the participant's
// own earlier result. Other participants keep their results: if a line assigns their sequence to
// somebody else, they follow after the last one.
func (l *list) apply(before standings) (standings, listEffect) {
	after, earlier := make(standings, len(before)), make(map[int64]standing, len(l.lines))
	earlierAt := make(map[int64]int64, len(l.lines))
	var effect listEffect
	for _, sequence := range before.sequences() {
		s := before[sequence]
		_, listed := l.lines[s.participant]
		_, known := earlier[s.participant]
		switch {
		case listed && !known:
			earlier[s.participant], earlierAt[s.participant] = s, sequence
		case listed:
		case l.complete && !l.named[s.participant]:
			effect.removed++
		default:
			after[sequence] = s
			if !l.named[s.participant] {
				effect.kept++
			}
		}
	}
	var displaced []int64 // sequences
	for _, participant := range l.participants() {
		of := l.lines[participant]
		if _, held := after[of.sequence]; held {
			displaced = append(displaced, of.sequence)
		}
		after[of.sequence] = of.merge(participant, earlier[participant], earlierAt[participant], l.hasStatus)
	}
	effect.moved = l.moveToEnd(before, after, displaced)
	return after, effect
}

// moveToEnd adds the results at the displaced sequences of before after the last one of a category.
// It returns the new sequences of participants whom no later part of the file moves again.
func (l *list) moveToEnd(before, after standings, displaced []int64) map[int64]int64 {
	last, moved := l.last, make(map[int64]int64)
	for sequence := range after {
		last = max(last, sequence)
	}
	for _, sequence := range displaced {
		last++
		after[last] = before[sequence]
		if !l.accepted[before[sequence].participant] {
			moved[sequence] = last
		}
	}
	return moved
}

// participants returns the participants of the lines, by sequence.
func (l *list) participants() []int64 {
	return slices.SortedFunc(maps.Keys(l.lines), func(a, b int64) int { return cmp.Compare(l.lines[a].sequence, l.lines[b].sequence) })
}

// merge returns the result of a line. earlier is the participant's previous result in the category,
// at the sequence at; zero if there is none.
func (l *line) merge(participant int64, earlier standing, at int64, hasStatus bool) standing {
	s := standing{participant: participant, number: cmp.Or(l.number, earlier.number), time: cmp.Or(l.time, earlier.time)}
	switch {
	case l.status != "":
		s.status = l.status
	case hasStatus && l.time > 0:
		s.status = finished // the cell is blank on purpose: it revokes an earlier DNF
	default:
		s.status = cmp.Or(earlier.status, finished)
	}
	switch {
	case s.status != finished:
	case l.position > 0:
		s.position, s.written = l.position, true
	case earlier.written && at == l.sequence && earlier.time == s.time && earlier.status == s.status:
		s.position, s.written = earlier.position, true
	}
	return s
}

// rank computes the positions that no file contained: the number of the participant among those
// who finished. It returns that number for all of them, by sequence.
func (s standings) rank() map[int64]int64 {
	ranks := make(map[int64]int64, len(s))
	for _, sequence := range s.sequences() {
		r := s[sequence]
		if r.status != finished {
			r.position, r.written = 0, false
		} else {
			ranks[sequence] = int64(len(ranks)) + 1
			if !r.written {
				r.position = ranks[sequence]
			}
		}
		s[sequence] = r
	}
	return ranks
}

// keepComputed keeps computed positions that a list only repeats, so that the export of a category
// changes nothing when it is imported again.
func (s standings) keepComputed(before standings, ranks map[int64]int64) {
	for sequence, r := range s {
		if r.written && !before[sequence].written && r.position == ranks[sequence] {
			r.written = false
			if before[sequence].sameRace(r) {
				s[sequence] = r
			}
		}
	}
}

// sameRace reports whether two results are equal irrespective of points.
func (s standing) sameRace(other standing) bool {
	other.points, other.calculator = s.points, s.calculator
	return s == other
}
