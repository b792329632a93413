// Package command is the command line, with one file for each noun or verb. Results go to
// standard output, progress and messages to standard error.
//
// Tested by infra/tests/cli: every command, against a running stack.
package command

import (
	"context"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/config"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/terminal"
	"github.com/loadbay/loadbay/shared/runtime/version"
)

// Main runs the command given by the arguments and returns its exit code.
func Main(ctx context.Context, args []string) int {
	environment := config.ReadEnvironment()
	a := &app{environment: environment, streams: terminal.Standard(!environment.CI, environment.Accessible)}
	root := a.rootCommand()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	var status exitStatus
	if err != nil && !errors.As(err, &status) && !errors.Is(err, context.Canceled) {
		a.printError(err)
	}
	return exitCode(err)
}

// defaultTimeout is the default of --timeout.
const defaultTimeout = time.Minute

// Root returns the complete command tree, for documentation.
func Root() *cobra.Command { return (&app{streams: &terminal.Streams{}}).rootCommand() }

// rootCommand returns the complete command tree.
func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use: "loadbay", Version: version.String(), SilenceUsage: true, SilenceErrors: true,
		Short: "Import and export spreadsheets of any size",
		Long: `Import and export spreadsheets of any size.

For scripts, see loadbay help cron and loadbay help exit-codes.

Environment: LOADBAY_URL and LOADBAY_TOKEN have precedence over the current installation;
LOADBAY_CONFIG is the configuration file with the installations; NO_COLOR disables colours;
ACCESSIBLE=1 uses plain text prompts.`,
		Example: `  loadbay installation add test https://loadbay.example.org
  loadbay login
  loadbay import members.xlsx --type MEMBERSHIP --period 2026
  loadbay export users --format csv -o users.csv`,
	}
	flags := root.PersistentFlags()
	flags.StringVar(&a.context, "installation", "", "the installation to use instead of the current one")
	flags.StringVar(&a.context, "context", "", "the former name of --installation")
	_ = flags.MarkHidden("context") // registered above
	flags.StringVar(&a.url, "url", "", "the URL of the installation")
	flags.BoolVarP(&a.streams.Quiet, "quiet", "q", false, "print no progress and no notes, only results and errors")
	flags.BoolVar(&a.verbose, "verbose", false, "print each change of an import's state")
	flags.BoolVar(&a.debug, "debug", false, "print each request with its ID, without any values of the files")
	flags.StringVar(&a.logFile, "log-file", "", "append each request with its ID to this file")
	flags.DurationVar(&a.timeout, "timeout", defaultTimeout, "the longest time to wait for a response of the installation")
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		a.importCommand(), a.checkCommand(), a.planCommand(), a.applyCommand(), a.undoCommand(), a.importsCommand(), a.rowsCommand(), a.correctCommand(), a.retryCommand(), a.errorsCommand(), a.resultsCommand(), a.changesCommand(), a.historyCommand(), a.exportCommand(),
		a.typesCommand(), a.contextsCommand(), a.templateCommand(), a.installationCommand(), a.loginCommand(), a.logoutCommand(), a.whoamiCommand(),
		a.exportsCommand(), a.profilesCommand(), a.webhooksCommand(), a.listenCommand(), a.keysCommand(), a.quarantineCommand(), a.settingsCommand(), a.organisationCommand(), a.adminCommand(),
	)
	root.AddCommand(a.versionCommand(), a.apiCommand(), a.devCommand(), exitCodes())
	former := a.installationCommand()
	former.Use, former.Hidden, former.Short = "context", true, "The former name of installation"
	root.AddCommand(former)
	root.SetHelpCommand(a.helpCommand())
	root.SetHelpFunc(a.printHelp)
	group(root)
	addExamples(root)
	refuseUnknown(root)
	root.PersistentPreRun = func(c *cobra.Command, _ []string) { a.words, a.flags = strings.Fields(c.CommandPath())[1:], c.Flags() }
	a.addCompletions(root)
	return root
}

// printError prints an error that ends the command.
func (a *app) printError(err error) {
	label := lipgloss.NewStyle().Bold(true).Foreground(lipgloss.Red).Render("Error:")
	text := a.describeError(err)
	if a.streams.ErrIsTerminal {
		text = render.Wrap(text, a.streams.Width()-len("Error: "))
	}
	_, _ = lipgloss.Fprintln(a.streams.Err, label, text)
	if client.HasStatus(err, http.StatusUnauthorized) {
		a.report("Sign in with: loadbay login")
	}
}

// flagError describes a flag that cannot be used.
func flagError(c *cobra.Command, err error) error {
	text := numberPattern.ReplaceAllString(err.Error(), " (not a number)")
	if text == "flag needs an argument: --json" {
		text = "--json needs the names of fields, or all"
		if fields := outputFields(c); fields != nil {
			text += "; available fields:\n  " + strings.Join(fields, "\n  ")
		}
	}
	return usageError{errors.New(text)}
}

// numberPattern matches how package strconv describes a text that is no number.
var numberPattern = regexp.MustCompile(`: strconv\.Parse(Int|Uint|Float): parsing .*: .*$`)
