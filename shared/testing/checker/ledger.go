package checker

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// ledger contains the outcomes of the file's lines.
type ledger struct {
	outcomes map[int64]rowwrite.Outcome // by line; only processed lines
	keys     map[string]bool            // keys of the objects with the rows
	// decidedElsewhere contains the outcomes of rows of a plan that earlier chunks have decided.
	decidedElsewhere map[int64]rowwrite.Outcome
}

// entry is a row of import_chunks.
type entry struct {
	ChunkIndex int
	ObjectKey  string
	FirstRow   int64
	LineCount  int
	RowCount   int
	Done       bool
	Outcomes   []byte
}

// readLedger reads the ledger, and checks it for consistency with itself, with the counters and
// with the lines of the file.
func (c *check) readLedger(ctx context.Context) error {
	rows, err := c.db.Query(ctx, `
		SELECT chunk_index, object_key, first_row, line_count, row_count, done, outcomes
		FROM import_chunks
		WHERE job_id = $1
		ORDER BY chunk_index`, c.job.ID)
	if err != nil {
		return err
	}
	entries, err := pgx.CollectRows(rows, pgx.RowToStructByName[entry])
	if err != nil {
		return err
	}
	c.ledger = &ledger{outcomes: make(map[int64]rowwrite.Outcome), keys: make(map[string]bool), decidedElsewhere: make(map[int64]rowwrite.Outcome)}
	for i := range entries {
		c.compareEntry(i, entries)
	}
	c.compareTotals(entries)
	c.compareCounters()
	c.compareLines()
	return c.readDecidedElsewhere(ctx)
}

// readDecidedElsewhere reads the decisions of chunks about rows of other chunks.
func (c *check) readDecidedElsewhere(ctx context.Context) error {
	rows, err := c.db.Query(ctx, `SELECT row_number, outcome FROM import_repeated_rows WHERE job_id = $1 AND outcome IS NOT NULL`, c.job.ID)
	if err != nil {
		return err
	}
	var row int64
	var outcome int
	_, err = pgx.ForEachRow(rows, []any{&row, &outcome}, func() error {
		c.ledger.decidedElsewhere[row] = rowwrite.Outcome(outcome)
		return nil
	})
	return err
}

// compareEntry checks one entry of the ledger, also against the previous one.
func (c *check) compareEntry(i int, entries []entry) {
	e := &entries[i]
	c.ledger.keys[e.ObjectKey] = true
	if e.ChunkIndex != i {
		c.report("the ledger has no chunk %d", i)
	}
	if i > 0 && !c.job.Rerun {
		if before := entries[i-1]; e.FirstRow != before.FirstRow+int64(before.LineCount) {
			c.report("chunk %d starts at line %d, not at %d", e.ChunkIndex, e.FirstRow, before.FirstRow+int64(before.LineCount))
		}
	}
	if c.job.Status == job.Completed && !e.Done {
		c.report("chunk %d of a COMPLETED job is not done", e.ChunkIndex)
	}
	if e.Outcomes == nil {
		if e.Done {
			c.report("chunk %d is done, but has no outcomes", e.ChunkIndex)
		}
		return
	}
	if len(e.Outcomes) != e.LineCount {
		c.report("chunk %d has %d lines and %d outcomes", e.ChunkIndex, e.LineCount, len(e.Outcomes))
	}
	data := 0
	for offset, o := range e.Outcomes {
		c.ledger.outcomes[e.FirstRow+int64(offset)] = rowwrite.Outcome(o)
		if o != byte(rowwrite.Blank) && o != byte(rowwrite.Header) {
			data++
		}
		c.checkOutcome(e.FirstRow+int64(offset), rowwrite.Outcome(o))
	}
	if data != e.RowCount && !c.job.Rerun {
		c.report("chunk %d was created with %d rows and has %d", e.ChunkIndex, e.RowCount, data)
	}
}

// checkOutcome checks that an outcome is a known one.
func (c *check) checkOutcome(line int64, o rowwrite.Outcome) {
	switch o {
	case rowwrite.Created, rowwrite.Updated, rowwrite.Unchanged, rowwrite.Skipped, rowwrite.Errored, rowwrite.Blank, rowwrite.Header:
	case rowwrite.Deferred:
		if c.job.Status == job.Completed {
			c.report("row %d of a COMPLETED job is deferred", line)
		}
	case rowwrite.PlannedCreated, rowwrite.PlannedUpdated:
		if c.job.Status == job.Completed || !c.job.Plan {
			c.report("row %d is planned and was not written", line)
		}
	case rowwrite.Pending:
		if c.job.Status == job.Completed || !c.job.WholeFile && !c.job.Limited && !c.job.Rerun && !c.job.Plan {
			c.report("row %d was claimed but has no outcome", line)
		}
	default:
		c.report("row %d has an invalid outcome: %q", line, string(o))
	}
}

// compareTotals compares the ledger as a whole with the job's totals.
func (c *check) compareTotals(entries []entry) {
	if !c.job.SplitComplete {
		return
	}
	if c.job.Rerun {
		c.compareRetriedRows()
		return
	}
	lines, rows, done := int64(0), int64(0), 0
	for _, e := range entries {
		lines += int64(e.LineCount)
		rows += int64(e.RowCount)
		if e.Done {
			done++
		}
	}
	if c.job.WholeFile {
		if lines != c.job.FileLines {
			c.report("the ledger has %d of %d lines", lines, c.job.FileLines)
		}
	} else {
		if lines+c.job.HeaderLines != c.job.FileLines {
			c.report("the ledger has %d lines after %d of header, and the file %d", lines, c.job.HeaderLines, c.job.FileLines)
		}
		if len(entries) != c.job.ChunkTotal {
			c.report("the ledger has %d of %d chunks", len(entries), c.job.ChunkTotal)
		}
		if done != c.job.ChunksDone {
			c.report("%d chunks are done, and the job counts %d", done, c.job.ChunksDone)
		}
	}
	if rows != c.job.TotalRows {
		c.report("the ledger has %d of %d rows", rows, c.job.TotalRows)
	}
}

// compareRetriedRows compares the rows of a retry with their number in the job.
func (c *check) compareRetriedRows() {
	rows := int64(0)
	for _, o := range c.ledger.outcomes {
		if o != rowwrite.Blank {
			rows++
		}
	}
	if rows != c.job.TotalRows {
		c.report("the ledger retries %d of %d rows", rows, c.job.TotalRows)
	}
}

// compareCounters compares the counters with the outcomes.
func (c *check) compareCounters() {
	count := make(map[rowwrite.Outcome]int64)
	for _, o := range c.ledger.outcomes {
		count[o]++
	}
	for _, figure := range []struct {
		name    string
		outcome rowwrite.Outcome
		counted int64
		wanted  func(*job.Counts) int64
	}{
		{"created", rowwrite.Created, c.job.CreatedCount, func(w *job.Counts) int64 { return w.Created }},
		{"updated", rowwrite.Updated, c.job.UpdatedCount, func(w *job.Counts) int64 { return w.Updated }},
		{"unchanged", rowwrite.Unchanged, c.job.UnchangedCount, func(w *job.Counts) int64 { return w.Unchanged }},
		{"skipped", rowwrite.Skipped, c.job.SkippedCount, func(w *job.Counts) int64 { return w.Skipped }},
		{"in error", rowwrite.Errored, c.job.ErrorCount, func(w *job.Counts) int64 { return w.Errored }},
		{"deferred", rowwrite.Deferred, c.job.DeferredCount, nil},
	} {
		if count[figure.outcome] != figure.counted {
			c.report("the job counts %d rows %s, and the ledger has %d", figure.counted, figure.name, count[figure.outcome])
		}
		if c.want.Counts != nil && figure.outcome != rowwrite.Deferred && figure.counted != figure.wanted(c.want.Counts) {
			c.report("the job counts %d rows %s, not %d", figure.counted, figure.name, figure.wanted(c.want.Counts))
		}
	}
	if blank := count[rowwrite.Blank]; c.job.Status == job.Completed && blank != c.job.BlankLines && !c.job.Rerun {
		c.report("the job counts %d blank lines, and the ledger has %d", c.job.BlankLines, blank)
	}
}

// compareLines compares the outcomes with the expected ones.
func (c *check) compareLines() {
	if c.want.Lines == nil {
		return
	}
	if n := int64(len(c.want.Lines)); c.job.SplitComplete && !c.job.Rerun && n != c.job.FileLines {
		c.report("the file has %d lines, and the job counts %d", n, c.job.FileLines)
	}
	for i, want := range c.want.Lines {
		row := int64(i + 1)
		got, ok := c.ledger.outcomes[row]
		switch {
		case !ok && (want.Outcome == rowwrite.Header || want.Outcome == rowwrite.Pending):
		case !ok && (c.job.Status != job.Completed || c.job.Rerun) && want.Outcome == rowwrite.Blank:
		case !ok:
			c.report("line %d has no outcome; it should be %s", row, outcomeWord(want.Outcome))
		case want.Outcome == rowwrite.Pending && got != rowwrite.Deferred && got != rowwrite.Pending:
			c.report("line %d is %s; nothing should have happened to it", row, outcomeWord(got))
		case want.Outcome != Unknown && want.Outcome != rowwrite.Pending && got != want.Outcome:
			c.report("line %d is %s, not %s", row, outcomeWord(got), outcomeWord(want.Outcome))
		}
	}
}

func outcomeWord(o rowwrite.Outcome) string {
	switch o {
	case Unknown:
		return "known"
	case rowwrite.Blank:
		return "blank"
	case rowwrite.Header:
		return "header"
	case rowwrite.Deferred:
		return "deferred"
	case rowwrite.Pending:
		return "pending"
	case rowwrite.PlannedCreated, rowwrite.PlannedUpdated:
		return "planned as " + o.WhenWritten().String()
	}
	return o.String()
}
