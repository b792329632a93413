package eventparticipant

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// warnMoved adds a warning to rows that move a participant to another category, if a result stays
// in one that is not theirs any more. A result is not moved with its participant: its place and
// points belong to the category in which it was achieved.
func (w *partWriter) warnMoved(ctx context.Context, tx pgx.Tx) error {
	rowOf := make(map[int64]int)
	entries, categories := entity.NewColumn(entity.Reference, 0), entity.NewColumn(entity.Reference, 0)
	for _, i := range w.acceptedRows() {
		p := w.file.recognised.byRow[w.Row(i)]
		if p != nil && p.category != w.categories[i].ID {
			rowOf[p.entryID] = i
			entries.AppendInt64(p.entryID)
			categories.AppendInt64(w.categories[i].ID)
		}
	}
	if len(rowOf) == 0 {
		return nil
	}
	err := entity.QueryByIndex(ctx, tx, `
		SELECT v.id, r.name
		FROM unnest($3::int8[], $4::int8[]) AS v(id, category)
		CROSS JOIN LATERAL (
			SELECT c.name
			FROM results AS r
			JOIN event_categories AS c ON c.organisation_id = $1 AND c.id = r.category_id
			WHERE r.organisation_id = $1 AND r.event_id = $2 AND r.participant_id = v.id AND r.category_id <> v.category
			ORDER BY r.category_id
			LIMIT 1
		) AS r`,
		[]entity.Param{entity.Int64Param(w.Organisation), entity.Int64Param(w.Context), entity.ArrayParam(&entries), entity.ArrayParam(&categories)},
		func(v [][]byte) error {
			i := rowOf[entity.Int64(v[0])]
			w.Results[i].Errors = append(w.Results[i].Errors, rowwrite.Error{
				Field: declaration.Fields[categoryName].Name, Code: problem.ResultElsewhere, Value: entity.Shorten(w.Columns[categoryName].String(i)),
				Message: fmt.Sprintf("The participant moves to this category, but keeps a result in %s. To remove it, import the results of that category with complete=true.", entity.Shorten(string(v[1]))),
			})
			return nil
		})
	if err != nil {
		return fmt.Errorf("look up results of moved participants: %w", err)
	}
	return nil
}
