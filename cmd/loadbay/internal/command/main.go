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

	"charm.land/fang/v2"
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
	err := fang.Execute(ctx, root, fang.WithVersion(version.String()), fang.WithErrorHandler(report), fang.WithoutManpage())
	return exitCode(err)
}

// report tells an error, unless it has been told.
func report(w io.Writer, styles fang.Styles, err error) {
	var told exit
	if errors.As(err, &told) || errors.Is(err, context.Canceled) {
		return
	}
	fmt.Fprintln(w, styles.ErrorHeader.UnsetMargins().String()+" "+err.Error())
}
