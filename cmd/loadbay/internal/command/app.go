package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/config"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/login"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/terminal"
	"github.com/loadbay/loadbay/shared/runtime/version"
)

// app is the state that all commands share.
type app struct {
	environment config.Environment
	streams     *terminal.Streams
	format      render.Format

	context, url string // flags
	timeout      time.Duration
	debug        bool
	verbose      bool
	logFile      string
	words        []string       // the names of the command, without its arguments
	flags        *pflag.FlagSet // of the command; nil before it runs
	neverAsk     bool           // --yes
	several      bool           // several files are imported
	file         string         // of the result that is printed next, if there are several
	results      []any          // of several files, for a JSON array
	introduced   string         // the ID of the import that was named before its questions
}

// client returns a client for the selected installation.
func (a *app) client() (*client.Client, error) {
	c, err := config.Load(a.environment)
	if err != nil {
		return nil, err
	}
	target, err := c.Resolve(a.context, a.url, "")
	if err != nil {
		return nil, usageError{err}
	}
	transport, err := a.transport()
	if err != nil {
		return nil, err
	}
	found, err := client.New(target.URL, client.WithTransport(transport), client.WithTokenSource(tokenSource(c, target)), client.WithUserAgent("loadbay/"+version.String()))
	if err != nil {
		return nil, usageError{err}
	}
	return found, nil
}

// tokenSource returns the tokens for the selected installation: renewed ones after a sign-in,
// otherwise the token as configured.
func tokenSource(c *config.Config, target config.Target) client.TokenSource {
	credential, ok := login.DecodeCredential(target.Token)
	if !ok {
		return func(context.Context) (string, error) { return target.Token, nil }
	}
	load := func() (string, error) { return c.Token(target.Context) }
	keep := func(text string) error {
		_, err := c.SaveToken(target.Context, text)
		return err
	}
	return login.NewSession(credential, load, keep).Token
}

// withFormatFlags adds the output format flags to a command.
func (a *app) withFormatFlags(c *cobra.Command) *cobra.Command {
	flags := c.Flags()
	flags.StringSliceVar(&a.format.Fields, "json", nil, `print these fields as JSON, or "all"`)
	flags.StringVar(&a.format.JQ, "jq", "", "filter the JSON output with a jq program")
	flags.BoolVar(&a.format.Lines, "jsonl", false, "print JSON in one line for each entry")
	flags.StringVar(&a.format.Template, "template", "", "format the JSON output with a Go template")
	return c
}

// print writes a value in the requested format, by default as the table.
func (a *app) print(value any, table func() *render.Table) error {
	if a.format.JSON() {
		return a.format.Write(a.streams.Out, value)
	}
	return table().Print(a.streams)
}

// notify prints a note for a person, unless --quiet is set.
func (a *app) notify(format string, args ...any) {
	if !a.streams.Quiet {
		a.report(format, args...)
	}
}

// report prints what a person must see: errors and questions.
func (a *app) report(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if a.streams.ErrIsTerminal {
		text = render.Wrap(text, a.streams.Width())
	}
	fmt.Fprintln(a.streams.Err, text)
}

// collectEntries collects up to limit entries of a list; more reports whether there are others.
func collectEntries[T any](entries func(func(T, error) bool), limit int) (found []T, more bool, err error) {
	found = []T{}
	for entry, err := range entries {
		if err != nil {
			return nil, false, err
		}
		if len(found) == limit {
			return found, true, nil
		}
		found = append(found, entry)
	}
	return found, false, nil
}

// exactUsage returns check with its errors converted to usage errors.
func exactUsage(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, given []string) error {
		if err := check(c, given); err != nil {
			return usageError{fmt.Errorf("the arguments do not fit: use %s (see %s --help)", strings.TrimSuffix(c.UseLine(), " [flags]"), c.CommandPath())}
		}
		return nil
	}
}
