package process

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/rows"
)

// References stores the matches of texts in reference columns.
type References interface {
	// SimilarCellMappings returns the decisions about some values, and about values that differ from
	// them only in case. fields contains the field of each value.
	SimilarCellMappings(ctx context.Context, tx pgx.Tx, key job.Key, fields, values []string) ([]job.MappedCell, error)
	// AddCellMappings stores values about which a person is asked.
	AddCellMappings(ctx context.Context, tx pgx.Tx, j *job.Job, mappings []job.MappedCell) error
	// SaveCreatedEntities saves the entities that were created from a field's values.
	SaveCreatedEntities(ctx context.Context, tx pgx.Tx, j *job.Job, field string, values []string, ids []int64) error
}

// resolution is the result of resolving a text in a reference column.
type resolution uint8

const (
	resolved resolution = iota
	toCreate            // an entity is to be created from it, which does not exist yet
	setEmpty            // decided to mean no value
	ignored             // decided to skip the rows that contain it
	unresolved
)

type reference struct {
	resolution resolution
	id         int64
}

// resolve converts the texts of reference columns into ids. It looks up distinct texts only,
// first in the decisions, then with the import type. Rows with an unknown text leave the batch:
// skipped, deferred, or in error.
func (s *Step) resolve(ctx context.Context, tx pgx.Tx, a *attempt) error {
	if err := s.saveQuestions(ctx, tx, a, a.decoded.questions); err != nil {
		return err
	}
	if len(a.texts) == 0 || a.batch.Len() == 0 {
		return nil
	}
	if err := s.loadDecisions(ctx, tx, a); err != nil {
		return err
	}
	a.references = make(map[int]map[string]reference, len(a.texts))
	for field, texts := range a.texts {
		var err error
		if a.references[field], err = a.resolveColumn(ctx, tx, field, texts); err != nil {
			return err
		}
	}
	if err := s.saveQuestions(ctx, tx, a, a.unresolvedValues()); err != nil {
		return err
	}
	keep := make([]int, 0, a.batch.Len())
	for i := range a.batch.Len() {
		if a.checkReferences(i) {
			keep = append(keep, i)
		}
	}
	a.retain(keep)
	return nil
}

// retain removes all other rows from the batch.
func (a *attempt) retain(places []int) {
	if len(places) == a.batch.Len() {
		return
	}
	a.batch = a.batch.Pick(places)
	texts := make(map[int]*entity.Column, len(a.texts))
	for field, column := range a.texts {
		picked := column.Pick(places)
		texts[field] = &picked
	}
	a.texts = texts
}

// resolveColumn resolves each distinct text of a column.
func (a *attempt) resolveColumn(ctx context.Context, tx pgx.Tx, field int, texts *entity.Column) (map[string]reference, error) {
	def := &a.plan.Declaration.Fields[field]
	found := make(map[string]reference)
	var open []string
	for text := range distinctTexts(texts) {
		ref, err := a.decisions.referenceFor(def.Name, text)
		if err != nil {
			return nil, err
		}
		if found[text] = ref; ref.resolution == unresolved {
			open = append(open, text)
		}
	}
	if len(open) == 0 {
		return found, nil
	}
	ids, err := entity.Resolve(ctx, tx, def.Lookup, a.batch.Context, open)
	if err != nil {
		return nil, err
	}
	for text, id := range ids {
		found[text] = reference{resolution: resolved, id: id}
	}
	return found, nil
}

// referenceFor returns the decision about a value.
func (s *valueDecisions) referenceFor(field, text string) (reference, error) {
	m, ok := s.cells[decisionKey{field, text}]
	switch {
	case !ok || m.Status == job.Unresolved:
		return reference{resolution: unresolved}, nil
	case m.Status == job.Ignored:
		return reference{resolution: ignored}, nil
	case m.Empty:
		return reference{resolution: setEmpty}, nil
	case m.Create:
		return reference{resolution: toCreate}, nil
	}
	id, err := parseID(m.EntityID)
	if err != nil {
		return reference{}, fmt.Errorf("decode value mapping of %s: %w", field, err)
	}
	return reference{resolution: resolved, id: id}, nil
}

// saveQuestions stores values about which a person is asked.
func (s *Step) saveQuestions(ctx context.Context, tx pgx.Tx, a *attempt, values []job.MappedCell) error {
	if len(values) == 0 || !a.job.AsksForValues() {
		return nil
	}
	return s.store.AddCellMappings(ctx, tx, a.job, values)
}

// unresolvedValues returns the texts of the batch without a match.
func (a *attempt) unresolvedValues() []job.MappedCell {
	var questions []job.MappedCell
	for field, texts := range a.texts {
		counts := make(map[string]*job.MappedCell)
		for i := range texts.Len() {
			text := texts.String(i)
			if _, ok := texts.Bytes(i); !ok || a.references[field][text].resolution != unresolved {
				continue
			}
			if counts[text] == nil {
				counts[text] = &job.MappedCell{
					TargetField: a.plan.Declaration.Fields[field].Name, Value: text, Status: job.Unresolved, FirstRow: a.batch.Row(i),
				}
			}
			counts[text].Rows++
		}
		for _, q := range counts {
			questions = append(questions, *q)
		}
	}
	return questions
}

// checkReferences reports whether row i stays in the batch, and sets its outcome if not.
func (a *attempt) checkReferences(i int) bool {
	outcome := rowwrite.Errored
	if a.job.AsksForValues() {
		outcome = rowwrite.Deferred
	}
	var faults []rowwrite.Error
	for field := range a.plan.Declaration.Fields {
		def, texts := &a.plan.Declaration.Fields[field], a.texts[field]
		if texts == nil {
			continue
		}
		text := texts.String(i)
		verdict := a.references[field][text].resolution
		if text == "" || verdict == resolved || verdict == toCreate || verdict == setEmpty {
			continue
		}
		var fault rowwrite.Error
		switch {
		case verdict == ignored:
			outcome, fault = rowwrite.Skipped, rows.ExcludedError(def.Name, text)
		case a.job.AsksForValues():
			fault = rows.UndecidedError(def.Name, text)
		default:
			fault = rowwrite.Error{
				Field: def.Name, Code: problem.CellUnresolved, Value: entity.Shorten(text),
				Message: "No match was found for this value. Enter the name or the ID of an existing entry.",
			}
		}
		faults = append(faults, fault)
	}
	if faults == nil {
		return true
	}
	a.setOutcome(a.batch.Row(i), outcome)
	a.addResult(a.batch.Row(i), outcome, faults)
	return false
}
