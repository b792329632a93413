package command

import (
	"context"
	"errors"
	"net/http"

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

// maxAsked is the maximum number of columns, or of values, asked about in one go. The others
// follow.
const maxAsked = 1000

// answerQuestions asks about the open questions of an import. Each answer is sent at once, so
// that Ctrl-C loses none.
func (a *app) answerQuestions(ctx context.Context, caller *client.Client, j *api.ImportJob) error {
	id := j.Identifier.String()
	a.introduce(id, j.OriginalFilename)
	fields, err := loadFields(ctx, caller, j.ImportType)
	if err != nil {
		return err
	}
	ask := a.answerCells
	if *j.WaitingFor == api.ImportJobWaitingForCOLUMNMAPPINGS {
		ask = a.answerColumns
	}
	err = ask(ctx, caller, id, fields)
	if errors.Is(err, context.Canceled) {
		a.report("\nYour answers are saved. To continue:\nloadbay imports watch %s", id)
	}
	return err
}

// introduce names an import and how to continue with it, once before its first question.
func (a *app) introduce(id, filename string) {
	if a.introduced == id {
		return
	}
	a.introduced = id
	a.report("Import %s of %s has questions. Each answer is saved at once. To stop, press Ctrl-C. To continue later:\nloadbay imports watch %s\n", id, filename, id)
}

// fieldList are the fields of an import type.
type fieldList []api.Field

func loadFields(ctx context.Context, caller *client.Client, importType string) (fieldList, error) {
	t, err := findType(ctx, caller, importType)
	if err != nil {
		return nil, err
	}
	return t.Fields, nil
}

// personField is the field of questions about the person of a row.
const personField = "PERSON"

// find returns a field by its name, or a field that has only that name.
func (l fieldList) find(name string) api.Field {
	for i := range l {
		if l[i].Name == name {
			return l[i]
		}
	}
	if name == personField {
		return api.Field{Name: name, Title: "Person", CanCreate: new(true), IsRequired: true}
	}
	return api.Field{Name: name, Title: name}
}

// steps walks through questions. ask returns where to go: 1 for the next question, -1 for the
// previous one, and 0 to repeat the question. toward is where it came from in the same way, so that
// a question that needs no answer is skipped in both directions.
func steps(n int, ask func(i, toward int) (direction int, err error)) error {
	toward := 1
	for i := 0; i < n; {
		direction, err := ask(i, toward)
		if err != nil {
			return err
		}
		if i += direction; i < 0 {
			i, direction = 0, 1
		}
		if direction != 0 {
			toward = direction
		}
	}
	return nil
}

// isRefused reports whether the installation has refused an answer, so that the question is asked
// again; other errors end the command.
func isRefused(err error) bool {
	return client.HasStatus(err, http.StatusBadRequest) || client.HasStatus(err, http.StatusUnprocessableEntity) || client.HasCode(err, "MAPPING_INVALID")
}

// ignoreIncomplete removes the error that other questions are still open. The answers are saved.
func ignoreIncomplete(err error) error {
	if client.HasCode(err, "MAPPING_INCOMPLETE") {
		return nil
	}
	return err
}

// The texts of choices that several questions offer.
const (
	textLater = "(decide later)"
	textBack  = "(back to the previous question)"
)

// finalStep is what follows when all questions have been asked.
type finalStep int

const (
	stopForNow finalStep = iota
	proceed
	changeAnswer
)

// askFinalStep asks how to go on. The first choice, of Enter alone, changes nothing if some
// questions are open.
func (a *app) askFinalStep(ctx context.Context, title, details string, canProceed bool) (finalStep, error) {
	choices := []finalStep{stopForNow, changeAnswer}
	texts := []string{"Stop for now; the answers are saved", "Change an answer"}
	if canProceed {
		choices, texts = []finalStep{proceed, changeAnswer, stopForNow}, []string{"Continue the import", texts[1], texts[0]}
	}
	i, err := a.choose(ctx, question{title, details, texts})
	return choices[i], err
}
