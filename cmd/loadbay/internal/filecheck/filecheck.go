// Package filecheck tells what is wrong with a file as far as it shows without the database:
// in the codes and the words in which an import of it that asks nobody tells it.
//
// What only the database knows is not told: whether something is there already, or is
// referred to. Nor is what follows from other rows of the file.
//
// Tested by infra/tests/cli: its report against the row errors of an import.
package filecheck

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
)

// Input is a file and what is said of it.
type Input struct {
	Source    sheet.Source
	Name      string          // its ending promises a format
	Options   sheet.Options   // of the file
	Mapping   json.RawMessage // as it would come with the import; nil is none
	CreatedAt time.Time       // when the import would be made: days after it are in the future
	Limits    sheet.Limits
}

// Report is what a file was taken for, and how many of its rows are in error.
type Report struct {
	Columns   []job.MappedColumn
	Warnings  []string // each begins with a code
	Rows      int64
	ErrorRows int64
}

// Progress is told how many rows have been looked at.
type Progress func(rows int64)

// File checks a whole file as one of that type, and calls each with every row that is in
// error, in file order. Its own errors have the codes of files that cannot be imported.
func File(ctx context.Context, of *entity.Declaration, in Input, each func(job.RowResult) error, progress Progress) (*Report, error) {
	c := &checker{Input: in, decl: of, each: each, progress: progress}
	if err := c.match(ctx); err != nil {
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

// checker is a file that is being checked.
type checker struct {
	Input
	decl     *entity.Declaration
	each     func(job.RowResult) error
	progress Progress

	dialect      *sheet.Dialect
	columns      []job.MappedColumn
	mappedFields mappedFields
	report       Report
}

// detectLocales finds out from all rows how dates and numbers are read.
func (c *checker) detectLocales(ctx context.Context) error {
	survey, err := rows.NewLocaleSurvey(c.decl, c.columns, c.dialect, true)
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
	return file.Err()
}

// batchSize is how many rows are decoded before the room that they take is given back.
const batchSize = 5_000

// decode looks at every row.
func (c *checker) decode(ctx context.Context) error {
	plan, err := rows.NewPlan(c.decl, c.columns)
	if err != nil {
		return fmt.Errorf("the type %s: %w", c.decl.Name, err)
	}
	made := &job.Job{CreatedAt: c.CreatedAt}
	header := rows.NewHeader(c.dialect)
	var decoder *rows.Decoder
	return c.eachRow(ctx, func(r *sheet.Row) error {
		if c.decl.WholeFile && header.RepeatedBy(r) {
			return nil
		}
		if c.report.Rows%batchSize == 0 {
			decoder = rows.NewDecoder(plan, made, c.dialect, batchSize)
			c.progress(c.report.Rows)
		}
		c.report.Rows++
		faults := c.mappedFields.withoutMapped(decoder.Add(r))
		if len(faults) == 0 {
			return nil
		}
		c.report.ErrorRows++
		return c.each(job.RowResult{Row: r.Number, Outcome: job.Errored, Errors: faults})
	})
}
