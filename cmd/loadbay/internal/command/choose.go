package command

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"charm.land/huh/v2"

	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
)

// question is a question with a list of options. The first option is the one that Enter alone
// selects, so it never changes anything.
type question struct {
	title, details string
	options        []string
}

// maxShownOptions is the number of options on the screen; the others are reached by scrolling.
const maxShownOptions = 12

// choose asks the person to select an option, and returns its index. It returns context.Canceled
// after Ctrl-C and at the end of the input.
func (a *app) choose(ctx context.Context, q question) (int, error) {
	if a.streams.Plain {
		return a.chooseByNumber(ctx, q)
	}
	options := make([]huh.Option[int], len(q.options))
	for i, text := range q.options {
		options[i] = huh.NewOption(render.Clip(render.Escape(text), a.streams.Width()-4), i)
	}
	details := render.Escape(q.details)
	if len(options) > maxShownOptions {
		details = strings.TrimSpace(fmt.Sprintf("%s\n%d choices; type / to search.", details, len(options)))
	}
	chosen := 0
	field := huh.NewSelect[int]().Title(render.Escape(q.title)).Description(details).Options(options...).Value(&chosen)
	if len(options) > maxShownOptions {
		field.Height(maxShownOptions + strings.Count(details, "\n") + 2)
	}
	err := a.runPrompt(field)
	return chosen, err
}

// chooseByNumber asks without redrawing, for screen readers.
func (a *app) chooseByNumber(ctx context.Context, q question) (int, error) {
	a.report("%s", render.Escape(q.title))
	if q.details != "" {
		a.report("%s", render.Escape(q.details))
	}
	for i, text := range q.options[1:] {
		a.report("%d. %s", i+1, render.Escape(text))
	}
	for {
		fmt.Fprintf(a.streams.Err, "Number from 1 to %d, or Enter for %s: ", len(q.options)-1, render.Escape(q.options[0]))
		line, err := a.readLine(ctx)
		if err != nil {
			return 0, err
		}
		if line == "" {
			return 0, nil
		}
		if n, err := strconv.Atoi(line); err == nil && n > 0 && n < len(q.options) {
			return n, nil
		}
		a.report("%q is not one of the numbers.", line)
	}
}

// readLine reads a line of the terminal. Its end, like Ctrl-C, is context.Canceled.
func (a *app) readLine(ctx context.Context) (string, error) {
	type result struct {
		line string
		err  error
	}
	read := make(chan result, 1)
	go func() {
		line, err := bufio.NewReader(a.streams.In).ReadString('\n')
		if err == io.EOF {
			err = context.Canceled
		}
		read <- result{strings.TrimSpace(line), err}
	}()
	select {
	case r := <-read:
		return r.line, r.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
