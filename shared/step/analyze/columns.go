package analyze

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/mapping/content"
	"github.com/loadbay/loadbay/shared/problem"
)

// kinds are the matcher's words for kinds of fields.
var kinds = map[entity.Kind]mapping.Kind{
	entity.Text: mapping.Text, entity.TextList: mapping.List, entity.Email: mapping.Email, entity.Enum: mapping.Choice, entity.UUID: mapping.UUID,
	entity.Integer: mapping.Integer, entity.Decimal: mapping.Decimal, entity.Boolean: mapping.Boolean,
	entity.Date: mapping.Date, entity.Timestamp: mapping.Timestamp, entity.Reference: mapping.Reference,
}

// contents are the matcher's words for what values are like.
var contents = map[entity.Content]content.Kind{entity.PhoneNumbers: content.Phone, entity.CountryNames: content.Country}

// matchColumns finds out which fields the columns are. What an error workbook says about
// its rows is no data.
func matchColumns(matcher *mapping.Matcher, found *findings, asked bool) []job.MappedColumn {
	mapped := make([]job.MappedColumn, len(found.dialect.Header))
	columns := make([]mapping.Column, 0, len(mapped))
	for i, header := range found.dialect.Header {
		mapped[i] = job.MappedColumn{ColumnIndex: i, Header: header, Samples: found.samples[i][:min(samplesKept, len(found.samples[i]))]}
		if job.Annotation(header) {
			mapped[i].Status, mapped[i].Confirmed = job.Ignored, true
			continue
		}
		columns = append(columns, mapping.Column{Index: i, Header: header, Samples: found.samples[i], Nested: found.nested[i]})
	}
	matches := matcher.Match(columns)
	matcher.Weigh(matches, asked)
	for _, m := range matches {
		c := &mapped[m.Column.Index]
		c.TargetField, c.Status, c.Confidence, c.MatchedBy = m.Target, job.MappingStatus(m.Status), m.Confidence, matchedBy[m.Reason]
	}
	return mapped
}

// matchedBy are the job's words for why columns are matched.
var matchedBy = map[mapping.Reason]job.MatchedBy{
	mapping.ByName: job.ByExact, mapping.ByAlias: job.ByAlias, mapping.BySimilarity: job.BySimilar, mapping.ByContent: job.ByContent,
}

// newMatcher returns the matcher of a type.
func newMatcher(d *entity.Declaration) (*mapping.Matcher, error) {
	matcher, err := mapping.New(Dictionary(d))
	if err != nil {
		return nil, fmt.Errorf("dictionary of %s: %w", d.Name, err)
	}
	return matcher, nil
}

// Dictionary is what headers of a type can mean.
func Dictionary(d *entity.Declaration) mapping.Dictionary {
	out := mapping.Dictionary{Subjects: d.Subjects, Targets: make([]mapping.Target, len(d.Fields))}
	for i, f := range d.Fields {
		words := slices.Clone(f.Enum)
		for _, s := range f.Synonyms {
			words = append(words, s.Word)
		}
		out.Targets[i] = mapping.Target{
			Name: f.Name, Title: f.Title, Aliases: slices.Concat(f.Aliases, []string{f.Column}, f.Foreign), Kind: kinds[f.Kind], Required: f.Required, Values: words,
			Pattern: f.Pattern, Content: contents[f.Content],
		}
	}
	return out
}

// requiredMissing says which columns a file lacks. It does not repeat the file's
// own headers: the message is in logs and in the execution's history.
func requiredMissing(missing []*entity.Field) error {
	titles := make([]string, len(missing))
	for i, f := range missing {
		titles[i] = f.Title
	}
	return problem.New(problem.RequiredColumn, "The file has no column for: %s. Its columns and what they were taken for stand with the import.", strings.Join(titles, ", "))
}
