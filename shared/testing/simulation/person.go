package simulation

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strconv"

	"github.com/loadbay/loadbay/shared/imports/reading"
	"github.com/loadbay/loadbay/shared/imports/review"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/testing/simulation/generate"
)

// person lets the person decide what an import in that status asks.
func (p *play) person(ctx context.Context, status job.Status) {
	answer, name := p.columns, "answers about columns"
	if status == job.CellMapping {
		answer, name = p.cells, "answers about values"
	}
	times := 1
	if p.plan.doubles > 0 {
		p.plan.doubles--
		times++
	}
	for range times {
		p.personal++
		p.begin(ctx, name, answer, func(t *task) {
			p.personal--
			p.conclude(t)
			p.refused = t.err != nil || t.died
		})
	}
}

// columns says what the columns are that the import did not know, and how those are
// read that do not show it.
func (p *play) columns(ctx context.Context) error {
	_, found, err := p.functions.review.Columns(ctx, p.ref)
	if err != nil {
		return err
	}
	var said []review.Column
	for _, c := range found {
		column, is := p.script.Columns[c.ColumnIndex], review.Column{ID: c.ID}
		switch {
		case column.Part:
		case column.Field == "":
			is.Ignore = true
		case c.TargetField != column.Field:
			is.TargetField = column.Field
		}
		if column.Stated {
			is.DateOrder = column.Order
		}
		if is.Ignore || is.TargetField != "" || is.DateOrder != "" {
			said = append(said, is)
		}
	}
	if len(said) > 0 {
		_, _, err := p.functions.review.DecideColumns(ctx, p.ref, "", said)
		// Who skips what is asked does not say how columns are read.
		if err != nil && !(p.script.Skip && problem.CodeOf(err) == problem.NotAcceptable) {
			return err
		}
	}
	if p.pauses.Add(-1) >= 0 {
		return nil
	}
	if p.script.Skip {
		_, err = p.functions.review.Start(ctx, p.ref)
	} else {
		_, err = p.functions.review.ConfirmColumns(ctx, p.ref)
	}
	return err
}

// readAgain has the file read as it was read, once because the person says so and once
// because it is found out: what has been decided stays, and nothing else comes of it.
func (p *play) readAgain(ctx context.Context) error {
	j, _, err := p.functions.review.Columns(ctx, p.ref)
	if err != nil {
		return err
	}
	var options sheet.Options
	var dialect sheet.Dialect
	if err := errors.Join(json.Unmarshal(j.Options, &options), json.Unmarshal(j.Dialect, &dialect)); err != nil {
		return err
	}
	change := reading.Change{"headerRow": json.RawMessage(strconv.FormatInt(dialect.HeaderRow, 10))}
	switch {
	case dialect.HeaderRow == 0:
		change = reading.Change{"sheetIndex": json.RawMessage(strconv.Itoa(j.Rereads))} // of objects, which have no sheets
	case options.HeaderRow > 0:
		change["headerRow"] = json.RawMessage("null")
	}
	_, err = p.functions.source.Change(ctx, p.ref, change)
	return err
}

// cells says what the values stand for that nobody knows.
func (p *play) cells(ctx context.Context) error {
	if p.script.Skip {
		_, err := p.functions.review.Start(ctx, p.ref)
		return err
	}
	found, _, err := p.functions.review.Cells(ctx, p.ref, job.CellsPage{Limit: math.MaxInt64})
	if err != nil {
		return err
	}
	var said []review.Cell
	for _, c := range found {
		if c.Status != job.Unresolved {
			continue
		}
		said = append(said, p.answer(c))
	}
	if len(said) > 0 {
		if err := p.functions.review.DecideCells(ctx, p.ref, said); err != nil {
			return err
		}
	}
	_, err = p.functions.review.ConfirmCells(ctx, p.ref)
	return err
}

// answer says what a value stands for that nobody knows.
func (p *play) answer(c job.MappedCell) review.Cell {
	is := review.Cell{ID: c.ID}
	word, foreign := p.script.Words[c.Value]
	switch n := p.script.Values[c.Value]; {
	case foreign && word == "":
		is.Empty = true
	case foreign && word != generate.LeaveOut:
		is.TargetValue = word
	case n > 0:
		id := generate.Number(p.ref.OrganisationID, n)
		is.TargetEntityID = &id
	default:
		is.Ignore = true
	}
	return is
}
