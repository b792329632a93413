package correction

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/transform"
)

// ReplaceFilter selects cells of a field in open rows, optionally those with an error code for the
// field and those with a value.
type ReplaceFilter struct {
	Field string
	Code  string  // "": any
	Value *string // nil: any
}

// ReplaceResult is the result of changing several cells in the same way.
type ReplaceResult struct {
	Matched   int // selected cells
	Corrected int // cells that were saved, or would be: they have changed and are valid
	Examples  []CheckedRow
	// Next is the position at which the next call continues; More reports whether there may be further
	// rows.
	Next int64
	More bool
}

// maxExamples is the maximum number of changed rows in the result.
const maxExamples = 10

// Replace applies steps to cells, validates them, and saves the valid ones; with preview it saves
// none. by is the person who corrects, or "" if unknown. One call processes a limited number of rows after the position.
func (s *Service) Replace(ctx context.Context, ref job.Ref, by string, w ReplaceFilter, steps []transform.Step, after int64, preview bool) (*ReplaceResult, error) {
	chain, err := transform.Compile(steps)
	if err != nil {
		return nil, problem.Wrap(err, problem.ParameterInvalid, "%s", err).With("transform", problem.ParameterInvalid, err.Error())
	}
	in, err := s.loadInput(ctx, ref)
	if err != nil {
		return nil, err
	}
	defer in.close()
	if err := submit.CheckCorrectable(in.job, in.kind.Declaration()); err != nil {
		return nil, err
	}
	if !in.plan.HasField(w.Field) {
		return nil, problem.New(problem.ParameterInvalid,
			"No column of the file is matched to the field to be changed.").
			With("where.field", problem.ParameterInvalid, "A field that is matched to a column of the file.")
	}
	r := &ReplaceResult{}
	budget := transform.NewBudget()
	budget.Limit(ctx, in.work)
	f := &rowFilter{outcome: rowwrite.Errored, field: w.Field, code: w.Code, open: true}
	r.Next, r.More, err = s.scan(ctx, in.job, after, f, func(e *entry, wanted []int64) (int64, bool, error) {
		checked, err := s.checkEntry(ctx, in, e, wanted, func(_ int64, now []rows.Value) (Cells, error) {
			return r.correction(chain, budget, &w, now)
		})
		if err == nil && !preview {
			err = s.save(ctx, in.job, by, checked)
		}
		r.add(checked)
		return 0, false, err
	})
	if err != nil {
		return nil, fmt.Errorf("correct rows of job %s: %w", in.job.ID, err)
	}
	return r, nil
}

// correction returns the correction of a row; none if the cell is not selected, does not change, or
// cannot be processed by the steps.
func (r *ReplaceResult) correction(chain *transform.Chain, budget *transform.Budget, w *ReplaceFilter, now []rows.Value) (Cells, error) {
	for _, v := range now {
		if v.Field != w.Field || w.Value != nil && *w.Value != v.Read {
			continue
		}
		r.Matched++
		budget.StartRow(len(v.Read))
		text, err := chain.Apply(budget, v.Read)
		if budget.Err() != nil {
			return nil, budget.Err()
		}
		var misfit *transform.Error
		if errors.As(err, &misfit) || text == v.Read {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(text)
		return Cells{v.Field: value}, err
	}
	return nil, nil
}

// add counts rows and stores the first ones as examples.
func (r *ReplaceResult) add(checked []CheckedRow) {
	for _, one := range checked {
		if one.Cells[0].Error == nil {
			r.Corrected++
		}
		if len(r.Examples) < maxExamples {
			r.Examples = append(r.Examples, one)
		}
	}
}
