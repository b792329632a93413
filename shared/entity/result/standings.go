package result

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// place identifies a result by its category and its sequence in it.
type place struct{ category, sequence int64 }

// standing is a result.
type standing struct {
	participant    int64
	position, time int64 // 0 for none
	status         string
}

// standingColumns are the columns that collectStandings reads.
const standingColumns = `category_id, sequence, participant_id, coalesce(position, 0), coalesce(time_ms, 0), status`

// loadStandings loads the results of an event.
func loadStandings(ctx context.Context, tx pgx.Tx, event int64) (map[place]standing, error) {
	rows, err := tx.Query(ctx, `SELECT `+standingColumns+` FROM results WHERE event_id = $1`, event)
	if err != nil {
		return nil, fmt.Errorf("load results of event %d: %w", event, err)
	}
	return collectStandings(rows, event)
}

// loadStandingsAt loads the results at some places of an event, and the results of participants in
// the categories of the places, one each. Each is looked up separately.
func loadStandingsAt(ctx context.Context, tx pgx.Tx, event int64, at []place, participants []int64) (map[place]standing, error) {
	categories, sequences := make([]int64, len(at)), make([]int64, len(at))
	for i, p := range at {
		categories[i], sequences[i] = p.category, p.sequence
	}
	rows, err := tx.Query(ctx, `
		SELECT r.*
		FROM unnest($2::int8[], $3::int8[]) AS v(category, seq)
		CROSS JOIN LATERAL (
			SELECT `+standingColumns+`
			FROM results
			WHERE organisation_id = current_organisation() AND event_id = $1 AND category_id = v.category AND sequence = v.seq
			LIMIT 1
		) AS r
		UNION
		SELECT r.*
		FROM unnest($2::int8[], $4::int8[]) AS v(category, participant)
		CROSS JOIN LATERAL (
			SELECT `+standingColumns+`
			FROM results
			WHERE organisation_id = current_organisation() AND event_id = $1 AND category_id = v.category AND participant_id = v.participant
			OFFSET 0
		) AS r`, event, categories, sequences, participants)
	if err != nil {
		return nil, fmt.Errorf("load results of event %d: %w", event, err)
	}
	return collectStandings(rows, event)
}

func collectStandings(rows pgx.Rows, event int64) (map[place]standing, error) {
	found := make(map[place]standing)
	var at place
	var s standing
	_, err := pgx.ForEachRow(rows, []any{&at.category, &at.sequence, &s.participant, &s.position, &s.time, &s.status}, func() error {
		found[at] = s
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("load results of event %d: %w", event, err)
	}
	return found, nil
}

// merge returns the result after applying a line: missing values of the line do not change it.
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
		// Lists are in the order of arrival; the position is in the file only if it differs, for
		// example when two participants arrive together.
		s.position = l.sequence
	}
	return s
}
