package inputs

import (
	"context"
	"regexp"
	"strings"
	"testing"

	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

var uuidPattern = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// requireNothingLeft checks that every job has ended or waits, that each file and
// each chunk belongs to a job, and that no queue holds a message.
func (w *harness) requireNothingLeft(t *testing.T) {
	t.Helper()
	require.Zero(t, stacktest.Query[int](t, w.Stack, `SELECT count(*) FROM import_jobs WHERE status = 'PROCESSING'`))
	require.Zero(t, stacktest.Query[int](t, w.Stack, `SELECT count(*) FROM import_chunks c JOIN import_jobs j ON j.id = c.job_id WHERE j.status = 'COMPLETED' AND NOT c.done`))
	require.Zero(t, stacktest.Query[int](t, w.Stack, `SELECT count(*) FROM import_jobs WHERE status = 'COMPLETED' AND file_lines <> created_count + updated_count + unchanged_count + skipped_count + error_count + blank_lines + header_lines`))
	for _, key := range w.bucket.keys(t) {
		switch {
		case strings.HasPrefix(key, blueprint.UploadsPrefix), strings.HasPrefix(key, blueprint.ChunksPrefix):
			id := uuidPattern.FindString(key)
			require.Equal(t, 1, stacktest.Query[int](t, w.Stack, `SELECT count(*) FROM import_jobs WHERE uuid = $1`, id), "%s belongs to no job", key)
		case strings.HasPrefix(key, blueprint.DropPrefix), strings.HasPrefix(key, blueprint.QuarantinePrefix),
			strings.HasPrefix(key, blueprint.ResultsPrefix), strings.HasPrefix(key, blueprint.ExportsPrefix):
		default:
			require.Fail(t, "an object outside the known prefixes", key)
		}
	}
	w.requireEmptyQueues(t)
}

func (w *harness) requireEmptyQueues(t *testing.T) {
	t.Helper()
	queues := awssqs.NewFromConfig(w.AWSConfig())
	const visible, hidden = types.QueueAttributeNameApproximateNumberOfMessages, types.QueueAttributeNameApproximateNumberOfMessagesNotVisible
	for _, q := range stacktest.Blueprint().Queues {
		url := "http://" + w.AWS + "/000000000000/" + q.Name
		// A message is deleted shortly after its job has moved on.
		w.Await(t, "no message is left in "+q.Name, func() bool {
			out, err := queues.GetQueueAttributes(context.WithoutCancel(t.Context()), &awssqs.GetQueueAttributesInput{
				QueueUrl: &url, AttributeNames: []types.QueueAttributeName{visible, hidden},
			})
			return err == nil && out.Attributes[string(visible)] == "0" && out.Attributes[string(hidden)] == "0"
		})
	}
}
