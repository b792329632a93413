package command

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loadbay/loadbay/client"
)

// completionTimeout is how long a person who has pressed the tab key waits at most.
const completionTimeout = time.Second

// completionSource lists what an argument or flag can be, as the installation knows it.
type completionSource func(context.Context, *client.Client) ([]cobra.Completion, error)

// dynamicCompletion completes with such values; with nothing, and without a word, where they cannot be
// had in time: no installation is configured, it cannot be reached, or a keyring waits to
// be unlocked.
func (a *app) dynamicCompletion(list completionSource) cobra.CompletionFunc {
	return func(c *cobra.Command, given []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
		ctx, stop := context.WithTimeout(c.Context(), completionTimeout)
		defer stop()
		answers := make(chan []cobra.Completion, 1)
		go func() {
			caller, err := a.client()
			if err != nil {
				answers <- nil
				return
			}
			found, _ := list(ctx, caller)
			answers <- found
		}()
		select {
		case found := <-answers:
			return excludeGiven(found, given), cobra.ShellCompDirectiveNoFileComp
		case <-ctx.Done():
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
	}
}

// excludeGiven are the values that have not been given already.
func excludeGiven(found []cobra.Completion, given []string) []cobra.Completion {
	return slices.DeleteFunc(found, func(value cobra.Completion) bool {
		name, _, _ := strings.Cut(value, "\t")
		return slices.Contains(given, name)
	})
}

// completeArgs completes the first argument of a command with values of the installation,
// and those after it if they are more of the same.
func (a *app) completeArgs(list completionSource) cobra.CompletionFunc {
	return completeLike(a.dynamicCompletion(list))
}

// completeLike completes the arguments that the command's Use calls as it calls the first one.
// Others are files, or nobody knows.
func completeLike(complete cobra.CompletionFunc) cobra.CompletionFunc {
	return func(c *cobra.Command, given []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		switch word := argumentName(c, len(given)); {
		case word == "FILE":
			return nil, cobra.ShellCompDirectiveDefault
		case word != "" && word == argumentName(c, 0):
			return complete(c, given, typed)
		default:
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
	}
}

// argumentName is what a command's Use calls an argument: ID of "cancel ID...". It is "" where
// there is none.
func argumentName(c *cobra.Command, at int) string {
	words := strings.Fields(c.Use)[1:]
	if len(words) == 0 {
		return ""
	}
	if last := words[len(words)-1]; at >= len(words) && !strings.Contains(last, "...") {
		return ""
	}
	return strings.NewReplacer("[", "", "]", "", "...", "").Replace(words[min(at, len(words)-1)])
}

// addCompletions has every command below this one complete its flags and arguments, unless it
// says itself how: flags by their names, which mean the same everywhere, and arguments
// that are files as files.
func (a *app) addCompletions(c *cobra.Command) {
	if c.ValidArgsFunction == nil && c.Runnable() {
		c.ValidArgsFunction = completeLike(cobra.NoFileCompletions)
	}
	known := a.flagValues(c)
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		complete, ok := known[f.Name]
		if _, own := c.GetFlagCompletionFunc(f.Name); ok && !own {
			_ = c.RegisterFlagCompletionFunc(f.Name, complete) // the flag is there
		}
	})
	for _, below := range c.Commands() {
		a.addCompletions(below)
	}
}
