package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/postgres"
)

// messageDocument is what the webhook is sent about an event.
type messageDocument struct {
	EventID   job.EventID `json:"eventId"`
	Type      string      `json:"type"`
	Timestamp time.Time   `json:"timestamp"`
	Data      *job.Event  `json:"data"`
}

// listEvents is GET /api/webhook/events, newest first: for programs that a webhook cannot reach.
func (a *api) listEvents(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	p := v.page(deliveriesPage, maxDeliveriesPage)
	f := postgres.EventFilter{Occurred: v.period("createdFrom", "createdTo"), Page: p.list()}
	v.rejectUnknown(pageParams("createdFrom", "createdTo")...)
	if err := v.err(); err != nil {
		return err
	}
	var found []job.Event
	var total int64
	err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) (err error) {
		found, total, err = a.DB.Events(ctx, tx, organisationOf(r), f)
		return err
	})
	if err != nil {
		return err
	}
	documents := make([]messageDocument, len(found))
	for i := range found {
		e := &found[i]
		documents[i] = messageDocument{EventID: e.EventID, Type: e.Status.EventType(), Timestamp: e.OccurredAt.UTC(), Data: e}
	}
	return writeList(w, r, http.StatusOK, p, documents, func(i int) []string { return postgres.EventCursor(&found[i]) }, total)
}
