// Package fileresult builds the result of an import that reads its file as a whole.
//
// Tested by shared/step: whole imports on a real database.
package fileresult

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/rows"
)

// Store loads row errors and saves the results of imports.
type Store interface {
	RowErrors(ctx context.Context, tx pgx.Tx, key job.Key, limit int64) ([]job.RowResult, error)
	CountIssues(ctx context.Context, tx pgx.Tx, key job.Key) (int64, error)
	SaveResult(ctx context.Context, tx pgx.Tx, key job.Key, result json.RawMessage) error
}

// Save stores the result of a job with the counts of p. left is the data that its rows have
// produced.
func Save(ctx context.Context, tx pgx.Tx, store Store, kind entity.FileWriter, key job.Key, p job.Progress, left json.RawMessage) error {
	remarks, err := store.RowErrors(ctx, tx, key, rows.MaxIssues+1)
	if err != nil {
		return err
	}
	summary := entity.Summary{
		FileLines: p.FileLines, BlankLines: p.BlankLines, HeaderRows: p.HeaderLines, TotalRows: p.TotalRows,
		Created: p.Counts.Created, Updated: p.Counts.Updated, Unchanged: p.Counts.Unchanged, Skipped: p.Counts.Skipped, Errors: p.Counts.Errored,
	}
	if summary.IssueCount, err = store.CountIssues(ctx, tx, key); err != nil {
		return err
	}
	summary.Issues, summary.IssuesTruncated = rows.ListIssues(remarks)
	report, err := kind.Report(left, summary)
	if err != nil {
		return err
	}
	text, err := json.Marshal(report)
	if err != nil {
		return fmt.Errorf("decode result of job %d: %w", key, err)
	}
	return store.SaveResult(ctx, tx, key, text)
}
