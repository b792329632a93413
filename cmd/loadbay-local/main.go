// Command loadbay-local runs all of Loadbay on this machine: see its --help.
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
	"github.com/loadbay/loadbay/shared/runtime/version"
)

const help = `Loadbay on one machine.

Usage: loadbay-local <command>

Commands:
  run     run Postgres, the AWS endpoint, the functions and the HTTP API until Ctrl-C
  demo    run them in a fresh folder, import sample files, and show the outcome of every row
  bench   measure an import of BENCH_ROWS users (1000000) and compare it with psql's \copy
  load    import small files of LOAD_TENANTS organisations (20) during an import of LOAD_ROWS rows (1000000)
  bench-fair
          measure imports of 100 rows of FAIR_TENANTS organisations (9) beside a hostile one
  organisation NAME
          create an organisation in the stack of DATA_DIR, and print the next steps
  upgrade-data
          move the data in DATA_DIR to the version of the PostgreSQL programs, and keep the old data
  backup DIR
          copy the state of a stopped stack to a new folder
  restore DIR
          copy a backup to DATA_DIR, which must be empty or not exist
  version print the version of this program

Environment:
  API_ADDR        address of the HTTP API (127.0.0.1:8080); port 0 selects a free port
  AWS_ADDR        address of the AWS endpoint (127.0.0.1:4566); port 0 selects a free port
  DATA_DIR        folder of all state (.loadbay); api.url and aws.url contain the addresses
  BIN_DIR         folder of the compiled functions (bin/functions, or functions next to this program)
  CONSOLE_DIR     folder of the built console (console/dist, or console next to this program)
  DATABASE_URL    administrator URL of a PostgreSQL server; by default, a server is started
  POSTGRES_BIN    folder of the PostgreSQL programs (the newest installed)
  LOCAL_AUTH      "required" rejects API calls without a token
  AUTH_ISSUER     OpenID Connect issuer at which people sign in, with AUTH_AUDIENCE and AUTH_CLIENT_ID
  PUBLIC_URL      address of the TLS proxy on this machine, such as https://loadbay.example.org
  LOCAL_WEBHOOKS  "allowed" permits webhooks on this machine, also without TLS
  CORS_ORIGINS    comma-separated origins of pages that may call the API: http://localhost:5173
  LOG_LEVEL       log level of the functions: DEBUG, INFO, WARN or ERROR (INFO)
`

func main() {
	played, err := stack.RunIfChild(os.Args)
	if !played {
		err = runCommand(os.Args[1:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "loadbay-local:", err)
		os.Exit(1)
	}
}

// runCommand runs the command given by the arguments.
func runCommand(args []string) error {
	command := "help"
	if len(args) > 0 {
		command = args[0]
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C skips the graceful shutdown
	switch command {
	case "run":
		return run(ctx, os.Stdout)
	case "demo":
		return runDemo(ctx, os.Stdout)
	case "bench":
		return runBench(ctx, os.Stdout)
	case "load":
		return runLoad(ctx, os.Stdout)
	case "bench-fair":
		return runFair(ctx, os.Stdout)
	case "organisation":
		if len(args) != 2 {
			return errors.New("missing organisation name: loadbay-local organisation 'Harbour Athletics'")
		}
		return addOrganisation(ctx, os.Stdout, args[1])
	case "upgrade-data":
		return upgradeData(ctx, os.Stdout)
	case "backup", "restore":
		if len(args) != 2 {
			return fmt.Errorf("missing folder: loadbay-local %s DIR", command)
		}
		return copyState(ctx, os.Stdout, command, args[1])
	case "version", "--version":
		_, err := fmt.Println("loadbay-local", version.String())
		return err
	case "help", "-h", "--help":
		_, err := fmt.Print(help)
		return err
	}
	return errors.New("unknown command " + command + "; see --help")
}
