package lambdafn

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/stretchr/testify/require"
)

// hostRecorder records the hosts of requests and sends none.
type hostRecorder struct{ requested []string }

var errNotSent = errors.New("not sent")

func (h *hostRecorder) Do(r *http.Request) (*http.Response, error) {
	h.requested = append(h.requested, r.URL.Host)
	return nil, errNotSent
}

// With IPv6-only egress, every service called by functions in the network is
// reached at an address with IPv6.
func TestClientsUseDualStackEndpoints(t *testing.T) {
	t.Setenv("AWS_USE_DUALSTACK_ENDPOINT", "true")
	t.Setenv("AWS_ENDPOINT_URL", "")
	h := &hostRecorder{}
	c, err := awsconfig.LoadDefaultConfig(t.Context(), awsconfig.WithRegion("eu-central-1"),
		awsconfig.WithCredentialsProvider(credentials.NewStaticCredentialsProvider("a", "b", "")),
		awsconfig.WithRetryer(func() aws.Retryer { return aws.NopRetryer{} }))
	require.NoError(t, err)
	c.HTTPClient = h
	name := aws.String("name")
	for want, ask := range map[string]func(context.Context) error{
		"sqs.eu-central-1.api.aws": func(ctx context.Context) error {
			_, err := sqs.NewFromConfig(c).SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: aws.String("https://sqs.eu-central-1.amazonaws.com/1/name"), MessageBody: name})
			return err
		},
		"states.eu-central-1.api.aws": func(ctx context.Context) error {
			_, err := sfn.NewFromConfig(c).StartExecution(ctx, &sfn.StartExecutionInput{StateMachineArn: name})
			return err
		},
		"events.eu-central-1.api.aws": func(ctx context.Context) error {
			_, err := eventbridge.NewFromConfig(c).PutEvents(ctx, &eventbridge.PutEventsInput{Entries: []types.PutEventsRequestEntry{{Source: name}}})
			return err
		},
		// By the SDK's rules this service has IPv4 and IPv6 under its only name.
		"secretsmanager.eu-central-1.amazonaws.com": func(ctx context.Context) error {
			_, err := secretsmanager.NewFromConfig(c).GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: name})
			return err
		},
		"dynamodb.eu-central-1.api.aws": func(ctx context.Context) error {
			_, err := dynamodb.NewFromConfig(c).DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: name})
			return err
		},
		"bucket.s3.dualstack.eu-central-1.amazonaws.com": func(ctx context.Context) error {
			_, err := s3.NewFromConfig(c).HeadObject(ctx, &s3.HeadObjectInput{Bucket: aws.String("bucket"), Key: name})
			return err
		},
	} {
		h.requested = nil
		require.ErrorIs(t, ask(t.Context()), errNotSent)
		require.Equal(t, []string{want}, h.requested)
	}
}
