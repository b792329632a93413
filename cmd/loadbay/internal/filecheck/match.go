package filecheck

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping/apply"
	"github.com/loadbay/loadbay/shared/mapping/columnmatch"
	"github.com/loadbay/loadbay/shared/mapping/document"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet/reader"
)

// match finds out what the file is, and what its columns are.
func (c *checking) match(ctx context.Context) error {
	said, err := c.document()
	if err != nil {
		return err
	}
	if c.dialect, err = reader.Detect(ctx, c.Source, c.Options, c.Limits); err != nil {
		return err
	}
	c.report.Warnings = c.dialect.Warnings
	if promised := reader.FormatOfName(c.Name); promised != "" && promised != c.dialect.Format {
		c.report.Warnings = append(c.report.Warnings, string(problem.WarnFormatMismatch))
	}
	samples, err := c.sample(ctx)
	if err != nil {
		return err
	}
	matcher, err := columnmatch.NewMatcher(c.decl)
	if err != nil {
		return err
	}
	c.columns = columnmatch.Columns(matcher, c.dialect.Header, samples, false)
	if said != nil {
		c.apply(said)
	}
	columnmatch.Take(c.columns)
	columnmatch.State(c.columns, c.dialect, &c.Options)
	if missing := c.decl.Missing(job.MappedFields(c.columns)); len(missing) > 0 {
		return columnmatch.Required(missing)
	}
	return nil
}

// document is the mapping that is given, or nil.
func (c *checking) document() (*document.Document, error) {
	if len(c.Mapping) == 0 {
		return nil, nil //nolint:nilnil // none is given
	}
	d, err := apply.Parse(c.Mapping, c.decl)
	if err != nil {
		return nil, err
	}
	c.said = valuesOf(d)
	return d, nil
}

// apply makes the columns what the mapping says.
func (c *checking) apply(d *document.Document) {
	columns, unfit := apply.Apply(d, c.columns)
	apply.Mark(columns, d, job.ByMapping)
	c.columns = columns
	for _, u := range unfit {
		c.report.Warnings = append(c.report.Warnings, fmt.Sprintf("%s: %s, which the file does not have", problem.WarnMappingUnfit, u))
	}
}

// sample takes the first values of each column.
func (c *checking) sample(ctx context.Context) (samples *columnmatch.Samples, err error) {
	file, err := reader.Open(ctx, c.Source, c.dialect, c.Limits)
	if err != nil {
		return nil, err
	}
	samples = columnmatch.NewSamples(len(c.dialect.Header))
	for n := 0; n < columnmatch.Sampled && file.Next(); n++ {
		samples.Add(file.Row())
	}
	return samples, errors.Join(file.Err(), file.Close())
}

// values are the fields of which a mapping says what their texts stand for. What becomes
// of those texts is known when all values of the file are.
type values []string

func valuesOf(d *document.Document) (fields values) {
	for _, v := range d.Values {
		fields = append(fields, v.Field)
	}
	for _, v := range d.Defaults {
		fields = append(fields, v.Field)
	}
	return fields
}

// without are the row errors but for those that a mapping may have an answer to.
func (v values) without(faults []job.RowError) []job.RowError {
	return slices.DeleteFunc(faults, func(f job.RowError) bool {
		open := f.Code == string(problem.CellEnum) || f.Code == string(problem.CellBoolean)
		return open && slices.Contains(v, f.Field)
	})
}
