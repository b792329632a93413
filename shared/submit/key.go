package submit

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"github.com/loadbay/loadbay/shared/job"
)

const (
	uploadsPrefix = "uploads/"
	sourceName    = "source"
)

// SourceKey is the key of the object that holds a job's file.
func SourceKey(organisation int64, jobID string) string {
	return fmt.Sprintf("%s%d/%s/%s", uploadsPrefix, organisation, jobID, sourceName)
}

// ParseSourceKey is the inverse of SourceKey; false for any other key.
func ParseSourceKey(key string) (job.Ref, bool) {
	rest, ok := strings.CutPrefix(key, uploadsPrefix)
	parts := strings.Split(rest, "/")
	if !ok || len(parts) != 3 || parts[2] != sourceName || uuid.Validate(parts[1]) != nil {
		return job.Ref{}, false
	}
	organisation, err := strconv.ParseInt(parts[0], 10, 64)
	if err != nil || organisation <= 0 {
		return job.Ref{}, false
	}
	ref := job.Ref{JobID: parts[1], OrganisationID: organisation}
	return ref, SourceKey(organisation, ref.JobID) == key
}
