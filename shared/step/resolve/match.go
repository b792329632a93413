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

// valueMatcher saves the matches of the values in a job's file.
type valueMatcher struct {
	step     *Step
	job      *job.Job
	settings entity.Settings
	mappings []valueMapping
	notes    *decisionNotes
}

// matchField saves the values of a field with their matches: entities with that name, and the
// decisions of mappings. A one-shot import leaves the rest to processing.
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

// resolve finds the entities that match values of a field.
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

// applyDecisions applies the decisions of mappings to values of a field, with precedence over
// matches; unmatched values get the default of the mappings.
func (k *valueMatcher) applyDecisions(ctx context.Context, tx pgx.Tx, f *entity.Field, texts []string, found map[string]*job.MappedCell) error {
	if !hasDecisions(k.mappings, f.Name) {
		return nil
	}
	r := &targetResolver{field: f, settings: k.settings, contextID: k.contextID()}
	decisions := make([]fieldDecisions, len(k.mappings))
	for i, s := range k.mappings {
		decisions[i] = s.decisionsFor(f.Name)
	}
	if err := r.preload(ctx, tx, decisions); err != nil {
		return err
	}
	for _, text := range texts {
		if err := k.applyDecision(ctx, tx, r, decisions, found[text]); err != nil {
			return err
		}
	}
	return nil
}

// applyDecision applies the first mapping that decides the value.
func (k *valueMatcher) applyDecision(ctx context.Context, tx pgx.Tx, r *targetResolver, decisions []fieldDecisions, m *job.MappedCell) error {
	for i := range decisions {
		if target, is := decisions[i].lookup(m.Value); is {
			why, err := r.assign(ctx, tx, m, target)
			switch {
			case err != nil:
				return err
			case why == "":
				k.notes.addDecided(decisions[i].valueMapping, m)
			default:
				// A match by name must not replace the intended target.
				m.SetTarget(job.Unresolved, job.MappedCell{})
				k.notes.addMisfit(decisions[i].valueMapping, m, why)
			}
			return nil
		}
	}
	for i := range decisions {
		if decisions[i].fallback == nil || m.Status != job.Unresolved {
			continue
		}
		why, err := r.assign(ctx, tx, m, *decisions[i].fallback)
		if err != nil {
			return err
		}
		if why != "" {
			k.notes.addMisfit(decisions[i].valueMapping, m, why)
			continue
		}
		k.notes.addDecided(decisions[i].valueMapping, m)
	}
	return nil
}

// contextID returns the id of the context that the file belongs to, or 0.
func (k *valueMatcher) contextID() int64 {
	if k.job.ContextID == nil {
		return 0
	}
	return *k.job.ContextID
}
