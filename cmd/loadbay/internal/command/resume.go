package command

import (
	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/cmd/loadbay/internal/terminal"
)

func (a *app) importsResume() *cobra.Command {
	return a.withFormatFlags(&cobra.Command{
		Use: "resume ID FILE", Short: "Resume the upload of a file", Args: exactUsage(cobra.ExactArgs(2)), ValidArgsFunction: a.completeArgs(importIDs),
		Long: `Resume the interrupted upload of a file, also on another machine. Parts of a large file that
were uploaded are not uploaded again. Then the import is watched, like with loadbay import.`,
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
