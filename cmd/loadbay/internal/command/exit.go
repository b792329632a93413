package command

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// The exit codes, beside 0.
const (
	exitFailed      = 1
	exitUsage       = 2
	exitPending     = 3
	exitRowErrors   = 4
	exitChanges     = 5
	exitInterrupted = 130
)

// exitCodes is the page of help that says what each code means.
func exitCodes() *cobra.Command {
	var text strings.Builder
	text.WriteString("What a command ends with, for scripts:\n")
	for _, c := range []struct {
		code    int
		meaning string
	}{
		{0, "It is done."},
		{exitFailed, "It has failed, and standard error says why. Of several files, one has."},
		{exitUsage, "The command line makes no sense, or names no installation."},
		{exitPending, "The import waits for a person; for what, is printed as JSON."},
		{exitRowErrors, "It is done, but rows are in error: loadbay errors ID lists them."},
		{exitChanges, "A plan would change something."},
		{exitInterrupted, "It was stopped by Ctrl-C. An import goes on, unless it was cancelled."},
	} {
		fmt.Fprintf(&text, "\n    %3d  %s", c.code, c.meaning)
	}
	return &cobra.Command{Use: "exit-codes", Short: "What the exit codes mean", Long: text.String()}
}

// exitStatus is an end with a code of its own that has been told already.
type exitStatus int

func (e exitStatus) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// usageError is a command line that makes no sense.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

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
