package rows

import (
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/value"
)

// answers are what people have said about values of a field, by the values' texts.
type answers map[string]job.MappedCell

// Heed makes the plan heed what was said about values of fields that take one of a few
// words, or texts out of a list: what references stand for is found out with the
// database. asks says whether a person is asked about words that nobody knows; else they
// are faults.
func (p *Plan) Heed(cells []job.MappedCell, asks bool) {
	p.asks = asks
	for _, c := range cells {
		field := p.Declaration.FieldIndex(c.TargetField)
		if field < 0 || p.Declaration.Fields[field].Kind == entity.Reference || !c.Settled() {
			continue
		}
		if p.answers == nil {
			p.answers = make(map[int]answers)
		}
		if p.answers[field] == nil {
			p.answers[field] = make(answers)
		}
		p.answers[field][c.Value] = c
	}
}

// WordFields are the names of the fields of which Heed takes what was said of their values.
func WordFields(d *entity.Declaration) (names []string) {
	for i := range d.Fields {
		if f := &d.Fields[i]; f.Mappable() && f.Kind != entity.Reference {
			names = append(names, f.Name)
		}
	}
	return names
}

// question is a value that nobody knows.
type question struct{ field, value string }

// judging is what one row holds of values that decide about the row.
type judging struct {
	left []question // their rows are to be left out
	open []question // nobody has said yet what they stand for
}

// LeftOut is what there is to say of a row with a value whose rows a person leaves out.
func LeftOut(field, text string) entity.RowError {
	return entity.RowError{
		Field: field, Code: problem.CellUnresolved, Value: entity.Shorten(text), Message: "Rows with this value are left out, as was decided.",
	}
}

// Undecided is what there is to say of a row that waits for a person.
func Undecided(field, text string) entity.RowError {
	return entity.RowError{
		Field: field, Code: problem.CellUnresolved, Value: entity.Shorten(text), Message: "Nobody has said yet what this value stands for.",
	}
}

// unknownWord reports whether the code says that a cell holds none of the words that
// its field takes.
func unknownWord(code problem.Code) bool {
	return code == problem.CellEnum || code == problem.CellBoolean
}

// heed decides about a cell by what was said about its text, and reports whether anything
// was. Where nothing was and somebody is asked, it notes the question.
func (d *Decoder) heed(b *binding, text string, r *sheet.Row) bool {
	said, known := d.plan.answers[b.field][text]
	column := &d.Batch.Columns[b.field]
	switch {
	case !known && d.plan.guesses:
		column.AppendNull()
	case !known && d.plan.asks && !b.def.Listed():
		d.judging.open = append(d.judging.open, question{b.def.Name, text})
		return false
	case !known:
		return false
	case said.Status == job.Ignored:
		d.judging.left = append(d.judging.left, question{b.def.Name, text})
		column.AppendNull()
	case said.Empty:
		column.AppendNull()
	case b.def.Kind == entity.Boolean && said.TargetValue != "":
		column.AppendBool(said.TargetValue == "true")
	case said.TargetValue != "":
		stored := []byte(said.TargetValue)
		d.Words.note(r.Number, b.def.Name, []byte(text), stored)
		column.AppendText(stored)
	default:
		return false
	}
	return true
}

// conclude is what becomes of a row that is not taken, and why. A fault counts before
// all else; of the rest, a value whose rows are left out before one that is open.
func (d *Decoder) conclude(r *sheet.Row) (job.Outcome, []job.RowError) {
	switch {
	case len(d.rowErrs) > len(d.judging.open):
		return job.Errored, d.rowErrs
	case len(d.judging.left) > 0:
		return job.Skipped, d.remarks(r, d.judging.left, LeftOut)
	case len(d.judging.open) > 0:
		d.ask(r)
		return job.Deferred, d.remarks(r, d.judging.open, Undecided)
	}
	return job.Pending, nil
}

// remarks say the same of each of some values of a row.
func (d *Decoder) remarks(r *sheet.Row, values []question, say func(field, text string) entity.RowError) []job.RowError {
	out := make([]job.RowError, len(values))
	for i, v := range values {
		out[i] = d.Words.RowError(r.Number, say(v.field, v.value))
	}
	return out
}

// ask notes the questions of a row.
func (d *Decoder) ask(r *sheet.Row) {
	for _, q := range d.judging.open {
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
	text = entity.ReferenceText(text)
	return text, code == "" && len(text) > 0
}
