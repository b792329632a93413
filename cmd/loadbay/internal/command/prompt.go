package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"charm.land/huh/v2"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
)

// runPrompt asks the person at the terminal.
func (a *app) runPrompt(fields ...huh.Field) error {
	form := huh.NewForm(huh.NewGroup(fields...)).WithInput(a.streams.In).WithOutput(a.streams.Err).WithAccessible(a.streams.Plain)
	err := form.Run()
	if errors.Is(err, huh.ErrUserAborted) {
		return context.Canceled
	}
	return err
}

// answerQuestions asks about the open questions of an import and sends the decisions.
func (a *app) answerQuestions(ctx context.Context, caller *client.Client, j *api.ImportJob) error {
	if *j.WaitingFor == api.ImportJobWaitingForCOLUMNMAPPINGS {
		return a.answerColumns(ctx, caller, j)
	}
	return a.answerCells(ctx, caller, j)
}

// The options other than fields.
const ignoreColumn = ""

func (a *app) answerColumns(ctx context.Context, caller *client.Client, j *api.ImportJob) error {
	id := j.Identifier.String()
	full, err := client.Read[api.ImportJob](caller.API.GetImport(ctx, id, &api.GetImportParams{IncludeMappings: new(true)}))
	if err != nil {
		return err
	}
	columns, _, err := collectEntries(client.Pages[api.ColumnMapping](ctx, caller)(caller.API.ListColumns(ctx, id, nil)), maxColumns)
	if err != nil {
		return err
	}
	free := fieldOptions(full)
	a.notify("%s: match the columns to fields. Press Enter to confirm.", j.OriginalFilename)
	var answers []api.ColumnAnswer
	for i := range columns {
		c := &columns[i]
		if c.Confirmed {
			continue
		}
		answered, err := a.askColumn(c, free)
		if err != nil {
			return err
		}
		answers = append(answers, answered...)
	}
	if err := client.Do(caller.API.AnswerColumns(ctx, id, answers)); err != nil && !client.HasCode(err, "MAPPING_INCOMPLETE") {
		return err
	}
	err = client.Do(caller.API.ConfirmColumns(ctx, id, nil))
	if client.HasCode(err, "MAPPING_INCOMPLETE") {
		a.notify("%s", err)
		return nil // ask again
	}
	return err
}

// maxColumns is the maximum number of columns asked about in one go.
const maxColumns = 1000

// fieldOptions are the possible fields of a column, without duplicates.
func fieldOptions(j *api.ImportJob) []huh.Option[string] {
	options := []huh.Option[string]{huh.NewOption("(ignore column)", ignoreColumn)}
	if j.FreeFields != nil {
		for _, f := range *j.FreeFields {
			options = append(options, huh.NewOption(f.Title, f.Name))
		}
	}
	return options
}

// askColumn asks for the field of a column, and for its date and number format if the cells do
// not determine it.
func (a *app) askColumn(c *api.ColumnMapping, free []huh.Option[string]) ([]api.ColumnAnswer, error) {
	chosen, options := columnChoices(c, free)
	question := huh.NewSelect[string]().Title(columnLabel(c.SourceHeader, c.ColumnIndex)).
		Description("For example: " + strings.Join(c.Samples, " · ")).Options(options...).Filtering(len(options) > 12).Value(&chosen)
	if err := a.runPrompt(question); err != nil {
		return nil, err
	}
	answer := api.ColumnAnswer{ID: &c.ID}
	switch {
	case chosen == ignoreColumn:
		answer.Ignore = new(true)
		return []api.ColumnAnswer{answer}, nil
	case c.TargetField != nil && chosen == *c.TargetField:
		answer.Confirm = new(true)
	default:
		answer.TargetField = &chosen
	}
	if err := a.askUnit(c, chosen, &answer); err != nil {
		return nil, err
	}
	if err := a.askReading(c, &answer); err != nil {
		return nil, err
	}
	return []api.ColumnAnswer{answer}, nil
}

// askUnit asks how to convert a column whose header names another unit than that of its field.
func (a *app) askUnit(c *api.ColumnMapping, field string, answer *api.ColumnAnswer) error {
	u := c.Unit
	if u == nil || u.Field != field || u.Found == nil || *u.Found == u.Expected || len(c.Transforms) > 0 {
		return nil
	}
	var options []huh.Option[string]
	if u.Convert != nil {
		options = append(options, huh.NewOption(fmt.Sprintf("convert from %s to %s", *u.Found, u.Expected), *u.Found))
	}
	options = append(options, huh.NewOption("the values are already in "+u.Expected, u.Expected))
	unit := options[0].Value
	question := huh.NewSelect[string]().Title(fmt.Sprintf("The header names %s, but the field is in %s.", *u.Found, u.Expected)).Options(options...).Value(&unit)
	if err := a.runPrompt(question); err != nil {
		return err
	}
	answer.Confirm, answer.TargetField = nil, &field
	answer.Transforms = &[]api.Transform{{Op: api.TransformOpConvert, Unit: &unit}}
	return nil
}

// columnChoices are the options for a column: the current match, then the other candidates by
// likelihood, then the remaining free fields.
func columnChoices(c *api.ColumnMapping, free []huh.Option[string]) (first string, options []huh.Option[string]) {
	titles := make(map[string]string, len(free))
	for _, o := range free {
		titles[o.Value] = o.Key
	}
	offered := make(map[string]bool)
	offer := func(field, why string) {
		if !offered[field] {
			offered[field] = true
			options = append(options, huh.NewOption(cmp.Or(titles[field], field)+why, field))
		}
	}
	if c.TargetField != nil {
		offer(*c.TargetField, "")
	}
	for _, g := range c.Candidates {
		if titles[g.Field] != "" {
			offer(g.Field, fmt.Sprintf(" (%.0f %%, by its %s)", g.Score*100, matchReasons[string(g.Reason)]))
		}
	}
	if c.TargetField == nil {
		offer(ignoreColumn, "")
	}
	for _, o := range free {
		offer(o.Value, "")
	}
	return options[0].Value, options
}

// matchReasons describe why a column may match a field.
var matchReasons = map[string]string{"exact": "name", "alias": "name", "similar": "similar name", "content": "values"}

func columnLabel(header string, index int) string {
	if header == "" {
		return fmt.Sprintf("Column %d, without a header", index+1)
	}
	return header
}

// askReading asks for a column's date and number format if its cells do not determine it.
func (a *app) askReading(c *api.ColumnMapping, answer *api.ColumnAnswer) error {
	if isAmbiguous(c.DateOrder) {
		order := "dmy"
		if err := a.runPrompt(huh.NewSelect[string]().Title("Date order: what comes first?").
			Options(huh.NewOption("the day", "dmy"), huh.NewOption("the month", "mdy"), huh.NewOption("the year", "ymd")).Value(&order)); err != nil {
			return err
		}
		answer.DateOrder = new(api.DateOrder(order))
	}
	if isAmbiguous(c.DecimalMark) {
		mark := "."
		if err := a.runPrompt(huh.NewSelect[string]().Title("Decimal mark of the numbers?").
			Options(huh.NewOption("a point: 1.5", "."), huh.NewOption("a comma: 1,5", ",")).Value(&mark)); err != nil {
			return err
		}
		answer.DecimalMark = new(api.DecimalMark(mark))
	}
	return nil
}

func isAmbiguous(r *api.ColumnReading) bool {
	return r != nil && r.Value == nil && r.AmbiguousCells > 0
}
