package result

import (
	"context"
	"fmt"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"maps"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
)

// event is the event of a file, and the lines that can be written to it. It is loaded once for all
// parts that one invocation writes: loading it for each part would take quadratic time. The results
// of a category are loaded by each part that writes them.
type event struct {
	*preparedFile
	id         int64
	entries    *eventEntries
	categories map[string]entity.Candidate // by name in lower case
	rejected   map[int64]rowwrite.Error    // by row
	lists      map[int64]*list             // by category, with all accepted lines of the file
	shared     map[string]bool             // race numbers that several participants have
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
	e.classify()
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

// isCurrent reports whether the participants of the rows are still in the event under the same
// identifiers.
func (e *event) isCurrent(ctx context.Context, tx pgx.Tx, b *entity.Batch) (bool, error) {
	known := make(map[int64]string) // participant identifiers, by entry
	for i := range b.Len() {
		l := e.byRow[b.Row(i)]
		if _, refused := e.rejected[l.row]; !refused {
			known[e.entry(l).id] = l.participant
		}
	}
	return participantsUnchanged(ctx, tx, e.id, e.mode, known)
}
