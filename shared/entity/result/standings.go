package result

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// place is where a result stands: by it, a result is known.
type place struct{ category, sequence int64 }

// standing is a result.
type standing struct {
	participant    int64
	position, time int64 // 0 for none
	status         string
}

// readStandings reads the results that an event has.
func readStandings(ctx context.Context, tx pgx.Tx, event int64) (map[place]standing, error) {
	rows, err := tx.Query(ctx, `
		SELECT category_id, sequence, participant_id, coalesce(position, 0), coalesce(time_ms, 0), status
		FROM results
		WHERE event_id = $1`, event)
	if err != nil {
		return nil, fmt.Errorf("results of event %d: %w", event, err)
	}
	found := make(map[place]standing)
	var at place
	var s standing
	_, err = pgx.ForEachRow(rows, []any{&at.category, &at.sequence, &s.participant, &s.position, &s.time, &s.status}, func() error {
		found[at] = s
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("results of event %d: %w", event, err)
	}
	return found, nil
}

// merge is what a result becomes of a line: what the line does not say stays.
func (s standing) merge(l *line, participant int64) standing {
	s.participant = participant
	if l.time > 0 {
		s.time = l.time
	}
	if l.status != "" {
		s.status = l.status
	}
	if s.status == "" {
		s.status = finished
	}
	switch {
	case s.status != finished:
		s.position = 0
	case l.position > 0:
		s.position = l.position
	case s.position == 0:
		// Lists are in the order of arrival; a position is only written where it
		// is another, as when two arrive together.
		s.position = l.sequence
	}
	return s
}
