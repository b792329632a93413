package command

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loadbay/loadbay/client"
)

// completionTimeout bounds the wait after the tab key.
const completionTimeout = time.Second

// completionSource lists the possible values of an argument or flag, from the installation.
type completionSource func(context.Context, *client.Client) ([]cobra.Completion, error)

// dynamicCompletion completes from an installation's values. It offers nothing, without an
// error, if the values are not available in time: no installation is configured or reachable,
// or the keyring is locked.
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

// excludeGiven returns the values that are not among the given arguments.
func excludeGiven(found []cobra.Completion, given []string) []cobra.Completion {
	return slices.DeleteFunc(found, func(value cobra.Completion) bool {
		name, _, _ := strings.Cut(value, "\t")
		return slices.Contains(given, name)
	})
}

// completeList completes the entries of a list, with a word and a title for each; an entry
// without either is left out.
func completeList[T any](describe func(*T) (word, title string)) func(*http.Response, error) ([]cobra.Completion, error) {
	return func(response *http.Response, err error) ([]cobra.Completion, error) {
		found, err := client.Read[[]T](response, err)
		if err != nil {
			return nil, err
		}
		var words []cobra.Completion
		for i := range *found {
			switch word, title := describe(&(*found)[i]); {
			case title != "":
				words = append(words, cobra.CompletionWithDesc(word, title))
			case word != "":
				words = append(words, word)
			}
		}
		return words, nil
	}
}

// completeArgs completes the first argument of a command with values of the installation, and
// later arguments if the command repeats the first one.
func (a *app) completeArgs(list completionSource) cobra.CompletionFunc {
	return completeLike(a.dynamicCompletion(list))
}

// completeLike completes arguments that have the same name in the command's Use as the first
// one. Other arguments are completed as files, or not at all.
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

// argumentName returns the name of an argument in a command's Use: ID for "cancel ID...". It is
// "" if the argument does not exist.
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

// fileFlags are the flags that take names of files.
var fileFlags = map[string]bool{"grants": true, "mapping": true, "input": true, "log-file": true, "output": true, "xlsx": true, "ndjson": true, "file": true, "watch": true}

// addCompletions adds completions to every command below this one that has none of its own:
// flags by their names, which have the same meaning everywhere, and file arguments as files.
func (a *app) addCompletions(c *cobra.Command) {
	if c.ValidArgsFunction == nil && c.Runnable() {
		c.ValidArgsFunction = completeLike(cobra.NoFileCompletions)
	}
	known := a.flagValues(c)
	c.LocalFlags().VisitAll(func(f *pflag.Flag) {
		complete, ok := known[f.Name]
		if !ok && !fileFlags[f.Name] {
			complete, ok = cobra.NoFileCompletions, true
		}
		if _, own := c.GetFlagCompletionFunc(f.Name); ok && !own {
			_ = c.RegisterFlagCompletionFunc(f.Name, complete) // the flag exists
		}
	})
	for _, below := range c.Commands() {
		a.addCompletions(below)
	}
}
