// Package command is the command line: one file for each noun or verb. What a command
// finds goes to standard output, what it says about its work to standard error.
//
// Tested by infra/tests/cli: every command, against a running stack.
package command

import (
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
	"github.com/loadbay/loadbay/shared/version"
)

// Main runs the command that the arguments name and returns its exit code.
func Main(ctx context.Context, args []string) int {
	environment := config.ReadEnvironment()
	a := &app{environment: environment, streams: terminal.Standard(!environment.CI, environment.Accessible)}
	root := a.root()
	root.SetArgs(args)
	err := fang.Execute(ctx, root, fang.WithVersion(version.String()), fang.WithErrorHandler(report))
	return exitCode(err)
}

// root is the command with all others below it.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "loadbay",
		Short: "Import and export spreadsheets of any size",
		Long: `Import and export spreadsheets of any size.

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 waits for a person, 4 done with rows in
error, 5 a plan would change something, 130 stopped.

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
		a.importCommand(), a.checkCommand(), a.planCommand(), a.applyCommand(), a.undoCommand(), a.importsCommand(), a.rowsCommand(), a.correctCommand(), a.retryCommand(), a.errorsCommand(), a.resultsCommand(), a.changesCommand(), a.historyCommand(), a.exportCommand(),
		a.typesCommand(), a.templateCommand(), a.contextCommand(), a.loginCommand(), a.logoutCommand(), a.whoamiCommand(),
		a.exportsCommand(), a.profilesCommand(), a.webhooksCommand(), a.quarantineCommand(), a.settingsCommand(), a.adminCommand(),
	)
	return root
}

// The exit codes, beside 0.
const (
	exitFailed  = 1
	exitUsage   = 2
	exitWaits   = 3
	exitErrors  = 4
	exitDiffers = 5
	exitStopped = 130
)

// exit is an end with a code of its own that has been told already.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// usage is a command line that makes no sense.
type usage struct{ error }

func (u usage) Unwrap() error { return u.error }

func exitCode(err error) int {
	var code exit
	var wrong usage
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &wrong):
		return exitUsage
	case errors.Is(err, context.Canceled):
		return exitStopped
	default:
		return exitFailed
	}
}

// report tells an error, unless it has been told.
func report(w io.Writer, styles fang.Styles, err error) {
	var told exit
	if errors.As(err, &told) || errors.Is(err, context.Canceled) {
		return
	}
	fmt.Fprintln(w, styles.ErrorHeader.UnsetMargins().String()+" "+err.Error())
	if client.HasStatus(err, http.StatusUnauthorized) {
		fmt.Fprintln(w, "Sign in with: loadbay login")
	}
}
