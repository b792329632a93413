// Command cdk synthesizes Loadbay's CloudFormation templates from the blueprint. The CDK CLI
// runs it (cdk.json) and sets the output folder in CDK_OUTDIR; "go run ./infra/cdk" without the
// CLI writes to cdk.out. Either way Node has to be on the PATH, and no AWS account is needed.
//
// Tested by infra/cdk/stack: the stacks that it writes.
package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/aws/jsii-runtime-go"

	"github.com/loadbay/loadbay/infra/cdk/stack"
)

func main() {
	defer jsii.Close()
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "cdk:", err)
		jsii.Close()
		os.Exit(1)
	}
}

func run() error {
	if _, err := exec.LookPath("node"); err != nil {
		return errors.New("node is not on the PATH; the CDK requires it")
	}
	if err := stack.CheckRegion(os.Getenv("CDK_DEFAULT_REGION")); err != nil {
		return err
	}
	app := stack.NewApp(cmp.Or(os.Getenv("CDK_OUTDIR"), "cdk.out"))
	settings, err := stack.SettingsFromContext(app.Node())
	if err != nil {
		return err
	}
	if err := stack.Build(app, settings, settings.Blueprint()); err != nil {
		return err
	}
	stack.EnableNagChecks(app)
	app.Synth(nil)
	return nil
}
