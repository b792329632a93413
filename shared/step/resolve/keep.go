package resolve

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping/recall"
)

// keeping stores what the values of a job's file stand for.
type keeping struct {
	step     *Step
	job      *job.Job
	settings entity.Settings
	recalled recall.Warnings
}

// keep keeps the values of a field, with what is known of them: entities that they name,
// and what people decided before. A one-shot import leaves the rest to processing.
func (k *keeping) keep(ctx context.Context, tx pgx.Tx, f *entity.Field, found map[string]*job.MappedCell) error {
	texts := slices.Sorted(maps.Keys(found))
	if f.Lookup != nil {
		if err := k.resolve(ctx, tx, f, texts, found); err != nil {
			return err
		}
	}
	mappings := make([]job.MappedCell, 0, len(texts))
	for _, text := range texts {
		if m := *found[text]; k.job.AsksForValues() || m.Confirmed {
			mappings = append(mappings, m)
		}
	}
	return k.step.store.AddCellMappings(ctx, tx, k.job, mappings)
}

// resolve looks for the entities that values of a field stand for.
func (k *keeping) resolve(ctx context.Context, tx pgx.Tx, f *entity.Field, texts []string, found map[string]*job.MappedCell) error {
	ids, err := f.Lookup.Resolve(ctx, tx, k.contextID(), texts)
	if err != nil {
		return err
	}
	decided, err := k.step.recall(ctx, tx, k.job.ImportType, f, k.contextID(), texts)
	if err != nil {
		return err
	}
	for _, text := range texts {
		m := found[text]
		id, known := ids[text]
		switch {
		case known:
			m.Status, m.EntityID = job.AutoMatched, strconv.FormatInt(id, 10)
		case f.Lookup.Adding(text, k.settings):
			m.Status, m.Create = job.AutoMatched, true
		}
		decided.apply(f.Lookup, k.settings, m, &k.recalled)
	}
	return nil
}

// contextID is what the file belongs to, or 0.
func (k *keeping) contextID() int64 {
	if k.job.ContextID == nil {
		return 0
	}
	return *k.job.ContextID
}
