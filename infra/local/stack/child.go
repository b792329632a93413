package stack

import (
	"fmt"
	"os"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/s3"
)

// childArgument makes a program that calls RunIfChild the object store's process.
const childArgument = "s3-child"

// ChildCommand is a Config's S3Command for the running program.
func ChildCommand() ([]string, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	return []string{program, childArgument}, nil
}

// RunIfChild has to be called first in a program, or a TestMain, that starts
// stacks, with os.Args. If the program was started as the object store's process
// it is that until the stack ends, and played is true: then there is nothing
// else to do.
func RunIfChild(args []string) (played bool, err error) {
	if len(args) < 2 || args[1] != childArgument {
		return false, nil
	}
	return true, s3.Main(args[2:])
}
