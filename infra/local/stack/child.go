package stack

import (
	"fmt"
	"os"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/s3"
)

// childArgument makes a program that calls RunIfChild the object store's process.
const childArgument = "s3-child"

// ChildCommand returns the S3Command of a Config for the running program.
func ChildCommand() ([]string, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	return []string{program, childArgument}, nil
}

// RunIfChild must be called first, with os.Args, in every program or TestMain that starts
// stacks. If the program was started as the object store's process, RunIfChild runs it
// until the stack ends and returns true: the caller then exits.
func RunIfChild(args []string) (played bool, err error) {
	if len(args) < 2 || args[1] != childArgument {
		return false, nil
	}
	return true, s3.Main(args[2:])
}
