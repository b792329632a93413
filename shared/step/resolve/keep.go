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

// keeping stores what the values of a job's file stand for.
type keeping struct {
	step     *Step
	job      *job.Job
	settings entity.Settings
	sources  []source
	notes    *notes
}

// keep keeps the values of a field, with what is known of them: entities that they name,
// and what mappings say. A one-shot import leaves the rest to processing.
func (k *keeping) keep(ctx context.Context, tx pgx.Tx, f *entity.Field, found map[string]*job.MappedCell) error {
	texts := slices.Sorted(maps.Keys(found))
	if f.Lookup != nil {
		if err := k.resolve(ctx, tx, f, texts, found); err != nil {
			return err
		}
	}
	if err := k.heed(ctx, tx, f, texts, found); err != nil {
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
func (k *keeping) resolve(ctx context.Context, tx pgx.Tx, f *entity.Field, texts []string, found map[string]*job.MappedCell) error {
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
		case f.Lookup.Adding(text, k.settings):
			m.Status, m.Create = job.AutoMatched, true
		}
	}
	return nil
}

// heed makes values of a field what mappings say of them, whatever they were found to be;
// and then what stands for nothing what those say of the rest.
func (k *keeping) heed(ctx context.Context, tx pgx.Tx, f *entity.Field, texts []string, found map[string]*job.MappedCell) error {
	if !speaks(k.sources, f.Name) {
		return nil
	}
	r := &reach{field: f, settings: k.settings, contextID: k.contextID()}
	said := make([]answers, len(k.sources))
	for i, s := range k.sources {
		said[i] = s.answers(f.Name)
	}
	if err := r.know(ctx, tx, said); err != nil {
		return err
	}
	for _, text := range texts {
		if err := k.answer(ctx, tx, r, said, found[text]); err != nil {
			return err
		}
	}
	return nil
}

// answer makes a value what the first mapping says that says something of it.
func (k *keeping) answer(ctx context.Context, tx pgx.Tx, r *reach, said []answers, m *job.MappedCell) error {
	for i := range said {
		if target, is := said[i].of(m.Value); is {
			why, err := r.take(ctx, tx, m, target)
			switch {
			case err != nil:
				return err
			case why == "":
				k.notes.decide(said[i].source, m)
			default:
				// What it was found to be instead is not what was wanted.
				m.StandsFor(job.Unresolved, job.MappedCell{})
				k.notes.miss(said[i].source, m, why)
			}
			return nil
		}
	}
	for i := range said {
		if said[i].fallback == nil || m.Status != job.Unresolved {
			continue
		}
		why, err := r.take(ctx, tx, m, *said[i].fallback)
		if err != nil {
			return err
		}
		if why != "" {
			k.notes.miss(said[i].source, m, why)
			continue
		}
		k.notes.decide(said[i].source, m)
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
