package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// refuseUnknown makes commands that only have subcommands refuse other words with exit code 2, and
// print their help without any.
func refuseUnknown(c *cobra.Command) {
	for _, below := range c.Commands() {
		refuseUnknown(below)
	}
	if !c.HasSubCommands() || c.Runnable() {
		return
	}
	c.Args = func(c *cobra.Command, given []string) error {
		if len(given) == 0 {
			return nil
		}
		return unknownCommand(c, given[0])
	}
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
}

// unknownCommand is the error for a word that is no subcommand of a command.
func unknownCommand(c *cobra.Command, word string) error {
	text := fmt.Sprintf("unknown command %q for %s", word, c.CommandPath())
	if similar := similarCommands(c, word); similar != "" {
		return usageError{fmt.Errorf("%s; did you mean %s?", text, similar)}
	}
	return usageError{fmt.Errorf("%s; run %s --help to see all commands", text, c.CommandPath())}
}

// similarCommands returns the subcommands that a word resembles, or "".
func similarCommands(c *cobra.Command, word string) string {
	c.SuggestionsMinimumDistance = 2
	return strings.Join(c.SuggestionsFor(word), " or ")
}
