package resolve

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
)

// valueMatcher stores what the values of a job's file stand for.
type valueMatcher struct {
	step     *Step
	job      *job.Job
	settings entity.Settings
	mappings []valueMapping
	notes    *decisionNotes
}

// matchField keeps the values of a field, with what is known of them: entities that they name,
// and what mappings say. A one-shot import leaves the rest to processing.
func (k *valueMatcher) matchField(ctx context.Context, tx pgx.Tx, f *entity.Field, found map[string]*job.MappedCell) error {
	texts := slices.Sorted(maps.Keys(found))
	if f.Lookup != nil {
		if err := k.resolve(ctx, tx, f, texts, found); err != nil {
			return err
		}
	}
	if err := k.applyDecisions(ctx, tx, f, texts, found); err != nil {
		return err
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
func (k *valueMatcher) resolve(ctx context.Context, tx pgx.Tx, f *entity.Field, texts []string, found map[string]*job.MappedCell) error {
	ids, err := entity.Resolve(ctx, tx, f.Lookup, k.contextID(), texts)
	if err != nil {
		return err
	}
	for _, text := range texts {
		m := found[text]
		id, known := ids[text]
		switch {
		case known:
			m.Status, m.EntityID = job.AutoMatched, strconv.FormatInt(id, 10)
		case f.Lookup.AddsValue(text, k.settings):
			m.Status, m.Create = job.AutoMatched, true
		}
	}
	return nil
}

// applyDecisions makes values of a field what mappings say of them, whatever they were found to be;
// and then what stands for nothing what those say of the rest.
func (k *valueMatcher) applyDecisions(ctx context.Context, tx pgx.Tx, f *entity.Field, texts []string, found map[string]*job.MappedCell) error {
	if !hasDecisions(k.mappings, f.Name) {
		return nil
	}
	r := &targetResolver{field: f, settings: k.settings, contextID: k.contextID()}
	said := make([]fieldDecisions, len(k.mappings))
	for i, s := range k.mappings {
		said[i] = s.decisionsFor(f.Name)
	}
	if err := r.preload(ctx, tx, said); err != nil {
		return err
	}
	for _, text := range texts {
		if err := k.applyDecision(ctx, tx, r, said, found[text]); err != nil {
			return err
		}
	}
	return nil
}

// applyDecision makes a value what the first mapping says that says something of it.
func (k *valueMatcher) applyDecision(ctx context.Context, tx pgx.Tx, r *targetResolver, said []fieldDecisions, m *job.MappedCell) error {
	for i := range said {
		if target, is := said[i].lookup(m.Value); is {
			why, err := r.assign(ctx, tx, m, target)
			switch {
			case err != nil:
				return err
			case why == "":
				k.notes.addDecided(said[i].valueMapping, m)
			default:
				// What it was found to be instead is not what was wanted.
				m.SetTarget(job.Unresolved, job.MappedCell{})
				k.notes.addMisfit(said[i].valueMapping, m, why)
			}
			return nil
		}
	}
	for i := range said {
		if said[i].fallback == nil || m.Status != job.Unresolved {
			continue
		}
		why, err := r.assign(ctx, tx, m, *said[i].fallback)
		if err != nil {
			return err
		}
		if why != "" {
			k.notes.addMisfit(said[i].valueMapping, m, why)
			continue
		}
		k.notes.addDecided(said[i].valueMapping, m)
	}
	return nil
}

// contextID is what the file belongs to, or 0.
func (k *valueMatcher) contextID() int64 {
	if k.job.ContextID == nil {
		return 0
	}
	return *k.job.ContextID
}
