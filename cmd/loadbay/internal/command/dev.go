package command

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"
)

// local is the program that runs all of Loadbay on one machine. It is a program of its own,
// so that this one stays small.
const local = "loadbay-local"

func (a *app) devCommand() *cobra.Command {
	return &cobra.Command{
		Use: "dev [COMMAND]...", Short: "Run all of Loadbay on this machine", DisableFlagsInUseLine: true,
		Long: `Run all of Loadbay on this machine, without an AWS account and without Docker, until Ctrl-C:
Postgres, an AWS endpoint, the functions, the API and the console at http://127.0.0.1:8080.

It runs the program loadbay-local, which is searched beside loadbay and in the PATH. What
follows dev is handed to it: loadbay dev help says what else it can do, and which variables
it heeds.`,
		Example: `  loadbay dev
  API_ADDR=127.0.0.1:9090 DATA_DIR=/tmp/loadbay loadbay dev
  loadbay dev demo`,
		ValidArgsFunction: cobra.FixedCompletions([]cobra.Completion{"run", "demo", "help"}, cobra.ShellCompDirectiveNoFileComp),
		RunE: func(_ *cobra.Command, given []string) error {
			program, err := findLocalProgram()
			if err != nil {
				return err
			}
			if len(given) == 0 {
				given = []string{"run"}
			}
			return execProgram(program, append([]string{local}, given...), os.Environ())
		},
	}
}

// findLocalProgram is where the program is: beside this one, as in a release, or in the PATH.
func findLocalProgram() (string, error) {
	if own, err := os.Executable(); err == nil {
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(own), local)); err == nil {
			return path, nil
		}
	}
	path, err := exec.LookPath(local)
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("%s is neither beside loadbay nor in the PATH: it comes with a release for Linux and macOS (loadbay-local-VERSION-….tar.gz), and `make build` makes it", local)
	}
	return path, err
}
