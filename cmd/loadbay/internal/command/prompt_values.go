package command

import (
	"context"
	"fmt"

	"charm.land/huh/v2"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
)

// maxAskedValues is the maximum number of values asked about in one go; the others follow.
const maxAskedValues = 200

func (a *app) answerCells(ctx context.Context, caller *client.Client, j *api.ImportJob) error {
	id := j.Identifier.String()
	open, err := unresolvedCells(ctx, caller, id, maxAskedValues)
	if err != nil {
		return err
	}
	a.notify("Match each value to an entry.")
	var answers []api.CellAnswer
	for i := range open {
		answer, err := a.askCell(ctx, caller, id, &open[i])
		if err != nil {
			return err
		}
		answers = append(answers, answer)
	}
	err = client.Do(caller.API.AnswerCells(ctx, id, answers))
	if client.HasCode(err, "MAPPING_INCOMPLETE") {
		return nil // the other values follow
	}
	if err != nil {
		return err
	}
	return client.Do(caller.API.ConfirmCells(ctx, id))
}

// unresolvedCells returns the first values without a match.
func unresolvedCells(ctx context.Context, caller *client.Client, id string, limit int) ([]api.CellMapping, error) {
	open := []api.CellMapping{}
	for c, err := range client.Pages[api.CellMapping](ctx, caller)(caller.API.ListCells(ctx, id, nil)) {
		if err != nil {
			return nil, err
		}
		if c.Status == api.MappingStatusUNRESOLVED && len(open) < limit {
			open = append(open, c)
		}
	}
	return open, nil
}

// maxCandidates is the maximum number of candidates offered for a value.
const maxCandidates = 500

func (a *app) askCell(ctx context.Context, caller *client.Client, id string, c *api.CellMapping) (api.CellAnswer, error) {
	params := &api.ListCandidatesParams{TargetField: c.TargetField, Value: &c.SourceValue, Size: new(maxCandidates)}
	found, err := client.Read[[]api.Candidate](caller.API.ListCandidates(ctx, id, params))
	if err != nil {
		return api.CellAnswer{}, err
	}
	answers := cellAnswers(*found, c.ID)
	options := make([]huh.Option[int], len(answers))
	for i := range answers {
		options[i] = huh.NewOption(answers[i].title, i)
	}
	chosen := 0
	question := huh.NewSelect[int]().Title(fmt.Sprintf("%s: %s", c.TargetField, c.SourceValue)).
		Description(fmt.Sprintf("in %d rows, first in row %d", c.RowCount, c.FirstRow)).Options(options...).Value(&chosen)
	if err := a.runPrompt(question); err != nil {
		return api.CellAnswer{}, err
	}
	return answers[chosen].CellAnswer, nil
}

// cellChoice is a decision with its label.
type cellChoice struct {
	title string
	api.CellAnswer
}

// cellAnswers are the options for a value: the candidates, the most similar first, and the
// decisions that need no candidate.
func cellAnswers(found []api.Candidate, id int64) []cellChoice {
	var answers []cellChoice
	for _, f := range found {
		answers = append(answers, cellChoice{f.DisplayName, api.CellAnswer{ID: &id, TargetEntityID: f.ID, TargetValue: f.Value}})
	}
	return append(answers,
		cellChoice{"(leave field empty)", api.CellAnswer{ID: &id, Empty: new(true)}},
		cellChoice{"(skip its rows)", api.CellAnswer{ID: &id, Ignore: new(true)}},
		cellChoice{"(create new entry)", api.CellAnswer{ID: &id, Create: new(true)}})
}
