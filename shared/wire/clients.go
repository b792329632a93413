package wire

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/loadbay/loadbay/shared/aws/coordination"
	"github.com/loadbay/loadbay/shared/aws/objectstore"
	"github.com/loadbay/loadbay/shared/aws/queue"
	"github.com/loadbay/loadbay/shared/aws/workflow"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/sheet"
)

// awsConfig is the SDK's configuration. AWS_ENDPOINT_URL, which the SDK reads
// itself, points it at another endpoint than AWS.
func awsConfig(ctx context.Context) (aws.Config, error) {
	c, err := awsconfig.LoadDefaultConfig(ctx)
	if err != nil {
		return aws.Config{}, fmt.Errorf("AWS configuration: %w", err)
	}
	return c, nil
}

// Settings of the resources; a function's configuration embeds those it uses.
type (
	bucketSettings struct {
		Bucket   string `env:"BUCKET,required"`
		Endpoint string `env:"AWS_ENDPOINT_URL"`
	}
	// queueURL is the address of a queue; each function names the variable.
	queueURL      string
	tableSettings struct {
		Table string `env:"COORDINATION_TABLE,required"`
	}
	workflowSettings struct {
		StateMachineARN string `env:"STATE_MACHINE_ARN,required"`
	}
)

func (s bucketSettings) store(c aws.Config) files {
	client := s3.NewFromConfig(c, func(o *s3.Options) {
		// Other endpoints than AWS do not resolve <bucket>.<host>.
		o.UsePathStyle = s.Endpoint != ""
		// Reads of ranges have no checksum to validate, and the SDK would log each.
		o.DisableLogOutputChecksumValidationSkipped = true
	})
	return files{objectstore.New(client, s.Bucket)}
}

func (u queueURL) queue(c aws.Config) *queue.Queue {
	return queue.New(sqs.NewFromConfig(c), string(u))
}

func (s tableSettings) table(c aws.Config, db *postgres.DB) *coordination.Table {
	return coordination.New(dynamodb.NewFromConfig(c), s.Table, db.Now)
}

func (s workflowSettings) workflow(c aws.Config) *workflow.Workflow {
	return workflow.New(sfn.NewFromConfig(c), s.StateMachineARN)
}

// files is the bucket as steps see it.
type files struct{ *objectstore.Store }

// Open returns an object as the source of a spreadsheet.
func (f files) Open(ctx context.Context, key string, size int64) sheet.Source {
	return f.Source(ctx, key, size)
}
