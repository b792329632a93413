package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"github.com/loadbay/loadbay/client/api"
)

// Question is a column or a value that an import asks about: one of the members is set.
type Question struct {
	Column *api.ColumnMapping
	Value  *api.CellMapping
}

// Answer is the decision about a Question: the member of the same name, whose ID Decide sets. An
// empty Answer leaves the proposal of the server as it is.
type Answer struct {
	Column *api.ColumnAnswer
	Value  *api.CellAnswer
}

// ErrUndecided means that an import still waits for answers after Decide has asked every question.
var ErrUndecided = errors.New("the import still waits for answers")

// maxAnswers is the number of answers in a request.
const maxAnswers = 500

// Decide waits for an import, calls decide for each column and value without a confirmed decision,
// sends the answers and lets the import continue, until it has ended or waits for an approval. It
// returns ErrUndecided if the answers do not suffice, and the server's error if it refuses one.
func (c *Client) Decide(ctx context.Context, id string, decide func(Question) Answer) (*api.ImportJob, error) {
	var asked []api.ImportJobWaitingFor
	for {
		job, err := c.Wait(ctx, id, nil)
		if err != nil || Ended(job) || AwaitsApproval(job) {
			return job, err
		}
		if slices.Contains(asked, *job.WaitingFor) {
			return job, ErrUndecided
		}
		asked = append(asked, *job.WaitingFor)
		if *job.WaitingFor == api.ImportJobWaitingForCOLUMNMAPPINGS {
			err = c.decideColumns(ctx, id, decide)
		} else {
			err = c.decideValues(ctx, id, decide)
		}
		if err != nil {
			return job, err
		}
	}
}

func (c *Client) decideColumns(ctx context.Context, id string, decide func(Question) Answer) error {
	var answers []api.ColumnAnswer
	for column, err := range Pages[api.ColumnMapping](ctx, c)(c.API.ListColumns(ctx, id, nil)) {
		if err != nil {
			return err
		}
		if column.Confirmed {
			continue
		}
		if answer := decide(Question{Column: &column}).Column; answer != nil {
			answer.ID = &column.ID
			answers = append(answers, *answer)
		}
	}
	if err := c.AnswerColumns(ctx, id, answers...); err != nil {
		return err
	}
	return c.ConfirmColumns(ctx, id)
}

func (c *Client) decideValues(ctx context.Context, id string, decide func(Question) Answer) error {
	var answers []api.CellAnswer
	for value, err := range Pages[api.CellMapping](ctx, c)(c.API.ListCells(ctx, id, nil)) {
		if err != nil {
			return err
		}
		if value.Confirmed {
			continue
		}
		if answer := decide(Question{Value: &value}).Value; answer != nil {
			answer.ID = &value.ID
			answers = append(answers, *answer)
		}
	}
	if err := c.AnswerValues(ctx, id, answers...); err != nil {
		return err
	}
	return c.ConfirmValues(ctx, id)
}

// AnswerColumns saves decisions about columns. ConfirmColumns continues the import.
func (c *Client) AnswerColumns(ctx context.Context, id string, answers ...api.ColumnAnswer) error {
	for part := range slices.Chunk(answers, maxAnswers) {
		if err := incomplete(Do(c.API.AnswerColumns(ctx, id, part))); err != nil {
			return fmt.Errorf("answer columns of import %s: %w", id, err)
		}
	}
	return nil
}

// ConfirmColumns continues an import with the columns as they are. Columns without a field are
// ignored.
func (c *Client) ConfirmColumns(ctx context.Context, id string) error {
	wait := "wait=10" // the values are found meanwhile
	if err := Do(c.API.ConfirmColumns(ctx, id, &api.ConfirmColumnsParams{Prefer: &wait})); err != nil {
		return fmt.Errorf("confirm columns of import %s: %w", id, err)
	}
	return nil
}

// AnswerValues saves decisions about values. ConfirmValues continues the import.
func (c *Client) AnswerValues(ctx context.Context, id string, answers ...api.CellAnswer) error {
	for part := range slices.Chunk(answers, maxAnswers) {
		if err := incomplete(Do(c.API.AnswerCells(ctx, id, part))); err != nil {
			return fmt.Errorf("answer values of import %s: %w", id, err)
		}
	}
	return nil
}

// ConfirmValues continues an import with the values as they are.
func (c *Client) ConfirmValues(ctx context.Context, id string) error {
	if err := Do(c.API.ConfirmCells(ctx, id)); err != nil {
		return fmt.Errorf("confirm values of import %s: %w", id, err)
	}
	return nil
}

// incomplete ignores that further decisions are needed: the answers of the request were saved.
func incomplete(err error) error {
	if HasCode(err, "MAPPING_INCOMPLETE") {
		return nil
	}
	return err
}

// Plan is Import for an import that writes nothing until Apply is called with its result: it waits
// until the plan is complete or needs answers. DELETE, or the end of its period, discards a plan.
func (c *Client) Plan(ctx context.Context, key string, creation api.Creation, file Source, size int64) (*api.ImportJob, error) {
	creation.Plan = new(true)
	if creation.AutoStart == nil {
		creation.AutoStart = new(true)
	}
	job, err := c.Import(ctx, key, creation, file, size, nil)
	if err != nil {
		return job, err
	}
	return c.Wait(ctx, job.Identifier.String(), nil)
}

// Apply writes exactly the changes of a plan and waits for the end. onStale decides about rows that
// were changed after the plan was made.
func (c *Client) Apply(ctx context.Context, plan *api.ImportJob, onStale api.OnStale) (*api.ImportJob, error) {
	id := plan.Identifier.String()
	if plan.Plan == nil || plan.Plan.Digest == nil {
		return plan, fmt.Errorf("import %s is not a complete plan", id)
	}
	if err := Do(c.API.ApplyPlan(ctx, id, api.Application{Digest: *plan.Plan.Digest, OnStale: &onStale})); err != nil {
		return plan, fmt.Errorf("apply plan %s: %w", id, err)
	}
	return c.WaitUntil(ctx, id, nil, Ended)
}

// Undo takes the changes of an import back and waits for the end. It returns the import that does
// so. key makes the call safe to repeat, as in Import.
func (c *Client) Undo(ctx context.Context, key, id string, mode api.UndoMode) (*api.ImportJob, error) {
	if key == "" {
		key = uuid.NewString()
	}
	undo, err := Read[api.ImportJob](c.API.UndoImport(ctx, id, &api.UndoImportParams{IdempotencyKey: &key}, api.UndoImportJSONRequestBody{Mode: &mode}))
	if err != nil {
		return nil, fmt.Errorf("undo import %s: %w", id, err)
	}
	return c.Wait(ctx, undo.Identifier.String(), nil)
}

// Correct corrects rows in error, by row number and field, and imports the corrected rows. It returns
// the import that does so, after its end. key makes the retry safe to repeat, as in Import.
func (c *Client) Correct(ctx context.Context, key, id string, rows map[int64]map[string]string) (*api.ImportJob, error) {
	if key == "" {
		key = uuid.NewString()
	}
	for part := range slices.Chunk(slices.Sorted(maps.Keys(rows)), maxAnswers) {
		body, err := correctionOf(rows, part)
		if err != nil {
			return nil, err
		}
		if err := Do(c.API.CorrectRowsWithBody(ctx, id, nil, "application/json", bytes.NewReader(body))); err != nil {
			return nil, fmt.Errorf("correct rows of import %s: %w", id, err)
		}
	}
	retry, err := Read[api.ImportJob](c.API.RetryImport(ctx, id, &api.RetryImportParams{IdempotencyKey: &key}, api.RetryImportJSONRequestBody{}))
	if err != nil {
		return nil, fmt.Errorf("retry import %s: %w", id, err)
	}
	return c.Wait(ctx, retry.Identifier.String(), nil)
}

// correctionOf returns the document that corrects some of the rows.
func correctionOf(rows map[int64]map[string]string, numbers []int64) ([]byte, error) {
	type correctedRow struct {
		Row   int64             `json:"row"`
		Cells map[string]string `json:"cells"`
	}
	corrected := make([]correctedRow, len(numbers))
	for i, number := range numbers {
		corrected[i] = correctedRow{Row: number, Cells: rows[number]}
	}
	return json.Marshal(map[string]any{"rows": corrected})
}
