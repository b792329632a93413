package command

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
)

// correctionFlags are the flags of the command correct.
type correctionFlags struct {
	row                                     int64
	set                                     []string
	field, code, value, to, replace, change string
	preview, drop                           bool
}

func (a *app) correctCommand() *cobra.Command {
	var f correctionFlags
	c := a.withFormatFlags(&cobra.Command{
		Use: "correct ID", Short: "Correct cells of rows with errors", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(importIDs),
		Long: `Correct cells of rows with errors: the cells of one row (--row and --set), or all cells with the
same error (--field, optionally --code and --value, with --to, --replace or --transform).
Each correction is checked immediately; loadbay retry ID imports the rows again.

The exit code is 4 if a corrected cell still has an error.`,
		Example: `  loadbay correct 01a1f9e7-1bde-7bf8-ac8c-500f93581dd4 --row 17 --set EMAIL=ann@example.org
  loadbay correct 01a1f9e7-1bde-7bf8-ac8c-500f93581dd4 --field TOTAL_WEIGHT --code CELL_NUMBER --replace ,=.
  loadbay correct 01a1f9e7-1bde-7bf8-ac8c-500f93581dd4 --field ROLE --value edit --to editor --preview
  loadbay correct 01a1f9e7-1bde-7bf8-ac8c-500f93581dd4 --drop --row 17`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			if f.drop {
				params := &api.DeleteCorrectionsParams{Row: nonZero(f.row), Field: nonZero(strings.ToUpper(f.field))}
				return client.Do(caller.API.DeleteCorrections(ctx, given[0], params))
			}
			return a.sendCorrections(ctx, caller, &f, given[0])
		}),
	})
	flags := c.Flags()
	flags.Int64Var(&f.row, "row", 0, "the row to correct")
	flags.StringArrayVar(&f.set, "set", nil, "new value of a cell as FIELD=TEXT; FIELD= clears it")
	flags.StringVar(&f.field, "field", "", "all cells of this field with errors")
	flags.StringVar(&f.code, "code", "", "only cells with an error of this code")
	flags.StringVar(&f.value, "value", "", "only cells with exactly this value")
	flags.StringVar(&f.to, "to", "", "the new value")
	flags.StringVar(&f.replace, "replace", "", "replace text in the cells, as OLD=NEW")
	flags.StringVar(&f.change, "transform", "", "change the cells with transformation steps, as JSON")
	flags.BoolVar(&f.preview, "preview", false, "check and count without saving")
	flags.BoolVar(&f.drop, "drop", false, "discard corrections: of a --row, of a --field, or all")
	return c
}

// correction converts the flags to an API request.
func (f *correctionFlags) correction() (map[string]any, error) {
	switch {
	case (f.row != 0) == (f.field != "") || (f.row != 0) != (len(f.set) > 0):
		return nil, usageError{errors.New("select the cells with --row and --set, or with --field (see loadbay rows ID --summary)")}
	case f.row != 0:
		cells, err := f.cells()
		return map[string]any{"rows": []any{map[string]any{"row": f.row, "cells": cells}}}, err
	}
	steps, err := f.transformSteps()
	where := map[string]any{"field": strings.ToUpper(f.field)}
	if f.code != "" {
		where["code"] = strings.ToUpper(f.code)
	}
	if f.value != "" {
		where["value"] = f.value
	}
	return map[string]any{"where": where, "transform": steps}, err
}

// cells are the corrected texts by field; nil clears a cell.
func (f *correctionFlags) cells() (map[string]*string, error) {
	cells := make(map[string]*string, len(f.set))
	for _, s := range f.set {
		field, text, ok := strings.Cut(s, "=")
		if !ok {
			return nil, usageError{fmt.Errorf("--set %s: use FIELD=TEXT", s)}
		}
		cells[strings.ToUpper(field)] = nonZero(text)
	}
	return cells, nil
}

// transformSteps are the transformations of cells that share an error.
func (f *correctionFlags) transformSteps() (steps []api.TransformStep, err error) {
	switch {
	case f.to != "" && f.value != "":
		steps = append(steps, api.TransformStep{Op: api.TransformStepOpMap, Values: &map[string]string{f.value: f.to}})
	case f.to != "":
		return nil, usageError{errors.New("--to requires --value, and --value requires --to")}
	}
	if f.replace != "" {
		before, after, ok := strings.Cut(f.replace, "=")
		if !ok || before == "" {
			return nil, usageError{fmt.Errorf("--replace %s: use OLD=NEW", f.replace)}
		}
		steps = append(steps, api.TransformStep{Op: api.TransformStepOpReplace, Old: &before, New: &after})
	}
	if f.change != "" {
		var more []api.TransformStep
		if err := json.Unmarshal([]byte(f.change), &more); err != nil {
			return nil, usageError{fmt.Errorf("--transform is not a list of steps: %w", err)}
		}
		steps = append(steps, more...)
	}
	if len(steps) == 0 {
		return nil, usageError{errors.New("set the change with --to, --replace or --transform")}
	}
	return steps, nil
}

// sendCorrections sends the corrections, in as many requests as all rows need.
func (a *app) sendCorrections(ctx context.Context, caller *client.Client, f *correctionFlags, id string) error {
	wanted, err := f.correction()
	if err != nil {
		return err
	}
	total := api.Corrected{Preview: f.preview}
	for !total.Complete {
		part, err := client.Read[api.Corrected](sendCorrection(ctx, caller, id, f.preview, wanted))
		if err != nil {
			return err
		}
		total.Matched += part.Matched
		total.Corrected += part.Corrected
		total.Rows = append(total.Rows, part.Rows...)
		total.Complete, wanted["cursor"] = part.Complete, part.Cursor
	}
	if err := a.print(total, func() *render.Table { return correctedTable(&total) }); err != nil {
		return err
	}
	done := map[bool]string{false: "corrected", true: "would be corrected"}[f.preview]
	a.notify("%d of %d cells %s.", total.Corrected, total.Matched, done)
	if total.Corrected < total.Matched {
		return exitStatus(exitRowErrors)
	}
	return nil
}

func sendCorrection(ctx context.Context, caller *client.Client, id string, preview bool, wanted map[string]any) (*http.Response, error) {
	text, err := json.Marshal(wanted)
	if err != nil {
		return nil, err
	}
	return caller.API.CorrectRowsWithBody(ctx, id, &api.CorrectRowsParams{Preview: &preview}, "application/json", bytes.NewReader(text))
}

// correctedTable has a line for each cell.
func correctedTable(c *api.Corrected) *render.Table {
	t := &render.Table{Header: []string{"ROW", "FIELD", "BEFORE", "AFTER", "REMAINING ERRORS"}}
	for _, row := range c.Rows {
		for _, cell := range row.Cells {
			still := cmp.Or(rowErrorText(row.Remaining), "-")
			if cell.Message != nil {
				still = *cell.Message
			}
			t.Add(row.RowNumber, cell.Field, cell.Before, cell.After, still)
		}
	}
	return t
}
