package command

import (
	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/cmd/loadbay/internal/terminal"
)

func (a *app) importsResume() *cobra.Command {
	return a.withFormatFlags(&cobra.Command{
		Use: "resume ID FILE", Short: "Go on with sending the file of an import", Args: exactUsage(cobra.ExactArgs(2)), ValidArgsFunction: a.completeArgs(importIDs),
		Long: `Go on with sending the file of an import where that was interrupted, also on another
machine: parts of a large file that have arrived are not sent again. Then it is watched, as
by loadbay import.`,
		RunE: func(c *cobra.Command, given []string) error {
			caller, err := a.client()
			if err != nil {
				return err
			}
			file, _, err := a.openFile(given[1], "")
			if err != nil {
				return err
			}
			defer file.Close()
			info, err := file.Stat()
			if err != nil {
				return err
			}
			bar := terminal.NewBar(a.streams)
			err = caller.Resume(c.Context(), given[0], file, info.Size(), uploadProgress(bar))
			bar.Done()
			if err != nil {
				return err
			}
			return a.watchToEnd(c.Context(), caller, given[0])
		},
	})
}
