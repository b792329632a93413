package command

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// The exit codes other than 0.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitPending     = 3
	exitRowErrors   = 4
	exitChanges     = 5
	exitInterrupted = 130
)

// exitCodes is the help page about exit codes.
func exitCodes() *cobra.Command {
	var text strings.Builder
	text.WriteString("Exit codes for scripts:\n")
	for _, c := range []struct {
		code    int
		meaning string
	}{
		{0, "Success."},
		{exitFailed, "Failure; see standard error. With several files, at least one failed."},
		{exitUsage, "The command line is not valid, or no installation is selected."},
		{exitPending, "The import waits for a decision; the questions are printed as JSON."},
		{exitRowErrors, "Success, but some rows have errors: see loadbay errors ID."},
		{exitChanges, "The plan contains changes, or a declaration differs from its type."},
		{exitInterrupted, "Interrupted by Ctrl-C. The import continues unless it was cancelled."},
	} {
		fmt.Fprintf(&text, "\n    %3d  %s", c.code, c.meaning)
	}
	return &cobra.Command{Use: "exit-codes", Short: "Exit codes for scripts", Long: text.String()}
}

// exitStatus ends a command with an exit code; the reason has already been reported.
type exitStatus int

func (e exitStatus) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// usageError is an invalid command line.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

// notUsage turns the error of a name that the installation does not know into a failure: names differ
// between installations, so the command line is not wrong.
func notUsage(err error) error {
	var wrong usageError
	if errors.As(err, &wrong) {
		return wrong.error
	}
	return err
}

func exitCode(err error) int {
	var code exitStatus
	var wrong usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &wrong):
		return exitUsage
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	default:
		return exitFailed
	}
}
