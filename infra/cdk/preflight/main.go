// Command preflight tells what an AWS account lacks for a deployment, before anything is created:
//
//	make preflight AWS_REGION=eu-central-1 CDK_ARGS='-c auth=cognito -c alarmEmail=you@example.com'
//
// It only reads. It exits with 1 if a deployment would fail. It is beside the CDK app because `make
// check` leaves out the packages with dependencies that take long to compile.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	awsconfig "github.com/aws/aws-sdk-go-v2/config"

	"github.com/loadbay/loadbay/shared/runtime/config"
)

// environment contains the variables that configure the command.
type environment struct {
	Context string `env:"CDK_ARGS"`
}

// timeout limits all calls together.
const timeout = 2 * time.Minute

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "preflight:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var e environment
	if err := config.Load(&e, os.LookupEnv); err != nil {
		return err
	}
	s, err := parseSettings(strings.Fields(e.Context))
	if err != nil {
		return err
	}
	c, err := awsconfig.LoadDefaultConfig(ctx)
	if err != nil {
		return fmt.Errorf("AWS configuration: %w", err)
	}
	if c.Region == "" {
		return errors.New("no region is configured: set AWS_REGION=eu-central-1, for example")
	}
	results, err := inspect(ctx, newAccount(c), s)
	if err != nil {
		return err
	}
	if missing := report(os.Stdout, results); missing > 0 {
		return fmt.Errorf("%d of %d checks failed: a deployment would fail", missing, len(results))
	}
	return nil
}
