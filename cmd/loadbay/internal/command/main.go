// Package command is the command line, with one file for each noun or verb. Results go to
// standard output, progress and messages to standard error.
//
// Tested by infra/tests/cli: every command, against a running stack.
package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"charm.land/fang/v2"
	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/config"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/terminal"
	"github.com/loadbay/loadbay/shared/runtime/version"
)

// Main runs the command given by the arguments and returns its exit code.
func Main(ctx context.Context, args []string) int {
	environment := config.ReadEnvironment()
	a := &app{environment: environment, streams: terminal.Standard(!environment.CI, environment.Accessible)}
	root := a.rootCommand()
	root.SetArgs(args)
	silenceExitErrors(root, &a.exitErr)
	err := fang.Execute(ctx, root, fang.WithVersion(version.String()), fang.WithErrorHandler(printError), fang.WithoutManpage())
	return exitCode(cmp.Or(err, a.exitErr))
}

// silenceExitErrors makes all commands below c store an exit status that has been reported,
// instead of returning it: for a returned error, fang first queries the terminal's colours.
func silenceExitErrors(c *cobra.Command, ended *error) {
	if run := c.RunE; run != nil {
		c.RunE = func(c *cobra.Command, given []string) error {
			err := run(c, given)
			var status exitStatus
			if errors.As(err, &status) || errors.Is(err, context.Canceled) {
				*ended, err = err, nil
			}
			return err
		}
	}
	for _, below := range c.Commands() {
		silenceExitErrors(below, ended)
	}
}

// Root returns the complete command tree, for documentation.
func Root() *cobra.Command { return (&app{streams: &terminal.Streams{}}).rootCommand() }

// rootCommand returns the complete command tree.
func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "loadbay",
		Short: "Import and export spreadsheets of any size",
		Long: `Import and export spreadsheets of any size.

For scripts, see loadbay help exit-codes.

Environment: LOADBAY_URL and LOADBAY_TOKEN have precedence over the current context;
LOADBAY_CONFIG is the configuration file with the contexts; NO_COLOR disables colours;
ACCESSIBLE=1 uses plain text prompts.`,
		Example: `  loadbay context add test https://loadbay.example.org
  loadbay login
  loadbay import members.xlsx --type MEMBERSHIP --context-id 12
  loadbay export users --format csv -o users.csv`,
	}
	flags := root.PersistentFlags()
	flags.StringVar(&a.context, "context", "", "the context to use instead of the current one")
	flags.StringVar(&a.url, "url", "", "the URL of the installation")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(
		a.importCommand(), a.checkCommand(), a.planCommand(), a.applyCommand(), a.undoCommand(), a.importsCommand(), a.rowsCommand(), a.correctCommand(), a.retryCommand(), a.errorsCommand(), a.resultsCommand(), a.changesCommand(), a.historyCommand(), a.exportCommand(),
		a.typesCommand(), a.templateCommand(), a.contextCommand(), a.loginCommand(), a.logoutCommand(), a.whoamiCommand(),
		a.exportsCommand(), a.profilesCommand(), a.webhooksCommand(), a.quarantineCommand(), a.settingsCommand(), a.adminCommand(),
	)
	root.AddCommand(a.devCommand(), exitCodes())
	a.addCompletions(root)
	return root
}

// printError prints an error.
func printError(w io.Writer, styles fang.Styles, err error) {
	fmt.Fprintln(w, styles.ErrorHeader.UnsetMargins().String()+" "+err.Error())
	if client.HasStatus(err, http.StatusUnauthorized) {
		fmt.Fprintln(w, "Sign in with: loadbay login")
	}
}
