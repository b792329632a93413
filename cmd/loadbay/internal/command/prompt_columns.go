package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
)

// columnReview asks a person about the columns of an import.
type columnReview struct {
	*app
	caller  *client.Client
	id      string
	fields  fieldList
	columns []api.ColumnMapping
}

// answerColumns shows all columns, asks about the unsure ones and about required fields without a
// column, and confirms the columns.
func (a *app) answerColumns(ctx context.Context, caller *client.Client, id string, fields fieldList) error {
	r := &columnReview{app: a, caller: caller, id: id, fields: fields}
	if err := r.load(ctx); err != nil {
		return err
	}
	if err := r.table().PrintTo(a.streams.Err, a.streams.Width()); err != nil {
		return err
	}
	a.report("")
	open := r.openQuestions()
	for {
		if err := r.askAll(ctx, open); err != nil {
			return err
		}
		missing := r.missingFields()
		next, err := a.askFinalStep(ctx, "All columns have been shown.", r.summary(missing), len(missing) == 0)
		if err != nil {
			return err
		}
		switch next {
		case stopForNow:
			a.report("The import waits for its columns. To continue:\nloadbay imports watch %s", id)
			return exitStatus(exitPending)
		case changeAnswer:
			if open, err = r.chooseQuestion(ctx, missing); err != nil {
				return err
			}
		case proceed:
			err := r.confirm(ctx)
			if !client.HasCode(err, "MAPPING_INCOMPLETE") {
				return err
			}
			a.report("%s", a.describeError(err))
			if open = r.questionsOf(err); len(open) == 0 {
				return exitStatus(exitPending)
			}
		}
	}
}

func (r *columnReview) load(ctx context.Context) (err error) {
	r.columns, _, err = collectEntries(client.Pages[api.ColumnMapping](ctx, r.caller)(r.caller.API.ListColumns(ctx, r.id, nil)), maxAsked)
	return err
}

// column returns the column at a place in the file. Its ID may change with an answer.
func (r *columnReview) column(index int) *api.ColumnMapping {
	for i := range r.columns {
		if r.columns[i].ColumnIndex == index {
			return &r.columns[i]
		}
	}
	return nil
}

// isUndecided reports whether a person has to decide about a column: it is not matched by its
// name, or its cells do not say how to read them.
func isUndecided(c *api.ColumnMapping) bool {
	switch {
	case c.ColumnIndex < 0 || c.Confirmed:
		return false
	case c.TargetField == nil:
		return len(c.Candidates) > 0
	default:
		return !isMatchedByName(c) || len(c.Warnings) > 0 || isAmbiguous(c.DateOrder) || isAmbiguous(c.DecimalMark) || hasOtherUnit(c, *c.TargetField)
	}
}

func isMatchedByName(c *api.ColumnMapping) bool {
	return c.MatchedBy != nil && *c.MatchedBy != api.ColumnMappingMatchedBySimilar && *c.MatchedBy != api.ColumnMappingMatchedByContent
}

// table shows every column with its match.
func (r *columnReview) table() *render.Table {
	t := &render.Table{Header: []string{"COLUMN", "FIELD", "CERTAINTY", "SAMPLES"}}
	for i := range r.columns {
		c := &r.columns[i]
		t.Add(columnLabel(c), r.fieldLabel(c), certainty(c), strings.Join(c.Samples, " · "))
	}
	return t
}

func (r *columnReview) fieldLabel(c *api.ColumnMapping) string {
	if c.TargetField == nil {
		return "-"
	}
	return r.fields.find(*c.TargetField).Title
}

// certainty describes how sure the match of a column is.
func certainty(c *api.ColumnMapping) string {
	switch {
	case c.Confirmed:
		return "decided"
	case c.TargetField == nil && len(c.Candidates) == 0:
		return "not used"
	case c.TargetField == nil:
		return "unsure"
	case len(c.Warnings) > 0:
		return "unlike the field"
	case isUndecided(c) && isMatchedByName(c):
		return "format unsure"
	case isUndecided(c):
		return fmt.Sprintf("unsure (%.0f %%)", c.ConfidenceScore*100)
	default:
		return "certain"
	}
}

func columnLabel(c *api.ColumnMapping) string {
	return cmp.Or(c.SourceHeader, fmt.Sprintf("Column %d, without a header", c.ColumnIndex+1))
}

// columnQuestion is a question about a column, or about the column of a required field.
type columnQuestion struct {
	column int
	field  string // if not "", the question is which column it is
}

// openQuestions are the unsure columns, and the required fields without a column.
func (r *columnReview) openQuestions() []columnQuestion {
	var open []columnQuestion
	covered := make(map[string]bool)
	for i := range r.columns {
		if c := &r.columns[i]; isUndecided(c) {
			open = append(open, columnQuestion{column: c.ColumnIndex})
			for _, candidate := range c.Candidates {
				covered[candidate.Field] = true
			}
		}
	}
	for _, f := range r.missingFields() {
		if !covered[f] { // else an earlier question may find its column
			open = append(open, columnQuestion{field: f})
		}
	}
	return open
}

// missingFields are the required fields without a column that a person or its name has decided.
func (r *columnReview) missingFields() []string {
	has := make(map[string]bool)
	for i := range r.columns {
		c := &r.columns[i]
		if c.TargetField != nil && !isUndecided(c) {
			has[*c.TargetField] = true
		}
	}
	var missing []string
	for i := range r.fields {
		if f := &r.fields[i]; f.IsRequired && !has[f.Name] {
			missing = append(missing, f.Name)
		}
	}
	return missing
}

// askAll asks the questions one after the other, and then those that follow from the answers.
func (r *columnReview) askAll(ctx context.Context, open []columnQuestion) error {
	if err := r.askEach(ctx, open); err != nil {
		return err
	}
	var rest []columnQuestion
	for _, field := range r.missingFields() {
		if q := (columnQuestion{field: field}); !slices.Contains(open, q) && !r.isUndecidedField(field) {
			rest = append(rest, q)
		}
	}
	return r.askEach(ctx, rest)
}

// isUndecidedField reports whether the match of a field is known but has a question of its own.
func (r *columnReview) isUndecidedField(field string) bool {
	return slices.ContainsFunc(r.columns, func(c api.ColumnMapping) bool {
		return c.TargetField != nil && *c.TargetField == field && isMatchedByName(&c)
	})
}

func (r *columnReview) askEach(ctx context.Context, open []columnQuestion) error {
	return steps(len(open), func(i, toward int) (int, error) {
		place := fmt.Sprintf("%d of %d: ", i+1, len(open))
		if open[i].field != "" {
			return r.askField(ctx, place, open[i].field, toward, i > 0)
		}
		return r.askColumn(ctx, place, r.column(open[i].column), toward, i > 0)
	})
}

// choiceList is a list of choices with what each does.
type choiceList struct {
	texts   []string
	answers []func() (*api.ColumnAnswer, error)
}

func (l *choiceList) add(text string, answer func() (*api.ColumnAnswer, error)) {
	l.texts, l.answers = append(l.texts, text), append(l.answers, answer)
}

// askColumn asks for the field of a column.
func (r *columnReview) askColumn(ctx context.Context, place string, c *api.ColumnMapping, toward int, back bool) (int, error) {
	if c == nil {
		return toward, nil
	}
	var list choiceList
	later := textLater
	if c.Confirmed {
		later = "(keep: " + cmp.Or(strings.TrimPrefix(r.fieldLabel(c), "-"), "leave this column out") + ")"
	}
	list.add(later, nil)
	for _, f := range r.offeredFields(c) {
		list.add(f.text, func() (*api.ColumnAnswer, error) { return r.answer(ctx, c, f.name) })
	}
	list.add("(leave this column out)", func() (*api.ColumnAnswer, error) { return &api.ColumnAnswer{ID: &c.ID, Ignore: new(true)}, nil })
	return r.ask(ctx, question{title: place + fmt.Sprintf("Which field is the column %q?", columnLabel(c)), details: "For example: " + strings.Join(c.Samples, " · ")}, list, back)
}

// askField asks for the column of a required field.
func (r *columnReview) askField(ctx context.Context, place, name string, toward int, back bool) (int, error) {
	if !slices.Contains(r.missingFields(), name) {
		return toward, nil
	}
	var list choiceList
	list.add(textLater, nil)
	for i := range r.columns {
		c := &r.columns[i]
		if c.ColumnIndex < 0 || c.TargetField != nil && !isUndecided(c) {
			continue
		}
		list.add(strings.TrimRight(columnLabel(c)+": "+strings.Join(c.Samples, " · "), ": "), func() (*api.ColumnAnswer, error) { return r.answer(ctx, c, name) })
	}
	title := r.fields.find(name).Title
	if len(list.texts) == 1 {
		r.report("%sNo column is left for the required field %s. Change the answer for one of the columns.", place, title)
		return toward, nil
	}
	return r.ask(ctx, question{title: place + fmt.Sprintf("Which column is %s?", title), details: "The field is required."}, list, back)
}

// ask asks a question, and sends the answer. A refused answer is asked for again.
func (r *columnReview) ask(ctx context.Context, q question, list choiceList, back bool) (int, error) {
	q.options = list.texts
	if back {
		q.options = append(slices.Clone(q.options), textBack)
	}
	i, err := r.choose(ctx, q)
	switch {
	case err != nil:
		return 0, err
	case i == len(list.texts):
		return -1, nil
	case list.answers[i] == nil:
		return 1, nil
	}
	answer, err := list.answers[i]()
	if err != nil || answer == nil {
		return 0, err
	}
	err = ignoreIncomplete(client.Do(r.caller.API.AnswerColumns(ctx, r.id, []api.ColumnAnswer{*answer})))
	if isRefused(err) {
		r.report("%s", r.describeError(err))
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return 1, r.load(ctx)
}

// offeredField is a possible field of a column.
type offeredField struct{ name, text string }

// offeredFields are the possible fields of a column, the most likely first. Fields of other columns
// are taken, unless their match is unsure as well.
func (r *columnReview) offeredFields(c *api.ColumnMapping) []offeredField {
	taken := make(map[string]bool)
	for i := range r.columns {
		if other := &r.columns[i]; other.ColumnIndex != c.ColumnIndex && other.TargetField != nil {
			taken[*other.TargetField] = true
		}
	}
	var offered []offeredField
	offer := func(name, why string) {
		if !taken[name] {
			taken[name] = true
			offered = append(offered, offeredField{name, r.fields.find(name).Title + why})
		}
	}
	if p := c.PastAnswer; p != nil && p.TargetField != nil {
		offer(*p.TargetField, asBefore(p))
	}
	if c.TargetField != nil && !c.Confirmed {
		offer(*c.TargetField, fmt.Sprintf(" (%.0f %%)", c.ConfidenceScore*100))
	}
	for _, g := range c.Candidates {
		offer(g.Field, fmt.Sprintf(" (%.0f %%, by its %s)", g.Score*100, matchReasons[string(g.Reason)]))
	}
	for i := range r.fields {
		offer(r.fields[i].Name, "")
	}
	return offered
}

// asBefore says how many earlier imports had the same answer.
func asBefore(p *api.PastAnswer) string {
	return fmt.Sprintf(" (as in the last %s)", count(int64(len(p.Imports)), "import"))
}

// matchReasons describe why a column may match a field.
var matchReasons = map[string]string{"exact": "name", "alias": "name", "similar": "similar name", "content": "values", "pastAnswers": "name in earlier imports"}

// answer is the answer that a column is a field. It asks how to read the cells if they do not say
// it; nil means that the person has not decided that.
func (r *columnReview) answer(ctx context.Context, c *api.ColumnMapping, field string) (*api.ColumnAnswer, error) {
	answer := &api.ColumnAnswer{ID: &c.ID, TargetField: &field}
	if c.TargetField != nil && *c.TargetField == field {
		answer.TargetField, answer.Confirm = nil, new(true)
	}
	for _, ask := range []func(context.Context, *api.ColumnMapping, string, *api.ColumnAnswer) (bool, error){r.askUnit, r.askDateOrder, r.askDecimalMark} {
		if decided, err := ask(ctx, c, field, answer); err != nil || !decided {
			return nil, err
		}
	}
	return answer, nil
}

// hasOtherUnit reports whether the header of a column names another unit than that of the field.
func hasOtherUnit(c *api.ColumnMapping, field string) bool {
	u := c.Unit
	return u != nil && u.Field == field && u.Found != nil && *u.Found != u.Expected && len(c.Transforms) == 0
}

// askUnit asks how to convert a column whose header names another unit than that of its field.
func (r *columnReview) askUnit(ctx context.Context, c *api.ColumnMapping, field string, answer *api.ColumnAnswer) (bool, error) {
	if !hasOtherUnit(c, field) {
		return true, nil
	}
	texts, units := []string{textBack}, []string{""}
	if c.Unit.Convert != nil {
		texts, units = append(texts, fmt.Sprintf("Convert from %s to %s", *c.Unit.Found, c.Unit.Expected)), append(units, *c.Unit.Found)
	}
	texts, units = append(texts, "The values are already in "+c.Unit.Expected), append(units, c.Unit.Expected)
	i, err := r.choose(ctx, question{fmt.Sprintf("The header names %s, but the field is in %s.", *c.Unit.Found, c.Unit.Expected), "", texts})
	answer.Confirm, answer.TargetField = nil, &field
	answer.Transforms = &[]api.Transform{{Op: api.TransformOpConvert, Unit: &units[i]}}
	return i > 0, err
}

// askDateOrder asks for the order of the dates of a column, if they are ambiguous.
func (r *columnReview) askDateOrder(ctx context.Context, c *api.ColumnMapping, _ string, answer *api.ColumnAnswer) (bool, error) {
	if !isAmbiguous(c.DateOrder) {
		return true, nil
	}
	i, err := r.choose(ctx, question{"What comes first in these dates?", "For example: " + strings.Join(c.Samples, " · "), []string{textBack, "The day", "The month", "The year"}})
	answer.DateOrder = new(api.DateOrder([]string{"", "dmy", "mdy", "ymd"}[i]))
	return i > 0, err
}

// askDecimalMark asks for the decimal mark of the numbers of a column, if they are ambiguous.
func (r *columnReview) askDecimalMark(ctx context.Context, c *api.ColumnMapping, _ string, answer *api.ColumnAnswer) (bool, error) {
	if !isAmbiguous(c.DecimalMark) {
		return true, nil
	}
	i, err := r.choose(ctx, question{"What is the decimal mark of these numbers?", "For example: " + strings.Join(c.Samples, " · "), []string{textBack, "A point: 1.5", "A comma: 1,5"}})
	answer.DecimalMark = new(api.DecimalMark([]string{"", ".", ","}[i]))
	return i > 0, err
}

func isAmbiguous(r *api.ColumnReading) bool {
	return r != nil && r.Value == nil && r.AmbiguousCells > 0
}

// summary describes what the import would do with the columns.
func (r *columnReview) summary(missing []string) string {
	var lines []string
	for _, name := range missing {
		lines = append(lines, "No column for the required field "+r.fields.find(name).Title+".")
	}
	if left := r.undecided(); len(left) > 0 {
		lines = append(lines, "Undecided columns are left out: "+strings.Join(left, ", ")+".")
	}
	return strings.Join(lines, "\n")
}

// undecided are the labels of the columns without a decision.
func (r *columnReview) undecided() []string {
	var labels []string
	for i := range r.columns {
		if c := &r.columns[i]; isUndecided(c) && !needsReading(c) {
			labels = append(labels, columnLabel(c))
		}
	}
	return labels
}

// needsReading reports whether a column is matched by its name, and only its reading is undecided.
// Such a column is never left out; the installation refuses to continue.
func needsReading(c *api.ColumnMapping) bool {
	return c.TargetField != nil && isMatchedByName(c) && len(c.Warnings) == 0
}

// confirm leaves undecided columns out, so that no guess is imported, and confirms the others.
func (r *columnReview) confirm(ctx context.Context) error {
	var left []api.ColumnAnswer
	for i := range r.columns {
		if c := &r.columns[i]; isUndecided(c) && !needsReading(c) && c.TargetField != nil {
			left = append(left, api.ColumnAnswer{ID: &c.ID, Ignore: new(true)})
		}
	}
	if len(left) > 0 {
		if err := ignoreIncomplete(client.Do(r.caller.API.AnswerColumns(ctx, r.id, left))); err != nil {
			return err
		}
		if err := r.load(ctx); err != nil {
			return err
		}
	}
	return client.Do(r.caller.API.ConfirmColumns(ctx, r.id, nil))
}

// questionsOf are the questions that the installation reports as open.
func (r *columnReview) questionsOf(err error) []columnQuestion {
	var open []columnQuestion
	var incomplete *client.Error
	if !errors.As(err, &incomplete) {
		return nil
	}
	for _, e := range incomplete.Errors {
		q := columnQuestion{field: e.Field}
		for i := range r.columns {
			if c := &r.columns[i]; c.TargetField != nil && *c.TargetField == e.Field {
				q = columnQuestion{column: c.ColumnIndex}
			}
		}
		open = append(open, q)
	}
	return open
}

// chooseQuestion asks which answer to change: that for a column, or for a required field.
func (r *columnReview) chooseQuestion(ctx context.Context, missing []string) ([]columnQuestion, error) {
	texts, questions := []string{textBack}, [][]columnQuestion{nil}
	for _, name := range missing {
		texts, questions = append(texts, r.fields.find(name).Title+": no column yet"), append(questions, []columnQuestion{{field: name}})
	}
	for i := range r.columns {
		if c := &r.columns[i]; c.ColumnIndex >= 0 {
			texts, questions = append(texts, fmt.Sprintf("%s: %s (%s)", columnLabel(c), r.fieldLabel(c), certainty(c))), append(questions, []columnQuestion{{column: c.ColumnIndex}})
		}
	}
	i, err := r.choose(ctx, question{"Which answer do you want to change?", "", texts})
	return questions[i], err
}
