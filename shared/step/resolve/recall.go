package resolve

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/mapping/recall"
)

// Memory keeps what people decided before.
type Memory interface {
	RecallCells(ctx context.Context, tx pgx.Tx, importType, field string, keys []string) ([]job.CellDecision, error)
	RecallsCells(ctx context.Context, tx pgx.Tx, importType string) (bool, error)
}

// decisions are what people decided about values of a field before, by the
// values' keys.
type decisions map[string]job.CellDecision

// recall returns the decisions that still hold: those about entities that are
// gone do not.
func (s *Step) recall(ctx context.Context, tx pgx.Tx, importType string, f *entity.Field, contextID int64, texts []string) (decisions, error) {
	remembered, err := s.store.RecallCells(ctx, tx, importType, f.Name, recall.ValueKeys(texts))
	if err != nil || len(remembered) == 0 {
		return nil, err
	}
	candidates, err := f.Lookup.List(ctx, tx, contextID)
	if err != nil {
		return nil, err
	}
	exists := make(map[string]bool, len(candidates))
	for _, c := range candidates {
		exists[strconv.FormatInt(c.ID, 10)] = true
	}
	decided := make(decisions, len(remembered))
	for _, d := range remembered {
		if d.EntityID == "" || exists[d.EntityID] {
			decided[d.Key] = d
		}
	}
	return decided, nil
}

// apply makes a value what a person decided that it is, unless it is an entity's
// name or code by itself: what the file says stands before what was decided about
// another one. It notes what it has applied.
func (d decisions) apply(l *entity.Lookup, s entity.Settings, m *job.MappedCell, recalled *recall.Warnings) {
	decision, ok := d[mapping.ValueKey(m.Value)]
	if !ok || m.EntityID != "" || decision.Create && !l.CanCreateIn(m.Value, s) {
		return
	}
	m.Status, m.EntityID, m.Create, m.Confirmed = job.ManualMatched, decision.EntityID, decision.Create, true
	if decision.EntityID == "" && !decision.Create {
		m.Status = job.Ignored
	}
	recalled.Cell(m.Value, &decision)
}
