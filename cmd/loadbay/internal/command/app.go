package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/config"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/login"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/terminal"
	"github.com/loadbay/loadbay/shared/runtime/version"
)

// app is what the commands share.
type app struct {
	environment config.Environment
	streams     *terminal.Streams
	format      render.Format

	context, url string // flags
	exitErr      error  // how a command has ended that has told so itself
}

// client returns one of the installation that is meant.
func (a *app) client() (*client.Client, error) {
	c, err := config.Load(a.environment)
	if err != nil {
		return nil, err
	}
	target, err := c.Resolve(a.context, a.url, "")
	if err != nil {
		return nil, usageError{err}
	}
	found, err := client.New(target.URL, client.WithTokenSource(tokenSource(c, target)), client.WithUserAgent("loadbay/"+version.String()))
	if err != nil {
		return nil, usageError{err}
	}
	return found, nil
}

// tokenSource are those of the installation that is meant: one that is renewed where somebody
// has signed in, else the one that was given.
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

// withFormatFlags gives a command the flags that say how it prints what it found.
func (a *app) withFormatFlags(c *cobra.Command) *cobra.Command {
	flags := c.Flags()
	flags.StringSliceVar(&a.format.Fields, "json", nil, `print these fields as JSON, or "all"`)
	flags.StringVar(&a.format.JQ, "jq", "", "print what a jq program makes of the JSON")
	flags.StringVar(&a.format.Template, "template", "", "print what a Go template makes of the JSON")
	return c
}

// print prints a value in the caller's format, or else as the table.
func (a *app) print(value any, table func() *render.Table) error {
	if a.format.JSON() {
		return a.format.Write(a.streams.Out, value)
	}
	return table().Print(a.streams)
}

// notify tells a person about the work.
func (a *app) notify(format string, args ...any) {
	fmt.Fprintf(a.streams.Err, format+"\n", args...)
}

// collectEntries walks a list and keeps up to limit of its entries; more reports whether there
// are others.
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

// exactUsage is a check of how many arguments a command has, as an error of usage.
func exactUsage(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, given []string) error {
		if err := check(c, given); err != nil {
			return usageError{fmt.Errorf("%w; see %s --help", err, c.CommandPath())}
		}
		return nil
	}
}
