//go:build unix

package command

import (
	"fmt"
	"syscall"
)

// execProgram replaces this process with a program, which then receives Ctrl-C itself.
func execProgram(program string, args, environment []string) error {
	return fmt.Errorf("run %s: %w", program, syscall.Exec(program, args, environment)) //nolint:gosec // the person's own
}
