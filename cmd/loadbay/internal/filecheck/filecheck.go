// Package filecheck finds the errors of a file that do not depend on the database, with the
// codes and messages of an import without questions.
//
// It does not find errors that depend on the database, such as missing references and existing
// entities, or on other rows of the file.
//
// Tested by infra/tests/cli: its report against the row errors of an import.
package filecheck

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/imports/reading"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/mapping/columnmatch"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
)

// Input is a file and its reading options.
type Input struct {
	Source    sheet.Source
	Name      string        // its extension indicates the format
	Options   sheet.Options // reading options
	Stored    job.StoredOptions
	Mapping   json.RawMessage // as sent with an import; nil means none
	CreatedAt time.Time       // the assumed creation time of the import: later days are in the future
	Limits    sheet.Limits
}

// Report describes how a file was read and how many of its rows have errors.
type Report struct {
	Columns   []job.MappedColumn
	Warnings  []string // each starts with a code
	Rows      int64
	ErrorRows int64
}

// Progress receives the number of rows checked so far.
type Progress func(rows int64)

// File checks a whole file of that type and calls each for every row with errors, in file
// order. Its own errors have the codes of files that cannot be imported.
func File(ctx context.Context, of *entity.Declaration, in Input, each func(job.RowResult) error, progress Progress) (*Report, error) {
	c := &checker{Input: in, decl: of, each: each, progress: progress}
	if err := c.match(ctx); err != nil {
		return nil, err
	}
	if err := c.decideColumns(ctx); err != nil {
		return nil, err
	}
	if err := c.detectLocales(ctx); err != nil {
		return nil, err
	}
	c.report.Columns = c.columns
	c.report.Warnings = append(c.report.Warnings, rows.LocaleWarnings(c.decl, c.columns, false)...)
	if err := c.decode(ctx); err != nil {
		return nil, err
	}
	return &c.report, nil
}

// checker is the state of a check.
type checker struct {
	Input
	decl     *entity.Declaration
	each     func(job.RowResult) error
	progress Progress

	dialect      *sheet.Dialect
	columns      []job.MappedColumn
	mappedFields mappedFields
	counts       sheet.Counts // of the last complete pass over the file
	report       Report
}

// detectLocales determines the date and number formats from all rows.
func (c *checker) detectLocales(ctx context.Context) error {
	survey, err := rows.NewLocaleSurvey(ctx, c.decl, c.columns, c.dialect, true)
	if err != nil || !survey.Needed() {
		return err
	}
	err = c.eachRow(ctx, func(r *sheet.Row) error {
		survey.Add(r)
		return nil
	})
	survey.Finish()
	return err
}

// eachRow calls do for each row of the file.
func (c *checker) eachRow(ctx context.Context, do func(*sheet.Row) error) (err error) {
	file, err := reader.Open(ctx, c.Source, c.dialect, c.Limits)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	for file.Next() {
		if err := do(file.Row()); err != nil {
			return err
		}
	}
	c.counts = file.Counts()
	return file.Err()
}

// batchSize is the number of rows decoded before their memory is reused.
const batchSize = 5_000

// decode checks every row.
func (c *checker) decode(ctx context.Context) error {
	plan, err := rows.NewPlan(c.decl, c.columns)
	if err != nil {
		return fmt.Errorf("the type %s: %w", c.decl.Name, err)
	}
	made := &job.Job{CreatedAt: c.CreatedAt}
	header := rows.NewHeader(c.dialect)
	var decoder *rows.Decoder
	var last reading.Tail
	defer func() {
		c.addPlaceholderWarnings(decoder)
		c.report.Warnings = append(c.report.Warnings, slices.Concat(last.FooterWarnings(c.dialect), reading.LayoutWarnings(c.counts))...)
	}()
	err = c.eachRow(ctx, func(r *sheet.Row) error {
		last.Add(r)
		if c.decl.WholeFile && header.RepeatedBy(r) {
			return nil
		}
		if c.report.Rows%batchSize == 0 {
			c.addPlaceholderWarnings(decoder)
			decoder = rows.NewDecoder(plan, made, c.dialect, batchSize)
			c.progress(c.report.Rows)
		}
		c.report.Rows++
		faults := c.mappedFields.withoutMapped(decoder.Add(r))
		if len(faults) == 0 {
			return nil
		}
		c.report.ErrorRows++
		return c.each(job.RowResult{Row: r.Number, Outcome: rowwrite.Errored, Errors: faults})
	})
	return cmp.Or(err, columnmatch.BeyondError(c.Stored, c.counts))
}

// addPlaceholderWarnings adds the warnings of a decoder, each once. The decoder may be nil.
func (c *checker) addPlaceholderWarnings(d *rows.Decoder) {
	if d == nil {
		return
	}
	for _, warning := range d.PlaceholderWarnings() {
		if !slices.Contains(c.report.Warnings, warning) {
			c.report.Warnings = append(c.report.Warnings, warning)
		}
	}
}
