package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/cdklabs/cdk-nag-go/cdknag/v2"
)

// EnableNagChecks checks every resource against the AWS Solutions rules when the app is
// synthesized. Findings are errors for the CDK CLI, and are written to a CSV file per stack next
// to the templates.
func EnableNagChecks(app awscdk.App) {
	awscdk.Aspects_Of(app).Add(cdknag.NewAwsSolutionsChecks(nil), nil)
}
