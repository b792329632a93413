package rows

import (
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/value"
)

// valueDecisions are the decisions about a field's values, by the values' texts.
type valueDecisions map[string]job.MappedCell

// ApplyDecisions applies the decisions about values of enum, boolean and list fields to the plan.
// References are resolved with the database instead. asks reports whether a person is asked about
// unknown words; otherwise they are errors.
func (p *Plan) ApplyDecisions(cells []job.MappedCell, asks bool) {
	p.asksUnknown = asks
	for _, c := range cells {
		field := p.Declaration.FieldIndex(c.TargetField)
		if field < 0 || p.Declaration.Fields[field].Kind == entity.Reference || !c.IsResolved() {
			continue
		}
		if p.decisions == nil {
			p.decisions = make(map[int]valueDecisions)
		}
		if p.decisions[field] == nil {
			p.decisions[field] = make(valueDecisions)
		}
		p.decisions[field][c.Value] = c
	}
}

// DecisionFields returns the names of the fields that ApplyDecisions applies to.
func DecisionFields(d *entity.Declaration) (names []string) {
	for i := range d.Fields {
		if f := &d.Fields[i]; f.HasMappableValues() && f.Kind != entity.Reference {
			names = append(names, f.Name)
		}
	}
	return names
}

// question is a value without a match or decision.
type question struct{ field, value string }

// rowQuestions collects the values of one row that decide whether the row is imported.
type rowQuestions struct {
	excluded  []question // values of excluded rows
	undecided []question // values without a decision
}

// ExcludedError is the error of a row that a decision about one of its values excludes.
func ExcludedError(field, text string) rowwrite.Error {
	return rowwrite.Error{
		Field: field, Code: problem.CellUnresolved, Value: entity.Shorten(text), Message: "Rows with this value are skipped by decision.",
	}
}

// UndecidedError is the error of a row that waits for a decision.
func UndecidedError(field, text string) rowwrite.Error {
	return rowwrite.Error{
		Field: field, Code: problem.CellUnresolved, Value: entity.Shorten(text), Message: "This value is not matched yet.",
	}
}

// isUnknownWord reports whether the code means that a cell contains none of the words that
// its field accepts.
func isUnknownWord(code problem.Code) bool {
	return code == problem.CellEnum || code == problem.CellBoolean
}

// applyDecision applies the decision about a cell's text, and reports whether there was one.
// Without a decision, it adds a question if a person is to be asked.
func (d *Decoder) applyDecision(b *binding, text string, r *sheet.Row) bool {
	decision, known := d.plan.decisions[b.field][text]
	column := &d.Batch.Columns[b.field]
	switch {
	case !known && d.plan.nullUnknown:
		column.AppendNull()
	case !known && d.plan.asksUnknown && !b.def.IsContextList():
		d.pending.undecided = append(d.pending.undecided, question{b.def.Name, text})
		return false
	case !known:
		return false
	case decision.Status == job.Ignored:
		d.pending.excluded = append(d.pending.excluded, question{b.def.Name, text})
		column.AppendNull()
	case decision.Empty:
		column.AppendNull()
	case b.def.Kind == entity.Boolean && decision.TargetValue != "":
		column.AppendBool(decision.TargetValue == "true")
	case decision.TargetValue != "":
		stored := []byte(decision.TargetValue)
		d.Errors.noteOriginal(r.Number, b.def.Name, []byte(text), stored)
		column.AppendText(stored)
	default:
		return false
	}
	return true
}

// rowOutcome returns the outcome of a row that was not added, and the reasons. Errors take
// precedence; among the other reasons, excluded values precede undecided ones.
func (d *Decoder) rowOutcome(r *sheet.Row) (rowwrite.Outcome, []rowwrite.Error) {
	switch {
	case len(d.rowErrs) > len(d.pending.undecided):
		return rowwrite.Errored, d.rowErrs
	case len(d.pending.excluded) > 0:
		return rowwrite.Skipped, d.rowErrorsFor(r, d.pending.excluded, ExcludedError)
	case len(d.pending.undecided) > 0:
		d.addQuestions(r)
		return rowwrite.Deferred, d.rowErrorsFor(r, d.pending.undecided, UndecidedError)
	}
	return rowwrite.Pending, nil
}

// rowErrorsFor returns one error for each of the values of a row.
func (d *Decoder) rowErrorsFor(r *sheet.Row, values []question, say func(field, text string) rowwrite.Error) []rowwrite.Error {
	out := make([]rowwrite.Error, len(values))
	for i, v := range values {
		out[i] = d.Errors.Format(r.Number, say(v.field, v.value))
	}
	return out
}

// addQuestions records the questions of a row.
func (d *Decoder) addQuestions(r *sheet.Row) {
	for _, q := range d.pending.undecided {
		if d.questions == nil {
			d.questions = make(map[question]*job.MappedCell)
		}
		if d.questions[q] == nil {
			d.questions[q] = &job.MappedCell{TargetField: q.field, Value: q.value, Status: job.Unresolved, FirstRow: r.Number}
		}
		d.questions[q].Rows++
	}
}

// Questions returns the undecided values of all added rows.
func (d *Decoder) Questions() []job.MappedCell {
	all := make([]job.MappedCell, 0, len(d.questions))
	for _, q := range d.questions {
		all = append(all, *q)
	}
	return all
}

// textOf returns the text of a cell that decisions refer to.
func textOf(values *value.Decoder, c sheet.Cell) ([]byte, bool) {
	text, code := values.Text(c)
	text = entity.TrimReference(text)
	return text, code == "" && len(text) > 0
}
