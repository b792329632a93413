package rows

import (
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/value"
)

// valueDecisions are what people have said about values of a field, by the values' texts.
type valueDecisions map[string]job.MappedCell

// ApplyDecisions makes the plan heed what was said about values of fields that take one of a few
// words, or texts out of a list: what references stand for is found out with the
// database. asks says whether a person is asked about words that nobody knows; else they
// are faults.
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

// DecisionFields are the names of the fields of which Heed takes what was said of their values.
func DecisionFields(d *entity.Declaration) (names []string) {
	for i := range d.Fields {
		if f := &d.Fields[i]; f.HasMappableValues() && f.Kind != entity.Reference {
			names = append(names, f.Name)
		}
	}
	return names
}

// question is a value that nobody knows.
type question struct{ field, value string }

// rowQuestions is what one row holds of values that decide about the row.
type rowQuestions struct {
	excluded  []question // their rows are to be left out
	undecided []question // nobody has said yet what they stand for
}

// ExcludedError is what there is to say of a row with a value whose rows a person leaves out.
func ExcludedError(field, text string) entity.RowError {
	return entity.RowError{
		Field: field, Code: problem.CellUnresolved, Value: entity.Shorten(text), Message: "Rows with this value are left out, as was decided.",
	}
}

// UndecidedError is what there is to say of a row that waits for a person.
func UndecidedError(field, text string) entity.RowError {
	return entity.RowError{
		Field: field, Code: problem.CellUnresolved, Value: entity.Shorten(text), Message: "Nobody has said yet what this value stands for.",
	}
}

// isUnknownWord reports whether the code says that a cell holds none of the words that
// its field takes.
func isUnknownWord(code problem.Code) bool {
	return code == problem.CellEnum || code == problem.CellBoolean
}

// applyDecision decides about a cell by what was said about its text, and reports whether anything
// was. Where nothing was and somebody is asked, it notes the question.
func (d *Decoder) applyDecision(b *binding, text string, r *sheet.Row) bool {
	said, known := d.plan.decisions[b.field][text]
	column := &d.Batch.Columns[b.field]
	switch {
	case !known && d.plan.nullUnknown:
		column.AppendNull()
	case !known && d.plan.asksUnknown && !b.def.IsContextList():
		d.pending.undecided = append(d.pending.undecided, question{b.def.Name, text})
		return false
	case !known:
		return false
	case said.Status == job.Ignored:
		d.pending.excluded = append(d.pending.excluded, question{b.def.Name, text})
		column.AppendNull()
	case said.Empty:
		column.AppendNull()
	case b.def.Kind == entity.Boolean && said.TargetValue != "":
		column.AppendBool(said.TargetValue == "true")
	case said.TargetValue != "":
		stored := []byte(said.TargetValue)
		d.Errors.noteOriginal(r.Number, b.def.Name, []byte(text), stored)
		column.AppendText(stored)
	default:
		return false
	}
	return true
}

// rowOutcome is what becomes of a row that is not taken, and why. A fault counts before
// all else; of the rest, a value whose rows are left out before one that is open.
func (d *Decoder) rowOutcome(r *sheet.Row) (job.Outcome, []job.RowError) {
	switch {
	case len(d.rowErrs) > len(d.pending.undecided):
		return job.Errored, d.rowErrs
	case len(d.pending.excluded) > 0:
		return job.Skipped, d.rowErrorsFor(r, d.pending.excluded, ExcludedError)
	case len(d.pending.undecided) > 0:
		d.addQuestions(r)
		return job.Deferred, d.rowErrorsFor(r, d.pending.undecided, UndecidedError)
	}
	return job.Pending, nil
}

// rowErrorsFor say the same of each of some values of a row.
func (d *Decoder) rowErrorsFor(r *sheet.Row, values []question, say func(field, text string) entity.RowError) []job.RowError {
	out := make([]job.RowError, len(values))
	for i, v := range values {
		out[i] = d.Errors.RowError(r.Number, say(v.field, v.value))
	}
	return out
}

// addQuestions notes the questions of a row.
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

// Questions are the values that a person is to be asked about because rows that were
// added wait for it.
func (d *Decoder) Questions() []job.MappedCell {
	all := make([]job.MappedCell, 0, len(d.questions))
	for _, q := range d.questions {
		all = append(all, *q)
	}
	return all
}

// textOf is the text of a cell by which people say what it stands for.
func textOf(values *value.Decoder, c sheet.Cell) ([]byte, bool) {
	text, code := values.Text(c)
	text = entity.TrimReference(text)
	return text, code == "" && len(text) > 0
}
