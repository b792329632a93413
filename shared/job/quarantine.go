package job

import (
	"encoding/json"
	"time"

	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Quarantined is a rejected file of the drop folder that was moved to quarantine.
type Quarantined struct {
	ID             ID // of the job that would have been created
	OrganisationID tenant.ID
	ObjectKey      string // original key
	QuarantineKey  string // current key
	SizeBytes      int64
	Code           string // of package problem
	Message        string
	Errors         json.RawMessage // []problem.Field
	QuarantinedAt  time.Time
}
