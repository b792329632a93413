// Package checker compares the input of an import with its results: entities, outcomes, ledger,
// counters, queues, task tokens and objects. It describes every difference, for tests and load
// runs.
//
// Some rules apply to any import, regardless of its file: the ledger has one byte per line, the
// counters are its totals, the row errors match it, and entities come from rows that were
// written. The outcomes of individual rows are compared as far as the caller knows them.
//
// The checker reads tables instead of using the product's queries, as an administrator who
// bypasses row level security.
package checker

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Database is an administrator's connection, pool or transaction.
type Database interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// Cloud gives access to the resources of an import outside the database.
type Cloud interface {
	// Queues returns the number of messages in each queue, including messages in flight and dead
	// letters.
	Queues(ctx context.Context) (map[string]int, error)
	// Executing reports whether the job's execution is still running, so that one of its task tokens
	// could still be completed.
	Executing(ctx context.Context, jobID job.ID) (bool, error)
	// Tokens returns the phases of the job for which a task token is stored.
	Tokens(ctx context.Context, jobID job.ID) ([]string, error)
	// Objects returns the keys with a prefix.
	Objects(ctx context.Context, prefix string) ([]string, error)
}

// Import is an import and its expected results.
type Import struct {
	JobID job.ID
	// Status is the expected final status; "" for any terminal status.
	Status job.Status
	// Lines are the expected outcomes of the file's lines in order, including header and blank
	// lines; nil if unknown.
	Lines []Line
	// Counts are the expected counts of rows by outcome; nil if unknown. Blank is not compared, as
	// it follows from Lines.
	Counts *job.Counts
	// Tables are the expected contents of the organisation's tables.
	Tables []Table
	// Purged reports that only the entities of the job should be left. Its organisation and the key
	// of its file must then be given, since they cannot be read from the job.
	Purged       bool
	Organisation tenant.ID
	ObjectKey    string
}

// Unknown is the expected outcome of a line that may have any final outcome.
const Unknown rowwrite.Outcome = 0

// Line is the expected result of one line of the file.
type Line struct {
	// Outcome is Header, Blank, Created, Updated, Skipped or Errored; Pending for a row that should
	// not have been processed yet; or Unknown.
	Outcome rowwrite.Outcome
	// Codes are the codes of the row's errors, in any order; nil if unknown.
	Codes []string
}

// Table is the expected content of an organisation's table.
type Table struct {
	Name string // for differences
	// SQL returns one text for each row; $1 is the organisation.
	SQL  string
	Want []string // in any order
}

// Differences lists all deviations from the expected results; it is empty if there are none.
// world may be nil if there is only a database. An error means that the comparison failed, not
// that there are differences.
func Differences(ctx context.Context, db Database, world Cloud, want Import) ([]string, error) {
	c := &check{db: db, cloud: world, want: want}
	if err := c.compareAll(ctx); err != nil {
		return nil, fmt.Errorf("check job %s: %w", want.JobID, err)
	}
	return c.differences, nil
}

// NonEmptyQueues describes the queues that are not empty.
func NonEmptyQueues(ctx context.Context, world Cloud) ([]string, error) {
	c := &check{cloud: world}
	err := c.compareQueues(ctx)
	return c.differences, err
}

// TableDifferences lists all deviations of an organisation's tables from their expected contents.
func TableDifferences(ctx context.Context, db Database, organisation tenant.ID, tables []Table) ([]string, error) {
	c := &check{db: db, want: Import{Organisation: organisation, Tables: tables}}
	err := c.compareTables(ctx)
	return c.differences, err
}

// check is the state of one comparison.
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
			return nil // nothing to compare
		}
	}
	return nil
}
