// Package queue sends references to chunks, exports and other work to SQS.
//
// Tested by infra/tests/conformance: sending to the local endpoint.
package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Queue is one SQS queue.
type Queue struct {
	client *sqs.Client
	url    string
}

// New returns the queue with that URL.
func New(client *sqs.Client, url string) *Queue { return &Queue{client: client, url: url} }

// Open returns the queue with that URL.
func Open(c aws.Config, url string) *Queue { return New(sqs.NewFromConfig(c), url) }

// HasARN reports whether the queue has that ARN, by comparing names: a function's queues are
// all in its own account and region, where names are unique.
func (q *Queue) HasARN(arn string) bool {
	parts := strings.Split(arn, ":")
	return len(parts) == 6 && strings.HasSuffix(q.url, "/"+parts[5])
}

// messageGroup returns the message group of an organisation. In a standard queue it does not
// order messages, but makes the queue fair: while one organisation's millions of rows
// wait, another's few are delivered next.
// Source: "Amazon SQS fair queues" in the SQS developer guide.
func messageGroup(organisation tenant.ID) *string {
	return aws.String("organisation-" + organisation.String())
}

// batchSize is the maximum number of messages per request to SQS.
const batchSize = 10

// SendChunks queues chunks of a job. An error means that some may not be queued:
// sending them again is safe, because processing a chunk twice is.
func (q *Queue) SendChunks(ctx context.Context, ref job.Ref, chunks []int) error {
	for start := 0; start < len(chunks); start += batchSize {
		if err := q.sendBatch(ctx, ref, chunks[start:min(start+batchSize, len(chunks))]); err != nil {
			return err
		}
	}
	return nil
}

func (q *Queue) sendBatch(ctx context.Context, ref job.Ref, chunks []int) error {
	entries := make([]types.SendMessageBatchRequestEntry, len(chunks))
	for i, chunk := range chunks {
		body, err := json.Marshal(job.ChunkRef{Ref: ref, Chunk: chunk})
		if err != nil {
			return fmt.Errorf("queue chunk %d of job %s: %w", chunk, ref.JobID, err)
		}
		entries[i] = types.SendMessageBatchRequestEntry{
			Id: aws.String(strconv.Itoa(i)), MessageBody: aws.String(string(body)), MessageGroupId: messageGroup(ref.OrganisationID),
		}
	}
	out, err := q.client.SendMessageBatch(ctx, &sqs.SendMessageBatchInput{QueueUrl: &q.url, Entries: entries})
	if err != nil {
		return fmt.Errorf("queue %d chunks of job %s: %w", len(chunks), ref.JobID, err)
	}
	if len(out.Failed) > 0 {
		first := out.Failed[0]
		return fmt.Errorf("queue chunks of job %s: %d of %d were refused: %s", ref.JobID, len(out.Failed), len(chunks), aws.ToString(first.Code))
	}
	return nil
}
