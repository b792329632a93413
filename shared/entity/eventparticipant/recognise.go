package eventparticipant

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// participant is a person who was entered in the event before the file.
type participant struct {
	identity

	personID          int64
	key               string
	entryID, category int64 // 0 for persons who are not in the event
	isChosen          bool  // somebody chose the person for a row
}

// recognition holds which participants the rows of a file are about.
type recognition struct {
	byRow map[int64]*participant
	// similar holds, for rows about nobody who is recognised, a participant who may be the same
	// person.
	similar map[int64]*participant
	// taken holds the row of each person of the event, 0 for none: no other row may be about them.
	taken map[int64]int64
	// rejected holds the errors of rows that decisions about people exclude.
	rejected map[int64]rowwrite.Error
}

// maxShared is the maximum number of rows of a file that are compared because they share a value:
// what more rows share identifies nobody.
const maxShared = 100

// rowIndex finds the rows of a file that have something in common with a person.
type rowIndex struct {
	rows   []indexedRow
	values map[string][]int // indexes of rows
	chosen map[int64]int    // indexes of rows by the person that somebody chose for them
	isNew  map[int64]bool   // rows that are about nobody who is known, by decision
}

type indexedRow struct {
	identity

	row      int64
	isChosen bool // somebody chose a person for the row
}

func newRowIndex(capacity int) *rowIndex {
	return &rowIndex{rows: make([]indexedRow, 0, capacity), values: make(map[string][]int, 4*capacity), chosen: make(map[int64]int), isNew: make(map[int64]bool)}
}

func (x *rowIndex) add(row int64, who identity, decision entity.PersonDecision) {
	if decision.PersonID != 0 {
		x.chosen[decision.PersonID] = len(x.rows)
	}
	if decision.New {
		x.isNew[row] = true
	}
	for _, v := range sharedValues(&who) {
		if at := x.values[v]; len(at) < maxShared {
			x.values[v] = append(at, len(x.rows))
		}
	}
	x.rows = append(x.rows, indexedRow{identity: who, row: row, isChosen: decision.PersonID != 0})
}

// repeated returns the first row about the same person, or 0. Two addresses or identity numbers in
// one file are two people, even with the same name and birth date.
func (x *rowIndex) repeated(who *identity) int64 {
	for _, at := range x.find(who) {
		row := &x.rows[at]
		alike := row.sameName(who) && (same(who.email, row.email) || same(who.born, row.born))
		differ := conflict(who.number, row.number) || conflict(who.email, row.email) || conflict(who.born, row.born)
		if same(who.number, row.number) || alike && !differ {
			return row.row
		}
	}
	return 0
}

// find returns the indexes of rows that may be about the person, each once.
func (x *rowIndex) find(who *identity) []int {
	var found []int
	for _, v := range sharedValues(who) {
		found = append(found, x.values[v]...)
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// sharedValues returns what two people have in common if one may be the other.
func sharedValues(a *identity) []string {
	values := []string{"name|" + a.first + "|" + a.last}
	add := func(kind, value string, more ...string) {
		if value == "" {
			return
		}
		for _, m := range more {
			value += "|" + m
		}
		values = append(values, kind+"|"+value)
	}
	add("number", a.number)
	add("entry", a.entry)
	add("email", a.email)
	add("email last", a.email, a.last)
	add("email first", a.email, a.first)
	add("email name", a.email, a.first, a.last)
	add("born last", a.born, a.last)
	add("born first", a.born, a.first)
	add("born name", a.born, a.first, a.last)
	return values
}

// pair is a row and a participant who are the same person, unless others are so more.
type pair struct {
	row, rating int
	of          *participant
}

// recognise compares the rows with the participants of the event.
func (x *rowIndex) recognise(ctx context.Context, tx pgx.Tx, b *entity.Batch) (*recognition, error) {
	var pairs []pair
	var known []*participant
	similar := make(map[int][]*participant)
	chosen := make(map[int]*participant, len(x.chosen))
	err := eachParticipant(ctx, tx, b, func(p *participant) {
		at, met := x.chosen[p.personID]
		if met {
			chosen[at] = p
		}
		for _, at := range x.find(&p.identity) {
			switch row := &x.rows[at]; {
			case row.isChosen || x.isNew[row.row] && !row.equals(&p.identity): // decided, and not entered by an earlier part
				met = true
				continue
			case row.isSamePerson(&p.identity):
				rating := 2 * row.agreement(&p.identity)
				if row.equals(&p.identity) { // entered by an earlier import of the row
					rating++
				}
				pairs, met = append(pairs, pair{row: at, rating: rating, of: p}), true
			case row.mayBeSamePerson(&p.identity):
				met = true
			default:
				continue
			}
			if len(similar[at]) < maxShared {
				similar[at] = append(similar[at], p)
			}
		}
		if met {
			known = append(known, p)
		}
	})
	if err != nil {
		return nil, err
	}
	r := &recognition{
		byRow: make(map[int64]*participant), similar: make(map[int64]*participant), taken: make(map[int64]int64),
		rejected: make(map[int64]rowwrite.Error),
	}
	for _, p := range known {
		r.taken[p.personID] = 0
	}
	for at, p := range assign(pairs) {
		r.byRow[x.rows[at].row], r.taken[p.personID] = p, x.rows[at].row
	}
	if err := x.applyChoices(ctx, tx, b, chosen, r); err != nil {
		return nil, err
	}
	for at, found := range similar {
		row := &x.rows[at]
		// A relative with a row of their own needs no warning.
		i := slices.IndexFunc(found, func(p *participant) bool { return r.taken[p.personID] == 0 || row.sameName(&p.identity) })
		if i >= 0 && r.byRow[row.row] == nil {
			r.similar[row.row] = found[i]
		}
	}
	return r, nil
}

// assign returns the participants of the rows, beginning with the pairs that agree most. A row
// with two equally good participants, or one of two equally good rows, gets none: and neither does
// another row get those participants.
func assign(pairs []pair) map[int]*participant {
	slices.SortFunc(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(b.rating, a.rating), cmp.Compare(a.row, b.row), cmp.Compare(a.of.personID, b.of.personID))
	})
	assigned := make(map[int]*participant)
	rowDone, personDone := make(map[int]bool), make(map[int64]bool)
	for len(pairs) > 0 {
		end := slices.IndexFunc(pairs, func(p pair) bool { return p.rating != pairs[0].rating })
		if end < 0 {
			end = len(pairs)
		}
		open := slices.DeleteFunc(slices.Clone(pairs[:end]), func(p pair) bool { return rowDone[p.row] || personDone[p.of.personID] })
		ofRow, ofPerson := make(map[int]int), make(map[int64]int)
		for _, p := range open {
			ofRow[p.row]++
			ofPerson[p.of.personID]++
		}
		for _, p := range open {
			rowDone[p.row], personDone[p.of.personID] = true, true
			if ofRow[p.row] == 1 && ofPerson[p.of.personID] == 1 {
				assigned[p.row] = p.of
			}
		}
		pairs = pairs[end:]
	}
	return assigned
}

// eachParticipant calls each with every participant of the event. It looks each person up
// separately, as do all statements of rosters (docs/decisions/0036).
func eachParticipant(ctx context.Context, tx pgx.Tx, b *entity.Batch, each func(*participant)) error {
	_, err := entity.Query(ctx, tx, `
		SELECT p.id, p.identity_key, p.first_name, p.last_name, p.identity_number, p.email, p.birth_date, e.registration_number, e.id, e.category_id
		FROM event_participants AS e
		CROSS JOIN LATERAL (
			SELECT * FROM persons AS p WHERE p.organisation_id = $1 AND p.id = e.person_id LIMIT 1
		) AS p
		WHERE e.organisation_id = $1 AND e.event_id = $2`,
		[]entity.Param{entity.Int64Param(b.Organisation), entity.Int64Param(b.Context)}, func(v [][]byte) error {
			each(&participant{
				personID: entity.Int64(v[0]), key: string(v[1]), entryID: entity.Int64(v[8]), category: entity.Int64(v[9]),
				identity: newIdentity(entity.PersonName{First: string(v[2]), Last: string(v[3])}, string(v[4]), string(v[5]), string(v[7]), v[6]),
			})
			return nil
		})
	if err != nil {
		return fmt.Errorf("load participants of event %d: %w", b.Context, err)
	}
	return nil
}
