package process

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/rows"
)

// References keeps what the texts of reference columns stand for.
type References interface {
	// SimilarCellMappings is what people have said about some values, and about those that
	// differ from them in case alone: fields has the field of each.
	SimilarCellMappings(ctx context.Context, tx pgx.Tx, key job.Key, fields, values []string) ([]job.MappedCell, error)
	// AddCellMappings keeps the values that a person is to be asked about.
	AddCellMappings(ctx context.Context, tx pgx.Tx, j *job.Job, mappings []job.MappedCell) error
	// SaveCreatedEntities notes the entities that were created from a field's values.
	SaveCreatedEntities(ctx context.Context, tx pgx.Tx, j *job.Job, field string, values []string, ids []int64) error
}

// resolution is what a text in a reference column comes to.
type resolution uint8

const (
	resolved resolution = iota
	toCreate            // a person said to make an entity of it, which nobody has done yet
	setEmpty            // a person said to take it for no value
	ignored             // a person said to skip the rows that hold it
	unresolved
)

type reference struct {
	resolution resolution
	id         int64
}

// resolve turns the texts of reference columns into ids: distinct texts only,
// first by what a person has said, then by asking the type. Rows with a text
// that nobody knows leave the batch: skipped, deferred, or in error.
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

// retain leaves only those rows in the batch.
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

// resolveColumn decides about each distinct text of a column.
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

// referenceFor is what a person has said about a value.
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
		return reference{}, fmt.Errorf("mapping of a value of %s: %w", field, err)
	}
	return reference{resolution: resolved, id: id}, nil
}

// saveQuestions keeps values that a person is to be asked about.
func (s *Step) saveQuestions(ctx context.Context, tx pgx.Tx, a *attempt, values []job.MappedCell) error {
	if len(values) == 0 || !a.job.AsksForValues() {
		return nil
	}
	return s.store.AddCellMappings(ctx, tx, a.job, values)
}

// unresolvedValues are the texts of the batch that stand for nothing.
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
	outcome := job.Errored
	if a.job.AsksForValues() {
		outcome = job.Deferred
	}
	var faults []entity.RowError
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
		var fault entity.RowError
		switch {
		case verdict == ignored:
			outcome, fault = job.Skipped, rows.ExcludedError(def.Name, text)
		case a.job.AsksForValues():
			fault = rows.UndecidedError(def.Name, text)
		default:
			fault = entity.RowError{
				Field: def.Name, Code: problem.CellUnresolved, Value: entity.Shorten(text),
				Message: "This value stands for nothing that is known. Write the name of what is meant, or its id.",
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
