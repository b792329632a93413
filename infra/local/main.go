// Command local runs all of Loadbay on this machine: see its --help.
//
// Tested by infra/tests/e2e: runs of the compiled command.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/loadbay/loadbay/infra/local/stack"
	"github.com/loadbay/loadbay/shared/version"
)

const help = `Loadbay on one machine.

Usage: loadbay-local <command>

Commands:
  run     run Postgres, the AWS endpoint, the functions and the HTTP API until Ctrl-C
  demo    run them in a fresh folder, import sample files, and show what becomes of every row
  bench   measure an import of BENCH_ROWS users (1000000) beside psql's \copy
  load    import small files of LOAD_TENANTS organisations (20) beside another's LOAD_ROWS rows (1000000)
  organisation NAME
          make an organisation in the stack that runs in DATA_DIR, and say what comes next
  version say what this program was built from

Environment:
  API_ADDR        where the HTTP API listens (127.0.0.1:8080); port 0 is any free one
  AWS_ADDR        where the AWS endpoint listens (127.0.0.1:4566); port 0 is any free one
  DATA_DIR        the folder of all state (.loadbay); api.url and aws.url tell where they listen
  BIN_DIR         the folder of the compiled functions (bin/functions, or functions beside this program)
  CONSOLE_DIR     the folder of the built console (console/dist, or console beside this program)
  DATABASE_URL    an administrator's URL of a PostgreSQL server to use; without it, one is run
  POSTGRES_BIN    the folder of the PostgreSQL programs to run (the newest installed)
  LOCAL_AUTH      "required" refuses API calls without a token
  LOCAL_WEBHOOKS  "allowed" lets webhooks be on this machine, also without TLS
  CORS_ORIGINS    the origins whose pages may call the API, with commas between: http://localhost:5173
  LOG_LEVEL       what the functions log from: DEBUG, INFO, WARN or ERROR (INFO)
`

func main() {
	played, err := stack.PlayChild(os.Args)
	if !played {
		err = dispatch(os.Args[1:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "loadbay-local:", err)
		os.Exit(1)
	}
}

// dispatch runs the command that the arguments name.
func dispatch(args []string) error {
	command := "help"
	if len(args) > 0 {
		command = args[0]
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C does not wait for an orderly end
	switch command {
	case "run":
		return run(ctx, os.Stdout)
	case "demo":
		return demonstrate(ctx, os.Stdout)
	case "bench":
		return measure(ctx, os.Stdout)
	case "load":
		return burden(ctx, os.Stdout)
	case "organisation":
		if len(args) != 2 {
			return errors.New("say the organisation's name: loadbay-local organisation 'Harbour Athletics'")
		}
		return addOrganisation(ctx, os.Stdout, args[1])
	case "version", "--version":
		_, err := fmt.Println("loadbay-local", version.String())
		return err
	case "help", "-h", "--help":
		_, err := fmt.Print(help)
		return err
	}
	return errors.New("there is no command " + command + "; --help lists them")
}
