package conformance

import (
	"fmt"
	"os"
	"testing"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/s3"
)

// First arguments that turn the test binary into another program.
const (
	s3Command       = "s3-child" // for every endpoint that serves S3
	endpointCommand = "endpoint" // for the kill tests
)

func TestMain(m *testing.M) {
	run := m.Run
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case s3Command:
			run = func() int { return exitCode(s3.Main(os.Args[2:])) }
		case endpointCommand:
			run = func() int { return exitCode(serveFolder(os.Args[2], os.Stdout)) }
		}
	}
	os.Exit(run())
}

func exitCode(err error) int {
	if err == nil {
		return 0
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}
