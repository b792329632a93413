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

// answerQuestions lets the person answer the questions of an import in that status.
func (p *importRun) answerQuestions(ctx context.Context, status job.Status) {
	answer, name := p.decideColumns, "answers about columns"
	if status == job.CellMapping {
		answer, name = p.decideCells, "answers about values"
	}
	times := 1
	if p.plan.duplicateDecisions > 0 {
		p.plan.duplicateDecisions--
		times++
	}
	for range times {
		p.personTasks++
		p.begin(ctx, name, answer, func(t *task) {
			p.personTasks--
			p.finishTask(t)
			p.blocked = t.err != nil || t.died
		})
	}
}

// decideColumns maps unknown columns, and sets undetermined locales of columns.
func (p *importRun) decideColumns(ctx context.Context) error {
	_, found, err := p.functions.review.Columns(ctx, p.ref)
	if err != nil {
		return err
	}
	var decisions []review.ColumnDecision
	for _, c := range found {
		column, is := p.script.Columns[c.ColumnIndex], review.ColumnDecision{ID: c.ID}
		switch {
		case column.IsPart:
		case column.Field == "":
			is.Ignore = true
		case c.TargetField != column.Field:
			is.TargetField = column.Field
		}
		if column.OrderDecided {
			is.DateOrder = column.Order
		}
		if is.Ignore || is.TargetField != "" || is.DateOrder != "" {
			decisions = append(decisions, is)
		}
	}
	if len(decisions) > 0 {
		_, _, err := p.functions.review.DecideColumns(ctx, p.ref, "", decisions)
		// A person who skips questions does not set locales either.
		if err != nil && !(p.script.SkipDecisions && problem.CodeOf(err) == problem.MappingIncomplete) {
			return err
		}
	}
	if p.unconfirmedDecisions.Add(-1) >= 0 {
		return nil
	}
	if p.script.SkipDecisions {
		_, err = p.functions.review.StartProcessing(ctx, p.ref, "")
	} else {
		_, err = p.functions.review.ConfirmColumns(ctx, p.ref, "")
	}
	return err
}

// reanalyze changes the reading options to the current ones, once explicitly and once by
// detection: all decisions remain, and nothing else changes.
func (p *importRun) reanalyze(ctx context.Context) error {
	j, _, err := p.functions.review.Columns(ctx, p.ref)
	if err != nil {
		return err
	}
	var options sheet.Options
	var dialect sheet.Dialect
	if err := errors.Join(json.Unmarshal(j.Options, &options), json.Unmarshal(j.Dialect, &dialect)); err != nil {
		return err
	}
	change := reading.OptionsPatch{"headerRow": json.RawMessage(strconv.FormatInt(dialect.HeaderRow, 10))}
	switch {
	case dialect.HeaderRow == 0:
		change = reading.OptionsPatch{"sheetIndex": json.RawMessage(strconv.Itoa(j.Reanalyses))} // for JSON, which has no sheets
	case options.HeaderRow > 0:
		change["headerRow"] = json.RawMessage("null")
	}
	_, err = p.functions.reading.Reanalyze(ctx, p.ref, "", change)
	return err
}

// decideCells decides about unknown values.
func (p *importRun) decideCells(ctx context.Context) error {
	found, _, err := p.functions.review.Cells(ctx, p.ref, job.CellPage{Page: job.Page{Limit: math.MaxInt64}})
	if err != nil {
		return err
	}
	var decisions []review.CellDecision
	for _, c := range found {
		if c.Status != job.Unresolved || p.script.SkipDecisions && c.TargetField != job.PersonField {
			continue
		}
		decisions = append(decisions, p.decideValue(c))
	}
	if len(decisions) > 0 {
		err := p.functions.review.DecideCells(ctx, p.ref, "", decisions)
		if err != nil && !(p.script.SkipDecisions && problem.CodeOf(err) == problem.MappingIncomplete) {
			return err
		}
	}
	if p.script.SkipDecisions {
		_, err := p.functions.review.StartProcessing(ctx, p.ref, "")
		return err
	}
	_, err = p.functions.review.ConfirmCells(ctx, p.ref, "")
	return err
}

// decideValue decides about an unknown value.
func (p *importRun) decideValue(c job.MappedCell) review.CellDecision {
	is := review.CellDecision{ID: c.ID}
	if c.TargetField == job.PersonField {
		is.Create = true // the model has no doubts about people
		return is
	}
	word, foreign := p.script.WordDecisions[c.Value]
	switch n := p.script.EntityDecisions[c.Value]; {
	case foreign && word == "":
		is.Empty = true
	case foreign && word != generate.Ignore:
		is.TargetValue = word
	case n > 0:
		id := generate.EntityID(p.ref.OrganisationID, n)
		is.TargetEntityID = &id
	default:
		is.Ignore = true
	}
	return is
}
