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

// ask puts questions to the person at the terminal.
func (a *app) ask(fields ...huh.Field) error {
	form := huh.NewForm(huh.NewGroup(fields...)).WithInput(a.streams.In).WithOutput(a.streams.Err).WithAccessible(a.streams.Plain)
	err := form.Run()
	if errors.Is(err, huh.ErrUserAborted) {
		return context.Canceled
	}
	return err
}

// answer asks what an import asks, and gives it the answers.
func (a *app) answer(ctx context.Context, caller *client.Client, j *api.ImportJob) error {
	if *j.WaitingFor == api.ImportJobWaitingForCOLUMNMAPPINGS {
		return a.answerColumns(ctx, caller, j)
	}
	return a.answerCells(ctx, caller, j)
}

// The choices beside the fields.
const leaveOut = ""

func (a *app) answerColumns(ctx context.Context, caller *client.Client, j *api.ImportJob) error {
	id := j.Identifier.String()
	full, err := client.Read[api.ImportJob](caller.API.GetImport(ctx, id, &api.GetImportParams{IncludeMappings: new(true)}))
	if err != nil {
		return err
	}
	columns, _, err := collect(client.Pages[api.ColumnMapping](ctx, caller)(caller.API.ListColumns(ctx, id, nil)), maxColumns)
	if err != nil {
		return err
	}
	free := fields(full)
	a.say("%s: which field is each column? Enter confirms.", j.OriginalFilename)
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
		a.say("%s", err)
		return nil // it is asked again
	}
	return err
}

// maxColumns is the most columns of a file that a person is asked about in a row.
const maxColumns = 1000

// fields are the fields that a column can be, each once.
func fields(j *api.ImportJob) []huh.Option[string] {
	options := []huh.Option[string]{huh.NewOption("(leave it out)", leaveOut)}
	if j.FreeFields != nil {
		for _, f := range *j.FreeFields {
			options = append(options, huh.NewOption(f.Title, f.Name))
		}
	}
	return options
}

// askColumn asks what a column is, and how its dates and numbers are read if its cells do
// not show it.
func (a *app) askColumn(c *api.ColumnMapping, free []huh.Option[string]) ([]api.ColumnAnswer, error) {
	chosen, options := choices(c, free)
	question := huh.NewSelect[string]().Title(label(c.SourceHeader, c.ColumnIndex)).
		Description("For example: " + strings.Join(c.Samples, " · ")).Options(options...).Filtering(len(options) > 12).Value(&chosen)
	if err := a.ask(question); err != nil {
		return nil, err
	}
	answer := api.ColumnAnswer{ID: &c.ID}
	switch {
	case chosen == leaveOut:
		answer.Ignore = new(true)
		return []api.ColumnAnswer{answer}, nil
	case c.TargetField != nil && chosen == *c.TargetField:
		answer.Confirm = new(true)
	default:
		answer.TargetField = &chosen
	}
	return []api.ColumnAnswer{answer}, a.askReading(c, &answer)
}

// choices are what a column can be: what it was taken for, then what it may be, the most
// likely first, then the other fields that are free.
func choices(c *api.ColumnMapping, free []huh.Option[string]) (first string, options []huh.Option[string]) {
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
			offer(g.Field, fmt.Sprintf(" (%.0f %%, by its %s)", g.Score*100, reasons[string(g.Reason)]))
		}
	}
	if c.TargetField == nil {
		offer(leaveOut, "")
	}
	for _, o := range free {
		offer(o.Value, "")
	}
	return options[0].Value, options
}

// reasons say by what a column may be a field.
var reasons = map[string]string{"exact": "name", "alias": "name", "similar": "similar name", "content": "values"}

func label(header string, index int) string {
	if header == "" {
		return fmt.Sprintf("Column %d, without a header", index+1)
	}
	return header
}

// askReading asks how a column's dates and numbers are read, where its cells leave it open.
func (a *app) askReading(c *api.ColumnMapping, answer *api.ColumnAnswer) error {
	if open(c.DateOrder) {
		order := "dmy"
		if err := a.ask(huh.NewSelect[string]().Title("What stands first in its dates?").
			Options(huh.NewOption("the day", "dmy"), huh.NewOption("the month", "mdy"), huh.NewOption("the year", "ymd")).Value(&order)); err != nil {
			return err
		}
		answer.DateOrder = new(api.DateOrder(order))
	}
	if open(c.DecimalMark) {
		mark := "."
		if err := a.ask(huh.NewSelect[string]().Title("What stands before decimals in its numbers?").
			Options(huh.NewOption("a point: 1.5", "."), huh.NewOption("a comma: 1,5", ",")).Value(&mark)); err != nil {
			return err
		}
		answer.DecimalMark = new(api.DecimalMark(mark))
	}
	return nil
}

func open(r *api.ColumnReading) bool {
	return r != nil && r.Value == nil && r.AmbiguousCells > 0
}
