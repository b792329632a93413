package job

import (
	"encoding/json"
	"time"

	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Quarantined is a file of the drop folder that was refused and put aside.
type Quarantined struct {
	ID             ID // of the job that would have been made
	OrganisationID tenant.ID
	ObjectKey      string // where it was
	QuarantineKey  string // where it is
	SizeBytes      int64
	Code           string // of package problem
	Message        string
	Errors         json.RawMessage // []problem.Field
	QuarantinedAt  time.Time
}
