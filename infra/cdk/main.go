// Command cdk synthesizes Loadbay's CloudFormation templates from the
// blueprint. The CDK CLI runs it (cdk.json), and so does
// "CDK_OUTDIR=cdk.out go run ./infra/cdk" where there is no CLI; either way Node
// has to be on the PATH, and no AWS account is needed.
package main

import (
	"fmt"
	"os"

	"github.com/aws/jsii-runtime-go"

	"github.com/loadbay/loadbay/infra/blueprint"
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
	app := stack.NewApp("")
	settings, err := stack.FromContext(app.Node())
	if err != nil {
		return err
	}
	if err := stack.Build(app, settings, blueprint.New()); err != nil {
		return err
	}
	stack.Check(app)
	app.Synth(nil)
	return nil
}
