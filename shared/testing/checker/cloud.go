package checker

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// comparePurged looks for remains of a job that should have been deleted. Tables refer to it by
// its number, which was deleted with it, so any row without a job is a remnant.
func (c *check) comparePurged(ctx context.Context) error {
	tables, err := c.queryTexts(ctx, `
		SELECT c.relname::text
		FROM pg_class AS c
		JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'job_id'
		WHERE c.relnamespace = ANY ('{loadbay,sample}'::regnamespace[]) AND c.relkind = 'r'
		ORDER BY 1`)
	if err != nil {
		return err
	}
	for _, table := range tables {
		left, err := c.queryTexts(ctx, `
			SELECT DISTINCT t.job_id::text
			FROM `+table+` AS t
			WHERE t.organisation_id = $1 AND NOT EXISTS (SELECT FROM import_jobs AS j WHERE j.id = t.job_id)`, c.want.Organisation)
		if err != nil {
			return fmt.Errorf("%s: %w", table, err)
		}
		if len(left) > 0 {
			c.report("%s has rows of deleted jobs: %s", table, quoted(left))
		}
	}
	return nil
}

func (c *check) compareQueues(ctx context.Context) error {
	held, err := c.cloud.Queues(ctx)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(held)) {
		if held[name] > 0 {
			c.report("%d messages remain in the queue %s", held[name], name)
		}
	}
	return nil
}

// compareExecution looks for an execution that has outlived its job, and for tokens of a deleted
// job.
func (c *check) compareExecution(ctx context.Context) error {
	runs, err := c.cloud.Executing(ctx, c.want.JobID)
	if err != nil {
		return err
	}
	if runs {
		c.report("the execution still runs, so its task tokens live")
	}
	if !c.want.Purged {
		return nil
	}
	tokens, err := c.cloud.Tokens(ctx, c.want.JobID)
	if err != nil {
		return err
	}
	if len(tokens) > 0 {
		c.report("tokens of a deleted job remain: %s", quoted(tokens))
	}
	return nil
}

// compareObjects compares the objects of the job with those in its ledger. A splitter that was
// stopped may have written chunks that are in no ledger.
func (c *check) compareObjects(ctx context.Context) error {
	key, organisation := c.want.ObjectKey, c.organisation()
	if c.job != nil {
		key = c.job.ObjectKey
	}
	var source []string
	var err error
	if key != "" {
		if source, err = c.cloud.Objects(ctx, key); err != nil {
			return err
		}
	}
	chunks, err := c.cloud.Objects(ctx, fmt.Sprintf("chunks/%d/%s/", organisation, c.want.JobID))
	if err != nil {
		return err
	}
	if c.want.Purged {
		if left := append(source, chunks...); len(left) > 0 {
			c.report("objects of a deleted job remain: %s", quoted(left))
		}
		return nil
	}
	if c.job == nil {
		return nil
	}
	if !slices.Contains(source, key) {
		c.report("the job's file %s is missing", key)
	}
	for _, chunk := range chunks {
		if c.ledger != nil && c.job.SplitComplete && !c.ledger.keys[chunk] {
			c.report("the object %s is not in the ledger", chunk)
		}
	}
	var copied []string // objects of the retried job
	if c.job.Rerun {
		if copied, err = c.cloud.Objects(ctx, fmt.Sprintf("chunks/%d/%s/", organisation, c.job.RetryOf)); err != nil {
			return err
		}
	}
	for named := range c.ledger.keys {
		if named != key && !slices.Contains(chunks, named) && !slices.Contains(copied, named) {
			c.report("the object %s of the ledger is missing", named)
		}
	}
	return nil
}
