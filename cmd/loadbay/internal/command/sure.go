package command

import (
	"errors"

	"charm.land/huh/v2"
	"github.com/spf13/cobra"
)

// sureFlag adds the flag by which a script says that it means something that cannot be
// taken back.
func sureFlag(c *cobra.Command, yes *bool) *cobra.Command {
	c.Flags().BoolVarP(yes, "yes", "y", false, "do not ask whether this is meant")
	return c
}

// sure asks whether something that cannot be taken back is meant.
func (a *app) sure(question string, yes bool) error {
	if yes {
		return nil
	}
	if !a.streams.CanAsk {
		return usage{errors.New("this cannot be taken back: say that it is meant with --yes")}
	}
	meant := false
	if err := a.ask(huh.NewConfirm().Title(question).Affirmative("Yes").Negative("No").Value(&meant)); err != nil {
		return err
	}
	if !meant {
		a.say("Nothing is done.")
		return exit(exitFailed)
	}
	return nil
}
