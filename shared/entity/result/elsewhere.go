package result

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
)

// countElsewhere counts the participants of each category who also have a result in a category that
// the file does not contain. They may take part in both, or have moved: then the other result is
// wrong, and nothing else would tell.
func (w *partWriter) countElsewhere(ctx context.Context, tx pgx.Tx, parts []*categoryPart) error {
	participants, listed := entity.NewColumn(entity.Reference, w.Len()), entity.NewColumn(entity.Reference, len(w.lists))
	for _, part := range parts {
		for id := range part.lines {
			participants.AppendInt64(id)
		}
	}
	for id := range w.lists {
		listed.AppendInt64(id)
	}
	elsewhere := make(map[int64]bool)
	err := entity.QueryByIndex(ctx, tx, `
		SELECT v.id
		FROM unnest($2::int8[]) AS v(id)
		CROSS JOIN LATERAL (
			SELECT FROM results AS r
			WHERE r.organisation_id = current_organisation() AND r.event_id = $1 AND r.participant_id = v.id AND r.category_id <> ALL ($3::int8[])
			LIMIT 1 -- not a join, for which the planner may read the whole event
		) AS r`, []entity.Param{entity.Int64Param(w.id), entity.ArrayParam(&participants), entity.ArrayParam(&listed)}, func(v [][]byte) error {
		elsewhere[entity.Int64(v[0])] = true
		return nil
	})
	if err != nil {
		return fmt.Errorf("look up results in other categories: %w", err)
	}
	for _, part := range parts {
		for id := range part.lines {
			if elsewhere[id] {
				w.report.categoryFor(part.name).Elsewhere++
			}
		}
	}
	return nil
}
