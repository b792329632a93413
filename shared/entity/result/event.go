package result

import (
	"context"
	"fmt"
	"maps"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
)

// event is the event of a file as it was read, and what becomes of the file in it. It is
// read once for the parts that one invocation writes: to read the event and to judge the
// file for each part would take time that grows with the square of both.
type event struct {
	*preparedFile
	id             int64
	entries        *eventEntries
	categories     map[string]entity.Candidate // by name in lower case
	before         map[place]standing          // the results that the event had
	classification *fileClassification
}

// loadEvent is the event that a part is written to. It is read again where something that
// the part builds on has changed.
func (p *preparedFile) loadEvent(ctx context.Context, tx pgx.Tx, b *entity.Batch) (*event, error) {
	categories, err := loadCategories(ctx, tx, b.Context)
	if err != nil {
		return nil, err
	}
	if p.event != nil && maps.EqualFunc(p.event.categories, categories, func(x, y entity.Candidate) bool { return x.ID == y.ID }) {
		if same, err := p.event.isCurrent(ctx, tx, b); err != nil || same {
			return p.event, err
		}
	}
	e := &event{preparedFile: p, id: b.Context, categories: categories}
	if e.entries, err = loadEntries(ctx, tx, e.id, p.mode); err != nil {
		return nil, err
	}
	if e.before, err = loadStandings(ctx, tx, e.id); err != nil {
		return nil, err
	}
	e.classification = e.classify()
	p.event = e
	return e, nil
}

func loadCategories(ctx context.Context, tx pgx.Tx, event int64) (map[string]entity.Candidate, error) {
	found, err := entity.CandidatesByName(ctx, tx, `SELECT id, name FROM event_categories WHERE event_id = $1`, event)
	if err != nil {
		return nil, fmt.Errorf("categories of event %d: %w", event, err)
	}
	return found, nil
}

// isCurrent reports whether the event is still what it was, as far as rows build on it: their
// participants are in it, and neither they nor the rows' places have results of others'
// than this file's.
func (e *event) isCurrent(ctx context.Context, tx pgx.Tx, b *entity.Batch) (bool, error) {
	var at []place
	var participants []int64        // whom the places are given to
	known := make(map[int64]string) // what participants are called, by entry
	for i := range b.Len() {
		l := e.byRow[b.Row(i)]
		if _, refused := e.classification.rejected[l.row]; !refused {
			at, participants = append(at, e.place(l)), append(participants, e.entry(l).id)
			known[e.entry(l).id] = l.participant
		}
	}
	there, err := participantsUnchanged(ctx, tx, e.id, e.mode, known)
	if err != nil || !there {
		return false, err
	}
	found, err := loadStandingsAt(ctx, tx, e.id, at, participants)
	if err != nil {
		return false, err
	}
	for _, p := range at {
		if _, had := e.before[p]; had && found[p] == (standing{}) {
			return false, nil
		}
	}
	for p, s := range found {
		if s != e.before[p] && s != e.classification.after[p] {
			return false, nil
		}
	}
	return true, nil
}
