package queue_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/aws/queue"
)

func TestQueueHasARN(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"https://sqs.eu-west-1.amazonaws.com/123456789012/work-dev", "http://127.0.0.1:4566/123456789012/work-dev"} {
		q := queue.New(nil, url)
		for arn, is := range map[string]bool{
			"arn:aws:sqs:eu-west-1:123456789012:work-dev":     true,
			"arn:aws:sqs:eu-west-1:123456789012:work-dlq-dev": false,
			"arn:aws:sqs:eu-west-1:123456789012:dev":          false,
			"arn:aws:sqs:eu-west-1:123456789012:work":         false,
			"work-dev": false,
			"":         false,
		} {
			require.Equal(t, is, q.HasARN(arn), "%s is %s", url, arn)
		}
	}
}
