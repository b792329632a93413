// Command deploycheck deploys the stage dev to a real account, runs the end-to-end suite
// against it, which prints how long the API took and what that cost, and destroys the stage:
//
//	make deploy-check ACCOUNT=123456789012 AWS_REGION=eu-central-1 CDK_ARGS='-c jwtIssuer=https://…'
//
// It takes about an hour and costs less than a dollar, as long as it ends with the stage
// destroyed; what the data leaves behind for good (a snapshot, a log) is that of any
// deployment of dev: nothing.
package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "deploycheck:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	s := settings{
		account: os.Getenv("ACCOUNT"), region: cmp.Or(os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION")),
		context: strings.Fields(os.Getenv("CDK_ARGS")),
	}
	if err := s.validate(exec.LookPath); err != nil {
		return err
	}
	c, err := openAWS(ctx, s.region)
	if err != nil {
		return err
	}
	return check(ctx, s, c, execute)
}

// execute runs a command with its output here. An interruption is for the command as well,
// which the terminal sends it to.
func execute(ctx context.Context, c command) error {
	process := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	process.Env = append(os.Environ(), c.env...)
	process.Stdout, process.Stderr = os.Stdout, os.Stderr
	return process.Run()
}
