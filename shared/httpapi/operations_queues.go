package httpapi

import (
	"net/http"
	"time"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/operations"
)

// depthDocument holds the approximate number of messages in a queue.
type depthDocument struct {
	Waiting  int64 `json:"waiting"`
	InFlight int64 `json:"inFlight"`
	Delayed  int64 `json:"delayed"`
}

// queueDocument is the JSON form of a queue and its dead letters.
type queueDocument struct {
	Name        string         `json:"name"`
	Work        *depthDocument `json:"work"`
	DeadLetters depthDocument  `json:"deadLetters"`
	OldestAt    *time.Time     `json:"oldestAt"`
}

// listQueues is GET /api/admin/queues.
func (a *operatorAPI) listQueues(w http.ResponseWriter, r *http.Request) error {
	states, err := a.operations.QueueStates(r.Context())
	if err != nil {
		return err
	}
	documents := make([]queueDocument, len(states))
	for i, s := range states {
		documents[i] = queueDocument{Name: s.Name, DeadLetters: depthDocument(s.Dead), OldestAt: utcOrNil(s.OldestAt)}
		if s.Work != nil {
			documents[i].Work = new(depthDocument(*s.Work))
		}
	}
	return writeJSON(w, http.StatusOK, documents)
}

// deadLetterDocument is a message that could not be processed, with the ids in it.
type deadLetterDocument struct {
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

func toDeadLetter(d operations.DeadLetter) deadLetterDocument {
	document := deadLetterDocument{
		ID: d.ID, SentAt: d.SentAt.UTC(), Receives: d.Receives, Identifier: nilIfZero(d.Job), Chunk: d.Chunk,
		ExportID: nilIfZero(d.Export), EventID: nilIfZero(d.Event), ObjectKey: nilIfZero(d.Object), Redrivable: d.Redrivable,
	}
	if d.Organisation != 0 {
		document.OrganisationID = &d.Organisation
	}
	return document
}

// listDeadLetters is GET /api/admin/queues/{queue}/dead-letters.
func (a *operatorAPI) listDeadLetters(w http.ResponseWriter, r *http.Request) error {
	found, err := a.operations.DeadLetters(r.Context(), r.PathValue("queue"))
	if err != nil {
		return err
	}
	documents := make([]deadLetterDocument, len(found))
	for i, d := range found {
		documents[i] = toDeadLetter(d)
	}
	return writeJSON(w, http.StatusOK, documents)
}

// redriveDeadLetter is POST /api/admin/queues/{queue}/dead-letters/{messageId}/redrive.
func (a *operatorAPI) redriveDeadLetter(w http.ResponseWriter, r *http.Request) error {
	return writeNoContent(w, a.operations.Redrive(r.Context(), callerName(r), r.PathValue("queue"), r.PathValue("messageId")))
}

// discardDeadLetter is POST /api/admin/queues/{queue}/dead-letters/{messageId}/discard.
func (a *operatorAPI) discardDeadLetter(w http.ResponseWriter, r *http.Request) error {
	return writeNoContent(w, a.operations.Discard(r.Context(), callerName(r), r.PathValue("queue"), r.PathValue("messageId")))
}

func writeNoContent(w http.ResponseWriter, err error) error {
	if err == nil {
		w.WriteHeader(http.StatusNoContent)
	}
	return err
}
