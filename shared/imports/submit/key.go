package submit

import (
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
)

const (
	uploadsPrefix = "uploads/"
	sourceName    = "source"
)

// SourceKey returns the key of the object that holds a job's file.
func SourceKey(organisation tenant.ID, jobID job.ID) string {
	return fmt.Sprintf("%s%d/%s/%s", uploadsPrefix, organisation, jobID, sourceName)
}

// ParseSourceKey is the inverse of SourceKey; false for any other key.
func ParseSourceKey(key string) (job.Ref, bool) {
	rest, ok := strings.CutPrefix(key, uploadsPrefix)
	parts := strings.Split(rest, "/")
	if !ok || len(parts) != 3 {
		return job.Ref{}, false
	}
	organisation, err := tenant.Parse(parts[0])
	if err != nil {
		return job.Ref{}, false
	}
	id, err := job.ParseID(parts[1])
	if err != nil || SourceKey(organisation, id) != key {
		return job.Ref{}, false
	}
	return job.Ref{JobID: id, OrganisationID: organisation}, true
}
