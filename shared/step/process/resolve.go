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
	// CellMappingsAlike is what people have said about some values, and about those that
	// differ from them in case alone: fields has the field of each.
	CellMappingsAlike(ctx context.Context, tx pgx.Tx, key job.Key, fields, values []string) ([]job.MappedCell, error)
	// AddCellMappings keeps the values that a person is to be asked about.
	AddCellMappings(ctx context.Context, tx pgx.Tx, j *job.Job, mappings []job.MappedCell) error
	// EntitiesCreated notes the entities that were created from a field's values.
	EntitiesCreated(ctx context.Context, tx pgx.Tx, j *job.Job, field string, values []string, ids []int64) error
}

// verdict is what a text in a reference column comes to.
type verdict uint8

const (
	resolved verdict = iota
	wanted           // a person said to make an entity of it, which nobody has done yet
	emptied          // a person said to take it for no value
	ignored          // a person said to skip the rows that hold it
	unknown
)

type reference struct {
	verdict verdict
	id      int64
}

// resolve turns the texts of reference columns into ids: distinct texts only,
// first by what a person has said, then by asking the type. Rows with a text
// that nobody knows leave the batch: skipped, deferred, or in error.
func (s *Step) resolve(ctx context.Context, tx pgx.Tx, a *attempt) error {
	if err := s.ask(ctx, tx, a, a.decoded.questions); err != nil {
		return err
	}
	if len(a.texts) == 0 || a.batch.Len() == 0 {
		return nil
	}
	if err := s.heed(ctx, tx, a); err != nil {
		return err
	}
	a.references = make(map[int]map[string]reference, len(a.texts))
	for field, texts := range a.texts {
		var err error
		if a.references[field], err = a.referTo(ctx, tx, field, texts); err != nil {
			return err
		}
	}
	if err := s.ask(ctx, tx, a, a.unknown()); err != nil {
		return err
	}
	keep := make([]int, 0, a.batch.Len())
	for i := range a.batch.Len() {
		if a.judge(i) {
			keep = append(keep, i)
		}
	}
	a.leave(keep)
	return nil
}

// leave leaves only those rows in the batch.
func (a *attempt) leave(places []int) {
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

// referTo decides about each distinct text of a column.
func (a *attempt) referTo(ctx context.Context, tx pgx.Tx, field int, texts *entity.Column) (map[string]reference, error) {
	def := &a.plan.Declaration.Fields[field]
	found := make(map[string]reference)
	var open []string
	for text := range distinct(texts) {
		ref, err := a.said.decisionFor(def.Name, text)
		if err != nil {
			return nil, err
		}
		if found[text] = ref; ref.verdict == unknown {
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
		found[text] = reference{verdict: resolved, id: id}
	}
	return found, nil
}

// decisionFor is what a person has said about a value.
func (s *said) decisionFor(field, text string) (reference, error) {
	m, ok := s.cells[decision{field, text}]
	switch {
	case !ok || m.Status == job.Unresolved:
		return reference{verdict: unknown}, nil
	case m.Status == job.Ignored:
		return reference{verdict: ignored}, nil
	case m.Empty:
		return reference{verdict: emptied}, nil
	case m.Create:
		return reference{verdict: wanted}, nil
	}
	id, err := parseID(m.EntityID)
	if err != nil {
		return reference{}, fmt.Errorf("mapping of a value of %s: %w", field, err)
	}
	return reference{verdict: resolved, id: id}, nil
}

// ask keeps values that a person is to be asked about.
func (s *Step) ask(ctx context.Context, tx pgx.Tx, a *attempt, values []job.MappedCell) error {
	if len(values) == 0 || !a.job.AsksForValues() {
		return nil
	}
	return s.store.AddCellMappings(ctx, tx, a.job, values)
}

// unknown are the texts of the batch that stand for nothing.
func (a *attempt) unknown() []job.MappedCell {
	var questions []job.MappedCell
	for field, texts := range a.texts {
		counts := make(map[string]*job.MappedCell)
		for i := range texts.Len() {
			text := texts.String(i)
			if _, ok := texts.Bytes(i); !ok || a.references[field][text].verdict != unknown {
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

// judge reports whether row i stays in the batch, and sets its outcome if not.
func (a *attempt) judge(i int) bool {
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
		verdict := a.references[field][text].verdict
		if text == "" || verdict == resolved || verdict == wanted || verdict == emptied {
			continue
		}
		var fault entity.RowError
		switch {
		case verdict == ignored:
			outcome, fault = job.Skipped, rows.LeftOut(def.Name, text)
		case a.job.AsksForValues():
			fault = rows.Undecided(def.Name, text)
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
	a.set(a.batch.Row(i), outcome)
	a.say(a.batch.Row(i), outcome, faults)
	return false
}
