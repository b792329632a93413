package process

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
)

// bindReferences adds the ids of the matched entities to the batch, and creates the requested
// entities that do not exist yet. This is part of writing the rows, so a dry run or a failed
// chunk rolls these entities back, too. An entity is therefore created once, and only if a
// written row needs it.
func (s *Step) bindReferences(ctx context.Context, tx pgx.Tx, a *attempt) error {
	if len(a.texts) == 0 {
		return nil
	}
	columns := slices.Clone(a.batch.Columns)
	// Concurrent creators use the same order: by field, then by name.
	for _, field := range slices.Sorted(maps.Keys(a.texts)) {
		if err := s.createMissing(ctx, tx, a, field); err != nil {
			return err
		}
		columns[field] = a.referenceIDs(field)
	}
	bound := *a.batch
	bound.Columns = columns
	a.batch = &bound
	return nil
}

// createMissing creates the entities of a field that rows of the batch need.
func (s *Step) createMissing(ctx context.Context, tx pgx.Tx, a *attempt, field int) error {
	var values []string
	for value := range distinctTexts(a.texts[field]) {
		if a.references[field][value].resolution == toCreate {
			values = append(values, value)
		}
	}
	if len(values) == 0 {
		return nil
	}
	slices.Sort(values)
	def := &a.plan.Declaration.Fields[field]
	names := make([]string, len(values))
	for i, value := range values {
		names[i] = a.decisions.spelling(def.Name, value)
	}
	ids, err := entity.FindOrCreate(ctx, tx, def.Lookup, a.job.OrganisationID, a.batch.Context, names)
	if err != nil {
		return err
	}
	for i, value := range values {
		a.references[field][value] = reference{resolution: resolved, id: ids[i]}
	}
	return s.store.SaveCreatedEntities(ctx, tx, a.job, def.Name, values, ids)
}

// referenceIDs returns the matched ids of a field, one per row of the batch.
func (a *attempt) referenceIDs(field int) entity.Column {
	texts := a.texts[field]
	ids := entity.NewColumn(entity.Reference, texts.Len())
	for i := range texts.Len() {
		text := texts.String(i)
		if ref := a.references[field][text]; text != "" && ref.resolution != setEmpty {
			ids.AppendInt64(ref.id)
		} else {
			ids.AppendNull()
		}
	}
	return ids
}
