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

// correctionFlags are those of the command correct.
type correctionFlags struct {
	row                                     int64
	set                                     []string
	field, code, value, to, replace, change string
	preview, drop                           bool
}

func (a *app) correctCommand() *cobra.Command {
	var f correctionFlags
	c := a.withFormatFlags(&cobra.Command{
		Use: "correct ID", Short: "Say what cells of rows in error should have been", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(importIDs),
		Long: `Say what cells of rows in error should have been: those of one row (--row and --set), or all
that are wrong alike (--field, maybe --code and --value, with --to, --replace or --transform).
Each is checked at once; loadbay retry ID imports the rows again.

Ends with exit code 4 if a cell that was meant is still wrong.`,
		Example: `  loadbay correct 01a1f9e7-1bde-7bf8-ac8c-500f93581dd4 --row 17 --set EMAIL=ann@example.org
  loadbay correct 01a1f9e7-1bde-7bf8-ac8c-500f93581dd4 --field TOTAL_WEIGHT --code CELL_NUMBER --replace ,=.
  loadbay correct 01a1f9e7-1bde-7bf8-ac8c-500f93581dd4 --field ROLE --value edit --to editor --preview
  loadbay correct 01a1f9e7-1bde-7bf8-ac8c-500f93581dd4 --drop --row 17`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			if f.drop {
				params := &api.DropCorrectionsParams{Row: nonZero(f.row), Field: nonZero(strings.ToUpper(f.field))}
				return client.Do(caller.API.DropCorrections(ctx, given[0], params))
			}
			return a.sendCorrections(ctx, caller, &f, given[0])
		}),
	})
	flags := c.Flags()
	flags.Int64Var(&f.row, "row", 0, "the row whose cells are corrected")
	flags.StringArrayVar(&f.set, "set", nil, "a cell of it as FIELD=TEXT; FIELD= leaves it empty")
	flags.StringVar(&f.field, "field", "", "all cells of this field that are wrong")
	flags.StringVar(&f.code, "code", "", "of them those with a row error of this code")
	flags.StringVar(&f.value, "value", "", "of them those that read exactly so")
	flags.StringVar(&f.to, "to", "", "what that value should have been")
	flags.StringVar(&f.replace, "replace", "", "replace OLD=NEW in them")
	flags.StringVar(&f.change, "transform", "", "change them by the steps of a mapping, as JSON")
	flags.BoolVar(&f.preview, "preview", false, "check and count, and keep nothing")
	flags.BoolVar(&f.drop, "drop", false, "take corrections back: of a --row, of a --field, or all")
	return c
}

// correction is what the flags say, as the API takes it.
func (f *correctionFlags) correction() (map[string]any, error) {
	switch {
	case (f.row != 0) == (f.field != "") || (f.row != 0) != (len(f.set) > 0):
		return nil, usageError{errors.New("say which cells: --row and --set, or --field; loadbay rows ID --summary shows what is wrong")}
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

// cells are the texts by field; nil leaves one empty.
func (f *correctionFlags) cells() (map[string]*string, error) {
	cells := make(map[string]*string, len(f.set))
	for _, s := range f.set {
		field, text, ok := strings.Cut(s, "=")
		if !ok {
			return nil, usageError{fmt.Errorf("--set %s: write FIELD=TEXT", s)}
		}
		cells[strings.ToUpper(field)] = nonZero(text)
	}
	return cells, nil
}

// transformSteps are how cells are changed that are wrong alike.
func (f *correctionFlags) transformSteps() (steps []api.TransformStep, err error) {
	switch {
	case f.to != "" && f.value != "":
		steps = append(steps, api.TransformStep{Op: api.TransformStepOpMap, Values: &map[string]string{f.value: f.to}})
	case f.to != "":
		return nil, usageError{errors.New("--to goes with --value: it says what that should have been")}
	}
	if f.replace != "" {
		before, after, ok := strings.Cut(f.replace, "=")
		if !ok || before == "" {
			return nil, usageError{fmt.Errorf("--replace %s: write OLD=NEW", f.replace)}
		}
		steps = append(steps, api.TransformStep{Op: api.TransformStepOpReplace, Old: &before, New: &after})
	}
	if f.change != "" {
		var more []api.TransformStep
		if err := json.Unmarshal([]byte(f.change), &more); err != nil {
			return nil, usageError{fmt.Errorf("--transform is no list of steps: %w", err)}
		}
		steps = append(steps, more...)
	}
	if len(steps) == 0 {
		return nil, usageError{errors.New("say what becomes of the cells: --to, --replace or --transform")}
	}
	return steps, nil
}

// sendCorrections sends what the flags say, as often as it takes to look at all rows.
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
	t := &render.Table{Header: []string{"ROW", "FIELD", "BEFORE", "AFTER", "WHAT IS STILL WRONG"}}
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
