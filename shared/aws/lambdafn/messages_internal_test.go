package lambdafn

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

const (
	aJob   = "0192f0c1-2b7a-7c3d-8e4f-5a6b7c8d9e0f"
	chunk0 = `{"jobId":"` + aJob + `","organisationId":7,"chunk":0}`
	chunk1 = `{"jobId":"` + aJob + `","organisationId":7,"chunk":1}`
)

func sqsEvent(bodies ...string) events.SQSEvent {
	var e events.SQSEvent
	for i, body := range bodies {
		e.Records = append(e.Records, events.SQSMessage{MessageId: string(rune('a' + i)), Body: body})
	}
	return e
}

func TestOnlyFailedChunksAreRedelivered(t *testing.T) {
	t.Parallel()
	var ran []job.ChunkRef
	handler := ForEachMessage(slog.New(slog.DiscardHandler), "chunk", func(_ context.Context, ref job.ChunkRef) error {
		if ran = append(ran, ref); ref.Chunk == 0 {
			return errors.New("broken")
		}
		return nil
	})
	response, err := handler.Acknowledge(t.Context(), sqsEvent(chunk1, chunk0, chunk1))
	require.NoError(t, err, "an error would redeliver all messages")
	require.Equal(t, []events.SQSBatchItemFailure{{ItemIdentifier: "b"}}, response.BatchItemFailures)
	ref := job.Ref{JobID: aJob, OrganisationID: 7}
	require.Equal(t, []job.ChunkRef{{Ref: ref, Chunk: 1}, {Ref: ref}, {Ref: ref, Chunk: 1}}, ran)
}

func TestInvalidMessageIsDropped(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"", "secret", `{"chunk":1}`, `{"jobId":"` + aJob + `"}`, `{"jobId":"j","organisationId":7}`, `{"jobId":"` + aJob + `","organisationId":-7}`, `{"organisationId":7}`, `{"jobId":1}`, `[]`, `null`} {
		var log bytes.Buffer
		handler := ForEachMessage(telemetry.NewLogger(&log, slog.LevelInfo), "chunk", func(context.Context, job.ChunkRef) error {
			t.Errorf("%q was processed", body)
			return nil
		})
		response, err := handler.Acknowledge(t.Context(), sqsEvent(body))
		require.NoError(t, err)
		require.Empty(t, response.BatchItemFailures, "an invalid message is not redelivered: %q", body)
		require.Contains(t, log.String(), `"level":"ERROR"`)
		require.Contains(t, log.String(), `"message_id":"a"`)
		require.NotContains(t, log.String(), "secret")
	}
}

// Log attributes of one chunk's job do not appear in the logs of the next chunk.
func TestEachChunkHasItsOwnLogScope(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	handler := ForEachMessage(telemetry.NewLogger(&log, slog.LevelInfo), "chunk", func(ctx context.Context, ref job.ChunkRef) error {
		if ref.Chunk == 0 {
			telemetry.WithJob(ctx, &job.Job{ID: "the job", RequestID: "the request"})
		}
		return errors.New("broken")
	})
	_, err := handler.Acknowledge(t.Context(), sqsEvent(chunk0, chunk1))
	require.NoError(t, err)
	lines := bytes.Split(bytes.TrimSpace(log.Bytes()), []byte("\n"))
	require.Len(t, lines, 2)
	require.Contains(t, string(lines[0]), `"request_id":"the request"`)
	require.NotContains(t, string(lines[1]), "request_id")
}
