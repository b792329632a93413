package result

import (
	"context"
	"fmt"
	"maps"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
)

// event is the event of a file and the outcome of the file in it. It is loaded once for all parts
// that one invocation writes: loading the event and classifying the file for each part would
// take quadratic time.
type event struct {
	*preparedFile
	id             int64
	entries        *eventEntries
	categories     map[string]entity.Candidate // by name in lower case
	before         map[place]standing          // results of the event before the file
	classification *fileClassification
}

// loadEvent returns the event to which a part is written. It loads the event again if data on
// which the part depends has changed.
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
		return nil, fmt.Errorf("load categories of event %d: %w", event, err)
	}
	return found, nil
}

// isCurrent reports whether the event is unchanged as far as the rows depend on it: their
// participants are still in it, and neither the participants nor the places have results from
// other sources than this file.
func (e *event) isCurrent(ctx context.Context, tx pgx.Tx, b *entity.Batch) (bool, error) {
	var at []place
	var participants []int64        // participants of the places
	known := make(map[int64]string) // participant identifiers, by entry
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
