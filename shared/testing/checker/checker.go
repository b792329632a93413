// Package checker compares what was put into an import with what came out of it:
// entities, outcomes, ledger, counters, queues, task tokens and objects. It describes
// every difference in words, for tests and load runs.
//
// Some rules hold for any import, whatever its file was: the ledger has one byte per
// line, the counters are its tally, the row errors agree with it, and entities come
// from rows that were written. The outcomes of the file's own rows are compared as far
// as the caller knows them.
//
// The checker reads tables, not the product's queries, as an administrator whom
// row level security does not bind.
package checker

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Database is a connection, a pool or a transaction of an administrator.
type Database interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// Cloud is what an import touches outside the database.
type Cloud interface {
	// Queues returns how many messages each queue holds, in flight or not, dead
	// letters included.
	Queues(ctx context.Context) (map[string]int, error)
	// Executing reports whether the job's execution still runs, so that a task token
	// of it could still be completed.
	Executing(ctx context.Context, jobID job.ID) (bool, error)
	// Tokens returns the phases of the job of which a task token is kept.
	Tokens(ctx context.Context, jobID job.ID) ([]string, error)
	// Objects returns the keys that begin with a prefix.
	Objects(ctx context.Context, prefix string) ([]string, error)
}

// Import is one import and what is expected of it.
type Import struct {
	JobID job.ID
	// Status is where the job should have ended; "" for any terminal status.
	Status job.Status
	// Lines are what should have become of the file's lines, the first one first,
	// header and blank lines included; nil if it is not known.
	Lines []Line
	// Counts are how many rows should have each outcome; nil if that is not known.
	// Blank is not compared: it follows from Lines.
	Counts *job.Counts
	// Tables are what the organisation's tables should hold now.
	Tables []Table
	// Purged says that nothing of the job should be left but its entities. Its
	// organisation and the key of its file must then be given, as the job cannot be
	// asked.
	Purged       bool
	Organisation tenant.ID
	ObjectKey    string
}

// Unknown is the outcome of a line of which nothing is expected but that it has a
// final one.
const Unknown job.Outcome = 0

// Line is what should have become of one line of the file.
type Line struct {
	// Outcome is Header, Blank, Created, Updated, Skipped or Errored; Pending for a
	// row that nothing should have happened to yet; or Unknown.
	Outcome job.Outcome
	// Codes are those of the row's errors, in any order; nil if
	// they are not known.
	Codes []string
}

// Table is the content of a table as far as it belongs to an organisation.
type Table struct {
	Name string // as differences call it
	// SQL yields one text for each row; $1 is the organisation.
	SQL  string
	Want []string // in any order
}

// Differences lists everything that is not as expected; it is empty if all is. world may
// be nil where there is nothing but the database. The error means that the comparison
// failed, not that there are differences.
func Differences(ctx context.Context, db Database, world Cloud, want Import) ([]string, error) {
	c := &check{db: db, cloud: world, want: want}
	if err := c.compareAll(ctx); err != nil {
		return nil, fmt.Errorf("check job %s: %w", want.JobID, err)
	}
	return c.differences, nil
}

// NonEmptyQueues says which queues are not empty.
func NonEmptyQueues(ctx context.Context, world Cloud) ([]string, error) {
	c := &check{cloud: world}
	err := c.compareQueues(ctx)
	return c.differences, err
}

// check is one comparison and what it has found so far.
type check struct {
	db          Database
	cloud       Cloud
	want        Import
	job         *jobRow
	ledger      *ledger
	differences []string
}

func (c *check) report(format string, args ...any) {
	c.differences = append(c.differences, fmt.Sprintf(format, args...))
}

func (c *check) compareAll(ctx context.Context) error {
	steps := []func(context.Context) error{c.readJob}
	if c.want.Purged {
		steps = append(steps, c.comparePurged)
	} else {
		steps = append(steps, c.readLedger, c.compareResults, c.compareEntities, c.compareBatchRows)
	}
	steps = append(steps, c.compareTables)
	if c.cloud != nil {
		steps = append(steps, c.compareQueues, c.compareExecution, c.compareObjects)
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return err
		}
		if c.job == nil && !c.want.Purged {
			return nil // there is nothing to compare
		}
	}
	return nil
}
