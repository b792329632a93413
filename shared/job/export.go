package job

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/loadbay/loadbay/shared/job/tenant"
)

// ExportStatus is where an export stands.
type ExportStatus string

// The statuses of an export. The last three are terminal.
const (
	ExportPending    ExportStatus = "pending"
	ExportProcessing ExportStatus = "processing"
	ExportCompleted  ExportStatus = "completed"
	ExportFailed     ExportStatus = "failed"
	ExportCancelled  ExportStatus = "cancelled"
)

// Terminal reports whether the status is final.
func (s ExportStatus) Terminal() bool {
	return s == ExportCompleted || s == ExportFailed || s == ExportCancelled
}

// Valid reports whether it is one of the statuses.
func (s ExportStatus) Valid() bool { return s.phrase() != unknownExport }

// unknownExport are the words for a status that there is not.
const unknownExport = "is in another state"

// Clause is like Status.Clause.
func (s ExportStatus) Clause() string { return fmt.Sprintf("%s (%s)", s.phrase(), string(s)) }

func (s ExportStatus) phrase() string {
	switch s {
	case ExportPending:
		return "is not being written yet"
	case ExportProcessing:
		return "is being written"
	case ExportCompleted:
		return "is complete"
	case ExportFailed:
		return "has failed"
	case ExportCancelled:
		return "was cancelled"
	}
	return unknownExport
}

// Export is one export as the database keeps it.
type Export struct {
	ID             ExportID
	OrganisationID tenant.ID
	ImportType     string // the type whose rows are exported
	Format         string
	Fields         []string        // columns; none for all
	Filters        json.RawMessage // an object, by column
	Annotates      ID              // the import whose file is given back with marks, instead of rows; "" for none
	Status         ExportStatus
	Records        int64 // written so far
	SizeBytes      int64 // of the file, once it is complete
	ObjectKey      string
	RequestID      string // of the request that made it
	Failure        *Failure
	CreatedAt      time.Time
	StartedAt      *time.Time
	CompletedAt    *time.Time // became terminal
}

// ExportRef is a message of the exports queue.
type ExportRef struct {
	ExportID       ExportID  `json:"exportId"`
	OrganisationID tenant.ID `json:"organisationId"`
}

// Valid reports whether its ids are well-formed.
func (r ExportRef) Valid() bool { return isUUID(r.ExportID) && r.OrganisationID.Valid() }
