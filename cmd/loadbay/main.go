// Command loadbay imports and exports files from a terminal or a script; see its --help.
//
// Tested by infra/tests/cli: the compiled command, in a terminal and in a pipe.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/loadbay/loadbay/cmd/loadbay/internal/command"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C skips the graceful shutdown
	os.Exit(command.Main(ctx, os.Args[1:]))
}
