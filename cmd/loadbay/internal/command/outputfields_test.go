package command

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

// --json without a value lists the fields of every command.
func TestOutputFieldsOfEveryCommand(t *testing.T) {
	t.Parallel()
	checked := 0
	var check func(c *cobra.Command)
	check = func(c *cobra.Command) {
		for _, below := range c.Commands() {
			check(below)
		}
		if c.LocalFlags().Lookup("json") == nil || !c.Runnable() {
			return
		}
		checked++
		require.NotEmpty(t, outputFields(c), c.CommandPath())
	}
	check(Root())
	require.Greater(t, checked, 50)
}
