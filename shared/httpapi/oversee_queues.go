package httpapi

import (
	"net/http"
	"time"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/operations"
)

// depthDocument is how many messages a queue has, about.
type depthDocument struct {
	Waiting  int64 `json:"waiting"`
	InFlight int64 `json:"inFlight"`
	Delayed  int64 `json:"delayed"`
}

// queueDocument is a queue with its dead letters, on the wire.
type queueDocument struct {
	Name        string         `json:"name"`
	Work        *depthDocument `json:"work"`
	DeadLetters depthDocument  `json:"deadLetters"`
	OldestAt    *time.Time     `json:"oldestAt"`
}

// listQueues is GET /api/admin/queues.
func (a *operatorAPI) listQueues(w http.ResponseWriter, r *http.Request) error {
	states, err := a.overseer.States(r.Context())
	if err != nil {
		return err
	}
	documents := make([]queueDocument, len(states))
	for i, s := range states {
		documents[i] = queueDocument{Name: s.Name, DeadLetters: depthDocument(s.Dead), OldestAt: utc(s.Since)}
		if s.Work != nil {
			documents[i].Work = new(depthDocument(*s.Work))
		}
	}
	return writeJSON(w, http.StatusOK, documents)
}

// letterDocument is a message that nobody could handle, with the ids that it carries.
type letterDocument struct {
	ID             string        `json:"id"`
	SentAt         time.Time     `json:"sentAt"`
	Receives       int           `json:"receives"`
	OrganisationID *tenant.ID    `json:"organisationId"`
	Identifier     *job.ID       `json:"identifier"`
	Chunk          *int          `json:"chunk"`
	ExportID       *job.ExportID `json:"exportId"`
	EventID        *job.EventID  `json:"eventId"`
	ObjectKey      *string       `json:"objectKey"`
	Redrivable     bool          `json:"redrivable"`
}

func toLetter(d operations.DeadLetter) letterDocument {
	document := letterDocument{
		ID: d.ID, SentAt: d.SentAt.UTC(), Receives: d.Receives, Identifier: orNull(d.Job), Chunk: d.Chunk,
		ExportID: orNull(d.Export), EventID: orNull(d.Event), ObjectKey: orNull(d.Object), Redrivable: d.Redrivable,
	}
	if d.Organisation != 0 {
		document.OrganisationID = &d.Organisation
	}
	return document
}

// listDeadLetters is GET /api/admin/queues/{queue}/dead-letters.
func (a *operatorAPI) listDeadLetters(w http.ResponseWriter, r *http.Request) error {
	found, err := a.overseer.DeadLetters(r.Context(), r.PathValue("queue"))
	if err != nil {
		return err
	}
	documents := make([]letterDocument, len(found))
	for i, d := range found {
		documents[i] = toLetter(d)
	}
	return writeJSON(w, http.StatusOK, documents)
}

// redriveLetter is POST /api/admin/queues/{queue}/dead-letters/{messageId}/redrive.
func (a *operatorAPI) redriveLetter(w http.ResponseWriter, r *http.Request) error {
	return noContent(w, a.overseer.Redrive(r.Context(), callerOf(r), r.PathValue("queue"), r.PathValue("messageId")))
}

// discardLetter is POST /api/admin/queues/{queue}/dead-letters/{messageId}/discard.
func (a *operatorAPI) discardLetter(w http.ResponseWriter, r *http.Request) error {
	return noContent(w, a.overseer.Discard(r.Context(), callerOf(r), r.PathValue("queue"), r.PathValue("messageId")))
}

func noContent(w http.ResponseWriter, err error) error {
	if err == nil {
		w.WriteHeader(http.StatusNoContent)
	}
	return err
}
