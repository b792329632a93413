package export_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

const webhookSQL = `INSERT INTO webhooks (organisation_id, url, secret) VALUES (1, 'https://hooks.example/', 's')`

// deliveries returns the bodies of the due messages by type.
func (b *harness) deliveries(t *testing.T) map[string]string {
	t.Helper()
	var out map[string]string
	text := postgrestest.Query[string](t, b.Database, `
		SELECT coalesce(jsonb_object_agg(event_type, body), '{}')::text FROM webhook_deliveries
		WHERE status = 'PENDING' AND queued_at IS NULL AND next_attempt_at <= now()`)
	require.NoError(t, json.Unmarshal([]byte(text), &out))
	return out
}

// The end of an export and its message are written in one transaction.
func TestExportEndIsSentToWebhook(t *testing.T) {
	t.Parallel()
	b := setup(t, 3)
	b.Exec(t, webhookSQL)
	ref := b.create(t, nil)
	require.NoError(t, b.step.Run(t.Context(), ref))
	require.NoError(t, b.step.Run(t.Context(), ref), "a second delivery is harmless")
	broken := b.create(t, func(e *job.Export) { e.Fields = []string{"shoe"} })
	require.NoError(t, b.step.Run(t.Context(), broken))

	sent := b.deliveries(t)
	require.Len(t, sent, 2)
	var message struct {
		Type      string
		Timestamp time.Time
		Data      job.ExportEvent
	}
	require.NoError(t, json.Unmarshal([]byte(sent["export.completed"]), &message))
	e := b.export(t, ref)
	require.Equal(t, "export.completed", message.Type)
	require.Equal(t, e.ID, message.Data.ExportID)
	require.EqualValues(t, 3, message.Data.RecordCount)
	require.Equal(t, b.Size(), message.Data.SizeBytes)
	require.Contains(t, sent["export.failed"], `"failureCode":"`)
	require.Contains(t, sent["export.failed"], string(broken.ExportID))
	require.Equal(t, 2, postgrestest.Query[int](t, b.Database, `SELECT count(*) FROM webhook_deliveries`))

	b.Exec(t, `DELETE FROM export_jobs`)
	require.Zero(t, postgrestest.Query[int](t, b.Database, `SELECT count(*) FROM webhook_deliveries`), "deliveries are deleted with their exports")
}

func TestNoDeliveryWithoutSubscription(t *testing.T) {
	t.Parallel()
	b := setup(t, 1)
	require.NoError(t, b.step.Run(t.Context(), b.create(t, nil)))
	b.Exec(t, webhookSQL)
	b.Exec(t, `UPDATE webhooks SET disabled_at = now()`)
	require.NoError(t, b.step.Run(t.Context(), b.create(t, nil)))
	require.Zero(t, postgrestest.Query[int](t, b.Database, `SELECT count(*) FROM webhook_deliveries`))
}
