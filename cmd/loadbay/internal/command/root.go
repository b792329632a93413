package command

import (
	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/cmd/loadbay/internal/terminal"
)

// Tree is the command with all others below it, for what describes them.
func Tree() *cobra.Command {
	return (&app{streams: &terminal.Streams{}}).root()
}

// root is the command with all others below it.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "loadbay",
		Short: "Import and export spreadsheets of any size",
		Long: `Import and export spreadsheets of any size.

Scripts go by the exit code, which loadbay help exit-codes explains.

Environment: LOADBAY_URL and LOADBAY_TOKEN come before the current context; LOADBAY_CONFIG
is the file of the contexts; NO_COLOR turns colours off; ACCESSIBLE=1 asks in plain lines.`,
		Example: `  loadbay context add test https://loadbay.example.org
  loadbay login
  loadbay import members.xlsx --type MEMBERSHIP --context-id 12
  loadbay export users --format csv -o users.csv`,
	}
	flags := root.PersistentFlags()
	flags.StringVar(&a.context, "context", "", "the context to use instead of the current one")
	flags.StringVar(&a.url, "url", "", "the address of the installation")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usage{err} })
	root.AddCommand(
		a.importCommand(), a.planCommand(), a.applyCommand(), a.importsCommand(), a.errorsCommand(), a.resultsCommand(), a.changesCommand(), a.historyCommand(), a.exportCommand(),
		a.typesCommand(), a.templateCommand(), a.contextCommand(), a.loginCommand(), a.logoutCommand(), a.whoamiCommand(), exitCodes(),
	)
	return root
}
