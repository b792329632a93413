package job

import (
	"errors"

	"github.com/google/uuid"
)

// ID is what the outside calls a job by: the uuid that the API names identifier
// or job_id, and the name of the job's execution. "" is no job's.
type ID string

// Key is what the database calls a job by: short, as it stands with every row.
// It never leaves the service.
type Key int64

// ExportID is the uuid of an export. "" is no export's.
type ExportID string

// EventID is the uuid of an event, which its receivers know it again by. "" is
// no event's.
type EventID string

// ParseID reads the id of a job that comes from outside: a path, a body, the key
// of an object, a message. Only the form in which ids are given out is one, in
// either case: Postgres would take others too.
func ParseID(text string) (ID, error) { return parse[ID](text) }

// ParseExportID is ParseID for exports.
func ParseExportID(text string) (ExportID, error) { return parse[ExportID](text) }

func parse[T ~string](text string) (T, error) {
	id, err := uuid.Parse(text)
	if err != nil || len(text) != len(uuid.Nil.String()) {
		return "", errors.New("an id is a uuid of 36 characters")
	}
	return T(id.String()), nil
}

// valid reports whether the text is an id as ParseID returns it.
func valid[T ~string](id T) bool {
	parsed, err := parse[T](string(id))
	return err == nil && parsed == id
}
