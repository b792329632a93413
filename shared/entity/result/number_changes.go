package result

import (
	"context"
	"fmt"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
)

// The identifiers that the participant column can contain.
const (
	byEntry        = "epid"  // id of the entry in the event
	byRegistration = "regid" // registration number
	byPerson       = "pid"   // id of the person
)

// participantExprs are the SQL expressions that the participant column is compared with.
var participantExprs = map[string]string{byEntry: "id::text", byRegistration: "registration_number", byPerson: "person_id::text"}

// eventEntries holds the participants of an event.
type eventEntries struct {
	byKey    map[string]*participantEntry
	byNumber map[string]*participantEntry // by race number
	all      []*participantEntry
}

// participantEntry is one participant.
type participantEntry struct {
	id     int64
	number string
}

// loadEntries loads the participants of an event by the identifier that the file uses.
func loadEntries(ctx context.Context, tx pgx.Tx, event int64, mode string) (*eventEntries, error) {
	rows, err := tx.Query(ctx, `
		SELECT id, coalesce(race_number, ''), coalesce(`+participantExprs[mode]+`, '')
		FROM event_participants
		WHERE event_id = $1`, event)
	if err != nil {
		return nil, fmt.Errorf("load participants of event %d: %w", event, err)
	}
	found := &eventEntries{byKey: make(map[string]*participantEntry), byNumber: make(map[string]*participantEntry)}
	var e participantEntry
	var key string
	_, err = pgx.ForEachRow(rows, []any{&e.id, &e.number, &key}, func() error {
		one := e
		found.all = append(found.all, &one)
		if key != "" {
			found.byKey[key] = &one
		}
		if one.number != "" {
			found.byNumber[one.number] = &one
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("load participants of event %d: %w", event, err)
	}
	return found, nil
}

// participantsUnchanged reports whether the named entries are still in the event under the same
// identifiers.
func participantsUnchanged(ctx context.Context, tx pgx.Tx, event int64, mode string, named map[int64]string) (bool, error) {
	rows, err := tx.Query(ctx, `
		SELECT e.id, e.key
		FROM unnest($2::int8[]) AS v(id)
		CROSS JOIN LATERAL (
			SELECT id, coalesce(`+participantExprs[mode]+`, '') AS key
			FROM event_participants
			WHERE organisation_id = current_organisation() AND event_id = $1 AND id = v.id
			LIMIT 1
		) AS e`, event, slices.Collect(maps.Keys(named)))
	if err != nil {
		return false, fmt.Errorf("load participants of event %d: %w", event, err)
	}
	same := 0
	var id int64
	var key string
	_, err = pgx.ForEachRow(rows, []any{&id, &key}, func() error {
		if named[id] == key {
			same++
		}
		return nil
	})
	if err != nil {
		return false, fmt.Errorf("load participants of event %d: %w", event, err)
	}
	return same == len(named), nil
}

// The kinds of number changes.
const (
	simple   = "SIMPLE"   // no other entry has or claims the number
	conflict = "CONFLICT" // another entry has the number, or the file assigns several to the participant
)

// numberChange is a race number in the file that differs from the number of the entry.
type numberChange struct {
	RowNumber     int64  `json:"rowNumber"`
	ParticipantID int64  `json:"participantId"` // id of the entry
	From          string `json:"from"`          // "" if the entry has none
	To            string `json:"to"`
	Kind          string `json:"kind"`
	Applied       bool   `json:"applied"`
}

// maxListed is the maximum length of each list in the result of an import; the counts are exact.
const maxListed = 1000

// numberChanges holds the number changes of a file. Each part after the first receives them from
// the previous part; their size is bounded.
type numberChanges struct {
	Listed  []numberChange `json:"listed"` // the first maxListed changes
	Count   int            `json:"count"`
	Simple  int            `json:"simple"`
	Applied int            `json:"applied"`
	// Wanted has one bit for each claim of the file: whether it is a SIMPLE change.
	Wanted []byte `json:"wanted"`
}

// classifyNumberChanges finds and classifies the number changes of a file. Claims of rejected rows
// have no effect.
func classifyNumberChanges(claims []claim, known *eventEntries, rejected map[int64]rowwrite.Error) *numberChanges {
	claimants := make(map[string]map[int64]bool) // number → entries
	wanted := make(map[int64]map[string]bool)    // entry → numbers
	var found []int                              // indexes of claims
	for i, c := range claims {
		e, ok := known.byKey[c.participant]
		if _, refused := rejected[c.row]; refused || !ok {
			continue
		}
		if claimants[c.number] == nil {
			claimants[c.number] = make(map[int64]bool)
		}
		if wanted[e.id] == nil {
			wanted[e.id] = make(map[string]bool)
		}
		if e.number != c.number && !wanted[e.id][c.number] {
			found = append(found, i)
		}
		claimants[c.number][e.id], wanted[e.id][c.number] = true, true
	}
	all := &numberChanges{Count: len(found), Wanted: make([]byte, (len(claims)+7)/8)}
	for _, i := range found {
		c, e := claims[i], known.byKey[claims[i].participant]
		kind := conflict
		if known.byNumber[c.number] == nil && len(claimants[c.number]) == 1 && len(wanted[e.id]) == 1 {
			kind = simple
			all.Simple++
			all.Wanted[i/8] |= 1 << (i % 8)
		}
		if len(all.Listed) < maxListed {
			all.Listed = append(all.Listed, numberChange{RowNumber: c.row, ParticipantID: e.id, From: e.number, To: c.number, Kind: kind})
		}
	}
	return all
}

// isSimple reports whether a claim is a SIMPLE change.
func (n *numberChanges) isSimple(claim int) bool { return n.Wanted[claim/8]&(1<<(claim%8)) != 0 }

// markApplied records that the changes of rows have been applied.
func (n *numberChanges) markApplied(rows map[int64]bool) {
	n.Applied += len(rows)
	for i := range n.Listed {
		n.Listed[i].Applied = n.Listed[i].Applied || rows[n.Listed[i].RowNumber]
	}
}
