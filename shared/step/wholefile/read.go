package wholefile

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/imports/reading"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/mapping/columnmatch"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
)

// fileContents is the content of a file after the first pass.
type fileContents struct {
	job    *job.Job
	writer entity.FileWriter
	pass   entity.PreparedFile
	batch  *entity.Batch
	words  *rows.ErrorFormatter
	order  []int
	// outcomes of all lines, as far as the first pass decides them.
	outcomes []byte
	rejected []job.RowResult // rejected rows: invalid, or skipped by a decision
	warnings []string        // about the rows, for the job
	retry    *retryRows      // the rows of a retry; nil for any other job
	totals   job.SplitTotals
	partEnds []int // indexes in order at which parts end; a part is written in one transaction
}

// firstPass reads the job's file for the first time.
func (s *Step) firstPass(ctx context.Context, j *job.Job, decided decisions) (*fileContents, error) {
	kind, err := s.types.Type(ctx, nil, j.OrganisationID, j.ImportType, j.TypeVersion)
	if err != nil {
		return nil, err
	}
	writer, ok := kind.(entity.FileWriter)
	if !ok {
		return nil, fmt.Errorf("type %q is not imported as a whole file", j.ImportType)
	}
	var dialect sheet.Dialect
	if err := json.Unmarshal(j.Dialect, &dialect); err != nil {
		return nil, fmt.Errorf("dialect: %w", err)
	}
	settings, err := writer.Declaration().ParseSettings(j.Options)
	if err != nil {
		return nil, err
	}
	columnmatch.CompleteSettings(writer.Declaration(), settings, decided.columns)
	plan, err := rows.NewPlan(writer.Declaration(), decided.columns)
	if err != nil {
		return nil, err
	}
	plan.ApplyDecisions(decided.cells, false) // all questions have been answered
	f := &fileContents{job: j, writer: writer, retry: decided.retry}
	decoder := rows.NewDecoder(plan, j, &dialect, 0)
	if err := decoder.SetCorrections(decided.retry.corrections()); err != nil {
		return nil, err
	}
	if err := s.decode(ctx, f, decoder, &dialect); err != nil {
		return nil, err
	}
	f.batch, f.words = decoder.Batch, decoder.Errors
	f.warnings = append(f.warnings, decoder.PlaceholderWarnings()...)
	if f.pass, err = writer.PrepareFile(&entity.File{Batch: f.batch, Invalid: len(f.rejected), Settings: settings, PersonDecisions: personDecisions(decided.cells)}); err != nil {
		return nil, err
	}
	f.order = f.pass.Order()
	if len(f.order) != f.batch.Len() {
		return nil, fmt.Errorf("type %s ordered %d of %d rows", j.ImportType, len(f.order), f.batch.Len())
	}
	return f, f.divide(s.config.PartRows)
}

// personDecisions returns the decisions about the people of rows, by text.
func personDecisions(cells []job.MappedCell) map[string]entity.PersonDecision {
	decisions := make(map[string]entity.PersonDecision)
	for i := range cells {
		if c := &cells[i]; c.TargetField == job.PersonField {
			id, _ := strconv.ParseInt(c.EntityID, 10, 64) // "" is nobody
			decisions[c.Value] = entity.PersonDecision{PersonID: id, New: c.Create, Skip: c.Status == job.Ignored}
		}
	}
	return decisions
}

// decode reads all rows of the file, and valid ones into the decoder's batch.
func (s *Step) decode(ctx context.Context, f *fileContents, decoder *rows.Decoder, dialect *sheet.Dialect) error {
	digest := sheet.NewDigest(s.files.Open(ctx, f.job.ObjectVersion()))
	source, err := reader.Open(ctx, digest, dialect, s.limits)
	if err != nil {
		return digest.Cause(err, f.job.SHA256)
	}
	defer source.Close()
	f.mark(dialect.HeaderRow, rowwrite.Header)
	header := rows.NewHeader(dialect)
	var last reading.Tail
	repeated := int64(0)
	decoder.Budget.Limit(ctx, nil)
	for decoder.Budget.Err() == nil && source.Next() {
		row := source.Row()
		last.Add(row)
		if !f.retry.includes(row.Number) {
			continue
		}
		if header.RepeatedBy(row) {
			repeated++
			f.mark(row.Number, rowwrite.Header)
			continue
		}
		if faults := decoder.Add(row); faults != nil {
			f.mark(row.Number, decoder.Outcome)
			f.rejected = append(f.rejected, job.RowResult{Row: row.Number, Outcome: decoder.Outcome, Errors: faults})
			continue
		}
		f.mark(row.Number, rowwrite.Pending)
	}
	if err := cmp.Or(decoder.Budget.Err(), source.Err()); err != nil {
		return fmt.Errorf("read: %w", digest.Cause(err, f.job.SHA256))
	}
	sum, err := digest.Verify(f.job.SHA256)
	if err != nil {
		return err
	}
	c := source.Counts()
	if err := columnmatch.BeyondError(f.job.EffectiveOptions(), c); err != nil {
		return err
	}
	f.totals = job.SplitTotals{Lines: c.Lines, Rows: c.Rows - repeated, Blank: c.Blank, Header: c.Header + repeated, SHA256: sum}
	f.fillBlank(c.Lines)
	if f.retry == nil {
		f.warnings = append(last.FooterWarnings(dialect), reading.LayoutWarnings(c)...)
	}
	f.retry.limitTotals(f)
	return nil
}

// mark sets the outcome of a line; previous lines without an outcome are blank.
func (f *fileContents) mark(row int64, o rowwrite.Outcome) {
	if row < 1 {
		return // the format has no header
	}
	f.fillBlank(row - 1)
	f.outcomes = append(f.outcomes, byte(o))
}

// fillBlank marks lines up to the given one as blank.
func (f *fileContents) fillBlank(lines int64) {
	for int64(len(f.outcomes)) < lines {
		f.outcomes = append(f.outcomes, byte(rowwrite.Blank))
	}
}
