// Package columnmatch matches the columns of a file to the fields of a type, by their headers
// and the first values below them.
//
// Tested by shared/step: the column mappings of whole imports.
package columnmatch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/mapping/content"
	"github.com/loadbay/loadbay/shared/mapping/document"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Columns returns the matched columns of a file in file order. asked reports whether a person
// will review them. The columns that an error workbook adds are ignored.
func Columns(matcher *mapping.Matcher, header []string, samples *Samples, asked bool) []job.MappedColumn {
	mapped := make([]job.MappedColumn, len(header))
	columns := make([]mapping.Column, 0, len(mapped))
	for i, name := range header {
		mapped[i] = job.MappedColumn{ColumnIndex: i, Header: name, Samples: samples.texts[i][:min(ShownSamples, len(samples.texts[i]))]}
		if job.IsAnnotationHeader(name) {
			mapped[i].Status, mapped[i].Confirmed = job.Ignored, true
			continue
		}
		columns = append(columns, mapping.Column{Index: i, Header: name, Samples: samples.texts[i], Nested: samples.nested[i]})
	}
	matches := matcher.Match(columns)
	matcher.ApplySamples(matches, asked)
	for _, m := range matches {
		c := &mapped[m.Column.Index]
		c.TargetField, c.Status, c.Confidence, c.MatchedBy = m.Target, job.MappingStatus(m.Status), m.Confidence, MatchedBy(m.Reason)
		c.Content.Contested = m.Contested
	}
	return mapped
}

// ConfirmMatches decides without a person: matched columns are confirmed, the others ignored.
func ConfirmMatches(columns []job.MappedColumn) {
	for i := range columns {
		columns[i].Confirmed = true
		if columns[i].Status == job.Unresolved {
			columns[i].Status = job.Ignored
		}
	}
}

// ApplyStatedLocales applies the formats given by the caller: those for all columns, and then
// those for single ones.
func ApplyStatedLocales(columns []job.MappedColumn, dialect *sheet.Dialect, options *sheet.Options) {
	for i := range columns {
		columns[i].Locale.DateOrder.SetStated(dialect.DateOrder)
		columns[i].Locale.DecimalMark.SetStated(dialect.DecimalMark)
	}
	headers := document.NewHeaders(dialect.Header)
	for _, stated := range options.Columns {
		place, found := headers.Place(stated.Column)
		for i := range columns {
			if found && columns[i].ColumnIndex == place {
				columns[i].Locale.DateOrder.SetStated(stated.DateOrder)
				columns[i].Locale.DecimalMark.SetStated(stated.DecimalMark)
			}
		}
	}
}

// missingColumnsError is the error of a file that lacks columns, REQUIRED_COLUMN_MISSING. It does not
// repeat the file's own headers: the message is in logs and in the execution's history.
func missingColumnsError(missing []*entity.Field) error {
	titles := make([]string, len(missing))
	for i, f := range missing {
		titles[i] = f.Title
	}
	return problem.New(problem.RequiredColumnMissing, "The file has no column for: %s. Check the columns and their matches in the import.", strings.Join(titles, ", "))
}

// NewMatcher returns the matcher of a type for an import with the options. concepts may be nil.
func NewMatcher(d *entity.Declaration, chosen entity.Settings, concepts mapping.Concepts) (*mapping.Matcher, error) {
	dictionary := Dictionary(d, chosen)
	dictionary.Concepts = concepts
	matcher, err := mapping.New(dictionary)
	if err != nil {
		return nil, fmt.Errorf("dictionary of %s: %w", d.Name, err)
	}
	return matcher, nil
}

// Dictionary returns the possible targets of a type's headers for an import with the options.
func Dictionary(d *entity.Declaration, chosen entity.Settings) mapping.Dictionary {
	out := mapping.Dictionary{Subjects: d.Subjects, Targets: make([]mapping.Target, len(d.Fields))}
	for i, f := range d.Fields {
		words := slices.Clone(f.Enum)
		for _, s := range f.Synonyms {
			words = append(words, s.Word)
		}
		out.Targets[i] = mapping.Target{
			Name: f.Name, Title: f.Title, Aliases: f.Headers(chosen), Kind: kinds[f.Kind], Required: f.Required, Values: words,
			Pattern: f.Pattern, Content: contents[f.Content], Concepts: meanings(f.Concepts),
		}
	}
	return out
}

func meanings(concepts []string) (found []mapping.Meaning) {
	for _, c := range concepts {
		found = append(found, mapping.ParseMeaning(c))
	}
	return found
}

// kinds maps kinds of fields to those of the matcher.
var kinds = map[entity.Kind]mapping.Kind{
	entity.Text: mapping.Text, entity.TextList: mapping.List, entity.Email: mapping.Email, entity.Enum: mapping.Choice, entity.UUID: mapping.UUID,
	entity.Integer: mapping.Integer, entity.Decimal: mapping.Decimal, entity.Boolean: mapping.Boolean,
	entity.Date: mapping.Date, entity.Timestamp: mapping.Timestamp, entity.Reference: mapping.Reference,
}

// contents maps content types of fields to those of the matcher.
var contents = map[entity.Content]content.Kind{entity.PhoneNumbers: content.Phone, entity.CountryNames: content.Country}

// MatchedBy converts the matcher's reason to the job's.
func MatchedBy(r mapping.Reason) job.MatchedBy { return matchedBy[r] }

var matchedBy = map[mapping.Reason]job.MatchedBy{
	mapping.ByName: job.ByExact, mapping.ByAlias: job.ByAlias, mapping.BySimilarity: job.BySimilar, mapping.ByContent: job.ByContent,
}
