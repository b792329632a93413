package checker

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/job/tenant"
)

// compareResults compares the row errors with the ledger and with the expected ones.
func (c *check) compareResults(ctx context.Context) error {
	rows, err := c.db.Query(ctx, `
		SELECT row_number, ascii(outcome::text), faults, organisation_id
		FROM import_row_results
		WHERE job_id = $1
		ORDER BY row_number`, c.job.ID)
	if err != nil {
		return err
	}
	texts := make(map[int64][]string)
	var row int64
	var organisation tenant.ID
	var outcome int32
	var faults []rowwrite.Error
	_, err = pgx.ForEachRow(rows, []any{&row, &outcome, &faults, &organisation}, func() error {
		texts[row] = c.compareResult(row, rowwrite.Outcome(outcome), faults)
		if organisation != c.job.OrganisationID {
			c.report("the result of row %d belongs to organisation %d", row, organisation)
		}
		faults = nil
		return nil
	})
	if err != nil {
		return err
	}
	for row, o := range c.ledger.outcomes {
		if _, ok := texts[row]; !ok && (o == rowwrite.Errored || o == rowwrite.Skipped || o == rowwrite.Deferred) {
			c.report("row %d is %s without an error", row, outcomeWord(o))
		}
	}
	for i, want := range c.want.Lines {
		got := texts[int64(i+1)]
		slices.Sort(got)
		codes := slices.Sorted(slices.Values(want.Codes))
		if want.Codes != nil && !slices.Equal(got, codes) {
			c.report("row %d has the codes %s, not %s", i+1, readRows(got), readRows(codes))
		}
	}
	return nil
}

// compareResult compares one row's result with the ledger and returns its codes.
func (c *check) compareResult(row int64, outcome rowwrite.Outcome, faults []rowwrite.Error) []string {
	inLedger, ok := c.ledger.outcomes[row]
	if !ok {
		inLedger, ok = c.ledger.decidedElsewhere[row]
	}
	switch {
	case !ok:
		c.report("there is a result for row %d, which has no outcome", row)
	case inLedger.WhenWritten() != outcome:
		c.report("row %d is %s in the ledger and %s in its result", row, outcomeWord(inLedger), outcomeWord(outcome))
	}
	if len(faults) == 0 {
		c.report("the result of row %d is empty", row)
	}
	codes := make([]string, len(faults))
	for i, f := range faults {
		codes[i] = string(f.Code)
		if f.Code == "" || f.Message == "" {
			c.report("an error of row %d lacks its code or message", row)
		}
	}
	return codes
}

func readRows(codes []string) string {
	if len(codes) == 0 {
		return "(none)"
	}
	return strings.Join(codes, ", ")
}

// compareBatchRows compares the stored valid rows of a numbered upload with the ledger.
func (c *check) compareBatchRows(ctx context.Context) error {
	rows, err := c.db.Query(ctx, `
		SELECT b.row_number, b.status, o.id IS NOT NULL, coalesce(o.source_job = b.job_id AND o.source_row = b.row_number, false)
		FROM bulk_upload_row AS b
		LEFT JOIN orders AS o ON o.organisation_id = b.organisation_id AND o.id = b.order_id
		WHERE b.job_id = $1`, c.job.ID)
	if err != nil {
		return err
	}
	kept := make(map[int64]bool)
	var row int64
	var status string
	var there, own bool
	_, err = pgx.ForEachRow(rows, []any{&row, &status, &there, &own}, func() error {
		kept[row] = true
		c.compareBatchRow(row, status, there && own)
		return nil
	})
	if err != nil || !c.declaration().keepsRows || c.job.DryRun && !c.job.Plan {
		return err
	}
	for row, o := range c.ledger.outcomes {
		if (o == rowwrite.Created || o == rowwrite.Skipped) && !kept[row] {
			c.report("row %d is %s, and the upload has no row for it", row, outcomeWord(o))
		}
	}
	return nil
}

// compareBatchRow compares one stored row. A planned row is stored before its order exists, and
// remains if the plan is discarded.
func (c *check) compareBatchRow(row int64, status string, made bool) {
	outcome, ok := c.ledger.outcomes[row]
	if !ok {
		outcome = c.ledger.decidedElsewhere[row]
	}
	fits := map[string][]rowwrite.Outcome{"CREATED": {rowwrite.Created}, "SKIPPED_DUPLICATE": {rowwrite.Skipped}}
	if c.job.Plan {
		fits["CREATED"] = []rowwrite.Outcome{rowwrite.Created, rowwrite.PlannedCreated, rowwrite.Errored}
	}
	if !slices.Contains(fits[status], outcome) {
		c.report("row %d is %s in the upload and %s in the ledger", row, status, outcomeWord(outcome))
	}
	if status == "CREATED" && made != (outcome == rowwrite.Created && !c.job.DryRun) {
		c.report("row %d is %s and created an order, which exists: %t", row, outcomeWord(outcome), made)
	}
}

func quoted(texts []string) string { return fmt.Sprintf("%q", texts) }
