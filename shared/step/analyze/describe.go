package analyze

import (
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/mapping/columnmatch"
	"github.com/loadbay/loadbay/shared/mapping/content"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// maxGuesses is the maximum number of suggested fields per column.
const maxGuesses = 5

// cellKinds maps cell kinds of files to content kinds, regardless of their text.
var cellKinds = [sheet.Formatted + 1]content.Kind{
	sheet.Number: content.Decimal, sheet.Formatted: content.Decimal, sheet.Bool: content.Boolean,
}

// addContent adds the cells of a row to the content statistics. An invalid row is ignored,
// because its cells may be in the wrong columns.
func (f *findings) addContent(r *sheet.Row) {
	if r.ErrorCode != "" {
		return
	}
	f.scanned++
	for i, c := range r.Cells[:min(len(r.Cells), len(f.dialect.Header))] {
		if len(c.Bytes) > 0 {
			f.content.Add(i, c.DisplayText(), cellKinds[c.Kind])
		}
	}
}

// countUnused adds warnings about unused columns, or leaves that to the splitting of a file that was
// not read to its end.
func (f *findings) countUnused(columns []job.MappedColumn) {
	if f.complete {
		f.warnings = append(f.warnings, columnmatch.UnusedWarnings(columnmatch.UnusedColumns(columns))...)
		return
	}
	for i := range columns {
		columns[i].Content.Uncounted = columns[i].Status == job.Unresolved
	}
}

// describe adds the content statistics and the suggested fields to each column.
func (f *findings) describe(m *mapping.Matcher, columns []job.MappedColumn) {
	for i := range columns {
		c := &columns[i]
		if c.ColumnIndex < 0 || c.ColumnIndex >= len(f.dialect.Header) || job.IsAnnotationHeader(c.Header) {
			continue
		}
		s := f.content.Summary(c.ColumnIndex)
		c.Content = job.ColumnContent{Contested: c.Content.Contested, Rows: f.scanned, Filled: s.Filled, Distinct: s.Distinct, AtLeast: s.AtLeast}
		if s.Filled > 0 {
			c.Content.Kind, c.Content.KindShare = s.Kind.String(), s.Share
		}
		if samples := s.Samples(columnmatch.ShownSamples); len(samples) > 0 {
			c.Samples = c.Samples[:0]
			for _, text := range samples {
				c.Samples = append(c.Samples, columnmatch.ShortenSample(text))
			}
		}
		for _, g := range m.RankTargets(c.Header, &s, maxGuesses) {
			c.Content.Candidates = append(c.Content.Candidates, job.ColumnCandidate{Field: g.Target, Score: g.Score, Reason: columnmatch.MatchedBy(g.Reason)})
		}
		if !c.IsComposed() && m.Contradicts(c.TargetField, &s) {
			c.Content.Warnings = append(c.Content.Warnings, string(problem.ColumnContent))
		}
	}
}
