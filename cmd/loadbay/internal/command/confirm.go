package command

import (
	"errors"

	"charm.land/huh/v2"
	"github.com/spf13/cobra"
)

// confirmFlag adds the flag with which a script confirms an irreversible operation.
func confirmFlag(c *cobra.Command, yes *bool) *cobra.Command {
	c.Flags().BoolVarP(yes, "yes", "y", false, "skip the confirmation")
	return c
}

// confirm asks for confirmation of an irreversible operation.
func (a *app) confirm(question string, yes bool) error {
	if yes {
		return nil
	}
	if !a.streams.CanAsk {
		return usageError{errors.New("this cannot be undone; confirm it with --yes")}
	}
	meant := false
	if err := a.runPrompt(huh.NewConfirm().Title(question).Affirmative("Yes").Negative("No").Value(&meant)); err != nil {
		return err
	}
	if !meant {
		a.notify("Nothing was changed.")
		return exitStatus(exitFailed)
	}
	return nil
}
