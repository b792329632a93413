package job

import (
	"errors"

	"github.com/google/uuid"
)

// ID is a job's public id: the uuid that the API names identifier or job_id, and the
// name of the job's execution. No job has the id "".
type ID string

// Key is a job's id in the database: short, because every row carries it. It never
// leaves the service.
type Key int64

// ExportID is the uuid of an export. No export has the id "".
type ExportID string

// EventID is the uuid of an event, by which receivers detect duplicates. No event has the
// id "".
type EventID string

// ParseID parses a job id from outside: a path, a body, the key of an object, a message. It
// accepts only the form in which ids are issued, in upper or lower case; Postgres would
// accept others too.
func ParseID(text string) (ID, error) { return parseUUID[ID](text) }

// ParseExportID is ParseID for exports.
func ParseExportID(text string) (ExportID, error) { return parseUUID[ExportID](text) }

// ParseEventID is ParseID for events.
func ParseEventID(text string) (EventID, error) { return parseUUID[EventID](text) }

func parseUUID[T ~string](text string) (T, error) {
	id, err := uuid.Parse(text)
	if err != nil || len(text) != len(uuid.Nil.String()) {
		return "", errors.New("an ID must be a UUID of 36 characters")
	}
	return T(id.String()), nil
}

// isUUID reports whether the text is an id as ParseID returns it.
func isUUID[T ~string](id T) bool {
	parsed, err := parseUUID[T](string(id))
	return err == nil && parsed == id
}
