package erasure

import (
	"time"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/job"
)

// Erasure is the erasure of a person, with its progress.
type Erasure struct {
	Person   int64
	Traces   *Traces
	Position Position
	Changes  int64 // removed from change sets so far
	Began    time.Time
	tables   *Tables // of the organisation
}

// Position is the next data to process: change sets first, and then the other data of each import.
// Its zero value is the beginning. It is stored as JSON.
type Position struct {
	Known   int // entities that were known when processing the change sets began
	Planned bool
	Values  bool // the change sets are done
	Job     job.Key
	At      changeset.Position
}
