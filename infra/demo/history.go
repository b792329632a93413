package demo

import (
	"context"
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/shared/aws/sdkhttp"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awssfn "github.com/aws/aws-sdk-go-v2/service/sfn"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/s3"
)

// printHistory shows the states of the job's execution, as in the AWS console, and the command
// that prints the same.
func (d *demo) printHistory(ctx context.Context, id string) error {
	states := awssfn.New(awssfn.Options{
		BaseEndpoint: aws.String(d.stack.AWSURL), Region: s3.Region, HTTPClient: sdkhttp.New(nil),
		Credentials: credentials.NewStaticCredentialsProvider(s3.AccessKey, s3.SecretKey, ""),
	})
	execution := blueprint.LocalDeployment().ExecutionARN(blueprint.New().StateMachine.Name, id)
	var entered []string
	pages := awssfn.NewGetExecutionHistoryPaginator(states, &awssfn.GetExecutionHistoryInput{ExecutionArn: &execution})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("read history of import %s: %w", id, err)
		}
		for _, e := range page.Events {
			if e.StateEnteredEventDetails != nil {
				entered = append(entered, aws.ToString(e.StateEnteredEventDetails.Name))
			}
		}
	}
	fmt.Fprintf(d.out, "   states: %s\n", strings.Join(entered, " → "))
	fmt.Fprintf(d.out, "   aws --endpoint-url %s stepfunctions get-execution-history --execution-arn %s\n", d.stack.AWSURL, execution)
	return nil
}
