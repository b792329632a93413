package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
)

// maxAskedValues is the maximum number of values asked about in one go; the others follow.
const maxAskedValues = 200

// cellReview asks a person about the values of an import.
type cellReview struct {
	*app
	caller *client.Client
	id     string
	fields fieldList
	open   []api.CellMapping
	// decided are the answers of this session, by the IDs of the values.
	decided map[int64]string
}

// answerCells asks about values without a match, and confirms them when all have one.
func (a *app) answerCells(ctx context.Context, caller *client.Client, id string, fields fieldList) error {
	r := &cellReview{app: a, caller: caller, id: id, fields: fields, decided: make(map[int64]string)}
	for {
		open, err := unresolvedCells(ctx, caller, id, maxAskedValues)
		if err != nil {
			return err
		}
		r.open = open
		if err := r.askEach(ctx); err != nil {
			return err
		}
		left, err := unresolvedCells(ctx, caller, id, 1)
		if err != nil {
			return err
		}
		details := ""
		if len(left) > 0 {
			details = "Some values have no match yet. The import waits until all have one."
		}
		next, err := a.askFinalStep(ctx, "All values have been shown.", details, len(left) == 0)
		if err != nil {
			return err
		}
		switch next {
		case proceed:
			return client.Do(caller.API.ConfirmCells(ctx, id))
		case stopForNow:
			a.report("The import waits for its values. To continue:\nloadbay imports watch %s", id)
			return exitStatus(exitPending)
		case changeAnswer:
			if err := r.change(ctx); err != nil {
				return err
			}
		}
	}
}

// unresolvedCells returns the first values without a match.
func unresolvedCells(ctx context.Context, caller *client.Client, id string, limit int) ([]api.CellMapping, error) {
	open, _, err := collectEntries(client.Pages[api.CellMapping](ctx, caller)(caller.API.ListCells(ctx, id, &api.ListCellsParams{Open: new(true)})), limit)
	return open, err
}

func (r *cellReview) askEach(ctx context.Context) error {
	return steps(len(r.open), func(i, toward int) (int, error) {
		c := &r.open[i]
		if r.decided[c.ID] == sameAsSimilar {
			return toward, nil
		}
		return r.ask(ctx, fmt.Sprintf("%d of %d: ", i+1, len(r.open)), c, i > 0)
	})
}

// sameAsSimilar marks a value that got the answer of a similar one.
const sameAsSimilar = "the same as a similar value"

// maxCandidates is the maximum number of candidates offered for a value.
const maxCandidates = 500

// ask asks for the match of a value, and sends the answer. A refused answer is asked for again.
func (r *cellReview) ask(ctx context.Context, place string, c *api.CellMapping, back bool) (int, error) {
	params := &api.ListCandidatesParams{TargetField: c.TargetField, Value: &c.SourceValue, Size: new(maxCandidates)}
	found, err := client.Read[[]api.Candidate](r.caller.API.ListCandidates(ctx, r.id, params))
	if err != nil {
		return 0, err
	}
	f := r.fields.find(c.TargetField)
	choices := cellChoices(*found, c, f)
	q := question{title: fmt.Sprintf("%sWhat does %q in %s mean?", place, c.SourceValue, f.Title), details: fmt.Sprintf("In %s, first in row %d.", count(c.RowCount, "row"), c.FirstRow)}
	if before := r.decided[c.ID]; before != "" {
		choices[0].title = "(keep: " + before + ")"
	}
	for _, choice := range choices {
		q.options = append(q.options, choice.title)
	}
	if back {
		q.options = append(q.options, textBack)
	}
	i, err := r.choose(ctx, q)
	switch {
	case err != nil:
		return 0, err
	case i == len(choices):
		return -1, nil
	case i == 0:
		return 1, nil
	}
	return r.send(ctx, c, choices[i])
}

// send sends an answer, for similar values too if the person wants that.
func (r *cellReview) send(ctx context.Context, c *api.CellMapping, chosen cellChoice) (int, error) {
	similar, err := r.chooseSimilar(ctx, c, chosen)
	if err != nil {
		return 0, err
	}
	answers := []api.CellAnswer{chosen.CellAnswer}
	for _, other := range similar {
		same := chosen.CellAnswer
		same.ID = &other.ID
		answers = append(answers, same)
	}
	err = ignoreIncomplete(client.Do(r.caller.API.AnswerCells(ctx, r.id, answers)))
	if isRefused(err) {
		r.report("%s", r.describeError(err))
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	r.decided[c.ID] = chosen.title
	for _, other := range similar {
		r.decided[other.ID] = sameAsSimilar
	}
	return 1, nil
}

// maxNamedValues is the maximum number of values named in a question.
const maxNamedValues = 5

// chooseSimilar asks whether the other open values that mean the same get the same answer.
func (r *cellReview) chooseSimilar(ctx context.Context, c *api.CellMapping, chosen cellChoice) ([]api.CellMapping, error) {
	var similar []api.CellMapping
	var names []string
	for i := range r.open {
		other := &r.open[i]
		if other.ID == c.ID || other.TargetField != c.TargetField || r.decided[other.ID] != "" || !isSimilar(other, c, chosen) {
			continue
		}
		similar = append(similar, *other)
		if len(names) < maxNamedValues {
			names = append(names, fmt.Sprintf("%q", other.SourceValue))
		}
	}
	if len(similar) == 0 {
		return nil, nil
	}
	if more := len(similar) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	i, err := r.choose(ctx, question{"Use the same answer for similar values?", strings.Join(names, ", "), []string{"No, ask for each of them", "Yes, for " + count(int64(len(similar)), "value")}})
	if i == 0 {
		return nil, err
	}
	return similar, err
}

// minSimilarity is the similarity from which an entry is taken for the meaning of a value.
const minSimilarity = 0.8

// isSimilar reports whether a value is spelled like another one, or whether the entry chosen for
// that one is its most similar entry as well.
func isSimilar(other, c *api.CellMapping, chosen cellChoice) bool {
	if foldValue(other.SourceValue) == foldValue(c.SourceValue) {
		return true
	}
	if len(other.Suggestions) == 0 || other.Suggestions[0].Score == nil || *other.Suggestions[0].Score < minSimilarity {
		return false
	}
	first := &other.Suggestions[0]
	return chosen.TargetEntityID != nil && first.ID != nil && *first.ID == *chosen.TargetEntityID ||
		chosen.TargetValue != nil && first.Value != nil && *first.Value == *chosen.TargetValue
}

// foldValue removes what does not distinguish two spellings of a value.
func foldValue(text string) string {
	return strings.ToLower(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" .,;:-_/'’()", r) }), ""))
}

// change asks again about one of the values that were answered in this session.
func (r *cellReview) change(ctx context.Context) error {
	texts := []string{textBack}
	var values []*api.CellMapping
	for i := range r.open {
		c := &r.open[i]
		texts = append(texts, fmt.Sprintf("%s: %s", c.SourceValue, decidedText(r.decided[c.ID])))
		values = append(values, c)
	}
	i, err := r.choose(ctx, question{"Which answer do you want to change?", "", texts})
	if err != nil || i == 0 {
		return err
	}
	return steps(1, func(int, int) (int, error) { return r.ask(ctx, "", values[i-1], false) })
}

func decidedText(answer string) string {
	if answer == "" {
		return "undecided"
	}
	return answer
}

// cellChoice is a decision with its label.
type cellChoice struct {
	title string
	api.CellAnswer
}

// cellChoices are the options for a value: to leave it open, the candidates, the most similar
// first, and the decisions that need no candidate, if the field allows them.
func cellChoices(found []api.Candidate, c *api.CellMapping, f api.Field) []cellChoice {
	choices := []cellChoice{{title: textLater}}
	for _, candidate := range found {
		choices = append(choices, cellChoice{candidate.DisplayName, api.CellAnswer{ID: &c.ID, TargetEntityID: candidate.ID, TargetValue: candidate.Value}})
	}
	if f.CanCreate != nil && *f.CanCreate {
		choices = append(choices, cellChoice{fmt.Sprintf("Create %q as a new %s", c.SourceValue, strings.ToLower(f.Title)), api.CellAnswer{ID: &c.ID, Create: new(true)}})
	}
	if !f.IsRequired {
		choices = append(choices, cellChoice{"(leave the field empty)", api.CellAnswer{ID: &c.ID, Empty: new(true)}})
	}
	choices = append(choices, cellChoice{"(skip " + count(c.RowCount, "row") + ")", api.CellAnswer{ID: &c.ID, Ignore: new(true)}})
	return pastFirst(choices, c.PastAnswer)
}

// pastFirst moves the answer of earlier imports before all others. The first choice still is to leave
// the value open.
func pastFirst(choices []cellChoice, p *api.PastAnswer) []cellChoice {
	if p == nil {
		return choices
	}
	i := slices.IndexFunc(choices, func(c cellChoice) bool {
		return isSame(c.TargetEntityID, p.TargetEntityID) || isSame(c.TargetValue, p.TargetValue) || isSame(c.Empty, p.Empty) || isSame(c.Ignore, p.Ignore)
	})
	if i < 1 {
		return choices
	}
	past := choices[i]
	past.title += asBefore(p)
	return slices.Insert(slices.Delete(choices, i, i+1), 1, past)
}

func isSame[T comparable](a, b *T) bool { return a != nil && b != nil && *a == *b }

// count formats a number of things: "1 row", "2 rows".
func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
