package command

import (
	"errors"

	"charm.land/huh/v2"
	"github.com/spf13/cobra"
)

// confirmFlag adds the flag by which a script says that it means something that cannot be
// taken back.
func confirmFlag(c *cobra.Command, yes *bool) *cobra.Command {
	c.Flags().BoolVarP(yes, "yes", "y", false, "do not ask whether this is meant")
	return c
}

// confirm asks whether something that cannot be taken back is meant.
func (a *app) confirm(question string, yes bool) error {
	if yes {
		return nil
	}
	if !a.streams.CanAsk {
		return usageError{errors.New("this cannot be taken back: say that it is meant with --yes")}
	}
	meant := false
	if err := a.runPrompt(huh.NewConfirm().Title(question).Affirmative("Yes").Negative("No").Value(&meant)); err != nil {
		return err
	}
	if !meant {
		a.notify("Nothing is done.")
		return exitStatus(exitFailed)
	}
	return nil
}
