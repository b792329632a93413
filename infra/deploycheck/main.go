// Command deploycheck deploys the stage dev to a real account, runs the end-to-end suite against
// it, which prints the API's latencies and their cost, and destroys the stage:
//
//	make deploy-check ACCOUNT=123456789012 AWS_REGION=eu-central-1 CDK_ARGS='-c auth=cognito -c alarmEmail=you@example.com'
//
// It takes about an hour and costs less than a dollar (both estimated: nobody has run it), provided
// that the stage is destroyed at the end, and asks first; CONFIRM=yes answers. A budget of $20 warns
// the address for alarms until everything is destroyed. It leaves nothing behind: what the stacks
// leave is found by its tags and deleted, keys after seven days, and so are the files that the CDK has
// uploaded. The CDK's bootstrap stack stays.
package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/shared/runtime/config"
)

// environment contains the variables that configure the check.
type environment struct {
	Account string `env:"ACCOUNT"`
	Region  string `env:"AWS_REGION"`
	Context string `env:"CDK_ARGS"`
	Confirm string `env:"CONFIRM"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "deploycheck:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var e environment
	if err := config.Load(&e, os.LookupEnv); err != nil {
		return err
	}
	s := settings{account: e.Account, region: e.Region, context: strings.Fields(e.Context), assembly: "cdk.out"}
	if err := s.validate(exec.LookPath); err != nil {
		return err
	}
	c, err := openAWS(ctx, s.region)
	if err != nil {
		return err
	}
	ask := func(question string) bool { return e.Confirm == "yes" || answer(os.Stdin, question) }
	return check(ctx, s, c, ask, execute)
}

// answer asks on the terminal; everything but y or yes declines.
func answer(in io.Reader, question string) bool {
	fmt.Print(question, " [y/N] ")
	line, _ := bufio.NewReader(in).ReadString('\n') // no answer declines
	return slices.Contains([]string{"y", "yes"}, strings.ToLower(strings.TrimSpace(line)))
}

// execute runs a command with this process's output, unless it is quiet. The terminal sends an
// interruption to the command as well.
func execute(ctx context.Context, c command) (string, error) {
	process := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	process.Env = append(os.Environ(), c.env...)
	if !c.quiet {
		process.Stdout, process.Stderr = os.Stdout, os.Stderr
		return "", process.Run()
	}
	var failure strings.Builder
	process.Stderr = &failure
	output, err := process.Output()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, strings.TrimSpace(failure.String()))
	}
	return string(output), nil
}
