package job

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/loadbay/loadbay/shared/job/tenant"
)

// ExportStatus is the status of an export.
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

// unknownExport is the phrase for an unknown status.
const unknownExport = "is in another state"

// Clause is like Status.Clause.
func (s ExportStatus) Clause() string { return fmt.Sprintf("%s (%s)", s.phrase(), string(s)) }

func (s ExportStatus) phrase() string {
	switch s {
	case ExportPending:
		return "is not started yet"
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

// Export is an export as stored in the database.
type Export struct {
	ID             ExportID
	OrganisationID tenant.ID
	ImportType     string // type of the exported rows
	TypeVersion    int    // of a declared type; 0 for a compiled one
	Format         string
	Fields         []string        // columns; empty for all
	Filters        json.RawMessage // an object, by column
	Annotates      ID              // import of the file to return with its errors marked, instead of rows; "" for none
	Status         ExportStatus
	Records        int64 // written so far
	SizeBytes      int64 // of the file, once it is complete
	ObjectKey      string
	RequestID      string // of the request that created it
	Failure        *Failure
	CreatedAt      time.Time
	StartedAt      *time.Time
	CompletedAt    *time.Time // when it became terminal
}

// ExportRef is a message of the exports queue.
type ExportRef struct {
	ExportID       ExportID  `json:"exportId"`
	OrganisationID tenant.ID `json:"organisationId"`
}

// Valid reports whether its ids are well-formed.
func (r ExportRef) Valid() bool { return isUUID(r.ExportID) && r.OrganisationID.Valid() }
