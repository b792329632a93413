package wholefile

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
)

// file is a file after its first pass.
type file struct {
	job    *job.Job
	writer entity.FileWriter
	pass   entity.FilePass
	batch  *entity.Batch
	words  *rows.Words
	order  []int
	// outcomes are those of all lines, as far as the first pass knows them.
	outcomes []byte
	faulty   []job.RowResult // rows that are not taken: with faults, or left out by a person
	again    *again          // what a rerun brings; nil for any other job
	totals   job.CutTotals
	partRows int // how many rows one transaction writes
}

// read makes the first pass over a job's file.
func (s *Step) read(ctx context.Context, j *job.Job, said decisions) (*file, error) {
	kind, _ := s.types.ByName(j.ImportType)
	writer, ok := kind.(entity.FileWriter)
	if !ok {
		return nil, fmt.Errorf("files of type %q are not read as one", j.ImportType)
	}
	var dialect sheet.Dialect
	if err := json.Unmarshal(j.Dialect, &dialect); err != nil {
		return nil, fmt.Errorf("dialect: %w", err)
	}
	settings, err := writer.Declaration().SettingsOf(j.Options)
	if err != nil {
		return nil, err
	}
	plan, err := rows.NewPlan(writer.Declaration(), said.columns)
	if err != nil {
		return nil, err
	}
	plan.Heed(said.cells, false) // whoever was asked has answered
	f := &file{job: j, writer: writer, again: said.again}
	decoder := rows.NewDecoder(plan, j, &dialect, 0)
	if err := decoder.Correct(said.again.corrections()); err != nil {
		return nil, err
	}
	if err := s.decode(ctx, f, decoder, &dialect); err != nil {
		return nil, err
	}
	f.batch, f.words = decoder.Batch, decoder.Words
	if f.pass, err = writer.ReadFile(&entity.File{Batch: f.batch, Settings: settings}); err != nil {
		return nil, err
	}
	f.order = f.pass.Order()
	if len(f.order) != f.batch.Len() {
		return nil, fmt.Errorf("%s orders %d of %d rows", j.ImportType, len(f.order), f.batch.Len())
	}
	return f, f.divide(s.config.PartRows)
}

// decode reads all rows of the file: valid ones into the decoder's batch.
func (s *Step) decode(ctx context.Context, f *file, decoder *rows.Decoder, dialect *sheet.Dialect) error {
	digest := sheet.NewDigest(s.files.Open(ctx, f.job.Source()))
	source, err := reader.Open(ctx, digest, dialect, s.limits)
	if err != nil {
		return err
	}
	defer source.Close()
	f.mark(dialect.HeaderRow, job.Header)
	header := rows.NewHeader(dialect)
	repeated := int64(0)
	for source.Next() {
		row := source.Row()
		if !f.again.brings(row.Number) {
			continue
		}
		if header.RepeatedBy(row) {
			repeated++
			f.mark(row.Number, job.Header)
			continue
		}
		if faults := decoder.Add(row); faults != nil {
			f.mark(row.Number, decoder.Outcome)
			f.faulty = append(f.faulty, job.RowResult{Row: row.Number, Outcome: decoder.Outcome, Errors: faults})
			continue
		}
		f.mark(row.Number, job.Pending)
	}
	if err := source.Err(); err != nil {
		return fmt.Errorf("read: %w", err)
	}
	sum, err := digest.Verify(f.job.SHA256)
	if err != nil {
		return err
	}
	c := source.Counts()
	f.totals = job.CutTotals{Lines: c.Lines, Rows: c.Rows - repeated, Blank: c.Blank, Header: c.Header + repeated, SHA256: sum}
	f.fill(c.Lines)
	f.again.bound(f)
	return nil
}

// mark sets the outcome of a line; the lines before it that have none are blank.
func (f *file) mark(row int64, o job.Outcome) {
	if row < 1 {
		return // the format has no header
	}
	f.fill(row - 1)
	f.outcomes = append(f.outcomes, byte(o))
}

// fill makes lines up to that one blank.
func (f *file) fill(lines int64) {
	for int64(len(f.outcomes)) < lines {
		f.outcomes = append(f.outcomes, byte(job.Blank))
	}
}
