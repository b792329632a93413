package filecheck

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/mapping/apply"
	"github.com/loadbay/loadbay/shared/mapping/columnmatch"
	"github.com/loadbay/loadbay/shared/mapping/document"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
)

// match detects the file's format and matches its columns, of a workbook those of the sheet that an
// import would read.
func (c *checker) match(ctx context.Context) error {
	doc, err := c.parseMapping()
	if err != nil {
		return err
	}
	matcher, err := columnmatch.NewMatcher(c.decl, nil, nil)
	if err != nil {
		return err
	}
	if err := c.matchSheet(ctx, matcher, doc); err != nil || c.Options.StatesSheet() || c.dialect.Format.IsText() {
		return err
	}
	all, err := reader.SheetSummaries(ctx, c.Source, c.dialect.Format, c.Limits)
	if err != nil {
		return nil //nolint:nilerr // a damaged sheet that is not read does not matter
	}
	compared := columnmatch.CompareSheets(c.decl, matcher, c.columns, all, c.dialect.SheetIndex)
	if compared.Better != nil {
		c.Options.SheetIndex = &compared.Better.Index
		if err := c.matchSheet(ctx, matcher, doc); err != nil {
			return err
		}
	}
	c.report.Warnings = append(append(c.report.Warnings, compared.Chosen...), compared.Unread...)
	return nil
}

// matchSheet matches the columns of the stated sheet, or of the first one.
func (c *checker) matchSheet(ctx context.Context, matcher *mapping.Matcher, doc *document.Document) (err error) {
	if c.dialect, err = reader.Detect(ctx, c.Source, c.Options, c.Limits); err != nil {
		return err
	}
	c.report.Warnings = c.dialect.Warnings
	if promised := reader.FormatFromName(c.Name); promised != "" && promised != c.dialect.Format {
		c.report.Warnings = append(c.report.Warnings, string(problem.FormatMismatch))
	}
	samples, err := c.sample(ctx)
	if err != nil {
		return err
	}
	c.columns = columnmatch.Columns(matcher, c.dialect.Header, samples, false)
	columnmatch.RejectUnclearVariants(c.decl, nil, c.columns)
	if doc != nil {
		c.apply(doc)
	}
	columnmatch.ApplyStatedLocales(c.columns, c.dialect, &c.Options)
	return nil
}

// decideColumns confirms the matched columns, and reports the others with the number of their
// values.
func (c *checker) decideColumns(ctx context.Context) error {
	undecided := make(map[int]*job.MappedColumn)
	for i := range c.columns {
		if c.columns[i].Status == job.Unresolved {
			undecided[c.columns[i].ColumnIndex] = &c.columns[i]
		}
	}
	if len(undecided) > 0 {
		err := c.eachRow(ctx, func(r *sheet.Row) error {
			for place, column := range undecided {
				if r.ErrorCode == "" && place < len(r.Cells) && len(bytes.TrimSpace(r.Cells[place].Bytes)) > 0 {
					column.Content.Filled++
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if err := columnmatch.UndecidedError(c.decl, c.columns); err != nil {
		return err
	}
	unused := columnmatch.UnusedColumns(c.columns)
	if err := columnmatch.UnusedError(c.Stored, unused, true); err != nil {
		var named *problem.Error
		if errors.As(err, &named) {
			named.Unlogged = false // a terminal is no log
		}
		return err
	}
	c.report.Warnings = append(c.report.Warnings, columnmatch.UnusedWarnings(unused)...)
	c.report.Warnings = append(c.report.Warnings, columnmatch.UnitWarnings(c.decl, c.columns)...)
	columnmatch.ConfirmMatches(c.columns)
	return nil
}

// parseMapping returns the given mapping, or nil.
func (c *checker) parseMapping() (*document.Document, error) {
	if len(c.Mapping) == 0 {
		return nil, nil //nolint:nilnil // none is given
	}
	d, err := apply.Parse(c.Mapping, c.decl)
	if err != nil {
		return nil, err
	}
	c.mappedFields = mappedFieldsOf(d)
	return d, nil
}

// apply applies the mapping to the columns.
func (c *checker) apply(d *document.Document) {
	columns, unfit := apply.ToColumns(d, c.columns)
	apply.MarkMatchedBy(columns, d, job.ByMapping)
	c.columns = columns
	for _, u := range unfit {
		c.report.Warnings = append(c.report.Warnings, fmt.Sprintf("%s: %s, which the file does not have", problem.MappingUnfit, u))
	}
}

// sample collects the first values of each column.
func (c *checker) sample(ctx context.Context) (samples *columnmatch.Samples, err error) {
	file, err := reader.Open(ctx, c.Source, c.dialect, c.Limits)
	if err != nil {
		return nil, err
	}
	samples = columnmatch.NewSamples(len(c.dialect.Header))
	for n := 0; n < columnmatch.SampledRows && file.Next(); n++ {
		samples.Add(file.Row())
	}
	return samples, errors.Join(file.Err(), file.Close())
}

// mappedFields are the fields with a value mapping. Errors about their texts are known only
// when all values of the file are.
type mappedFields []string

func mappedFieldsOf(d *document.Document) (fields mappedFields) {
	for _, v := range d.Values {
		fields = append(fields, v.Field)
	}
	for _, v := range d.Defaults {
		fields = append(fields, v.Field)
	}
	return fields
}

// withoutMapped returns the row errors except those that a value mapping may resolve.
func (v mappedFields) withoutMapped(faults []rowwrite.Error) []rowwrite.Error {
	return slices.DeleteFunc(faults, func(f rowwrite.Error) bool {
		open := f.Code == problem.CellEnum || f.Code == problem.CellBoolean
		return open && slices.Contains(v, f.Field)
	})
}

// MayMatchMore reports whether columns are unused or missing in a check, which the import may match: only
// the function that analyses its file contains the words for headers.
func MayMatchMore(report *Report, err error) bool {
	if err != nil {
		return slices.Contains([]problem.Code{problem.RequiredColumnMissing, problem.ColumnUnused}, problem.CodeOf(err))
	}
	return slices.ContainsFunc(report.Warnings, func(w string) bool { return strings.HasPrefix(w, string(problem.ColumnUnused)) })
}
