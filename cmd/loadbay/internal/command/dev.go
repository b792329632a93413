package command

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/spf13/cobra"
)

// local is the program that runs all of Loadbay on one machine. It is separate to keep this one
// small.
const local = "loadbay-local"

func (a *app) devCommand() *cobra.Command {
	return &cobra.Command{
		Use: "dev [COMMAND]...", Short: "Run Loadbay on this machine", DisableFlagsInUseLine: true,
		Long: `Run Loadbay on this machine, without an AWS account and without Docker, until Ctrl-C:
Postgres, an AWS endpoint, the functions, the API and the console at http://127.0.0.1:8080.

It runs the program loadbay-local, which must be next to loadbay or in the PATH. All arguments
after dev are passed to it: loadbay dev help lists its commands and environment variables.`,
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

// findLocalProgram finds that program: next to this one, as in a release, or in the PATH.
func findLocalProgram() (string, error) {
	if own, err := os.Executable(); err == nil {
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(own), local)); err == nil {
			return path, nil
		}
	}
	path, err := exec.LookPath(local)
	if errors.Is(err, exec.ErrNotFound) {
		return "", fmt.Errorf("%s not found next to loadbay or in the PATH: install it from a release for Linux or macOS (loadbay-local-VERSION-….tar.gz), or build it with `make build`", local)
	}
	return path, err
}
