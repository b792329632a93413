package analyze

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/problem"
)

// kinds are the matcher's words for kinds of fields.
var kinds = map[entity.Kind]mapping.Kind{
	entity.Text: mapping.Text, entity.TextList: mapping.List, entity.Email: mapping.Email, entity.Enum: mapping.Choice, entity.UUID: mapping.UUID,
	entity.Integer: mapping.Integer, entity.Decimal: mapping.Decimal, entity.Boolean: mapping.Boolean,
	entity.Date: mapping.Date, entity.Timestamp: mapping.Timestamp, entity.Reference: mapping.Reference,
}

// matchColumns finds out which fields the columns are.
func matchColumns(d *entity.Declaration, found *findings) ([]job.MappedColumn, error) {
	matcher, err := mapping.New(Dictionary(d))
	if err != nil {
		return nil, fmt.Errorf("dictionary of %s: %w", d.Name, err)
	}
	columns := make([]mapping.Column, len(found.dialect.Header))
	for i, header := range found.dialect.Header {
		columns[i] = mapping.Column{Index: i, Header: header, Samples: found.samples[i], Nested: found.nested[i]}
	}
	mapped := make([]job.MappedColumn, 0, len(columns))
	for _, m := range matcher.Match(columns, annotations) {
		mapped = append(mapped, job.MappedColumn{
			ColumnIndex: m.Column.Index, Header: m.Column.Header, TargetField: m.Target, Status: job.MappingStatus(m.Status),
			Confidence: m.Confidence, Samples: m.Column.Samples[:min(samplesKept, len(m.Column.Samples))], Confirmed: m.Confirmed,
		})
	}
	return mapped, nil
}

// annotations are the columns of an error workbook that say something about its rows, and
// are no data.
var annotations = []mapping.Decision{{Header: job.RowHeader, Ignored: true}, {Header: job.ErrorHeader, Ignored: true}}

// Dictionary is what headers of a type can mean.
func Dictionary(d *entity.Declaration) mapping.Dictionary {
	out := mapping.Dictionary{Subjects: d.Subjects, Targets: make([]mapping.Target, len(d.Fields))}
	for i, f := range d.Fields {
		words := slices.Clone(f.Enum)
		for _, s := range f.Synonyms {
			words = append(words, s.Word)
		}
		out.Targets[i] = mapping.Target{
			Name: f.Name, Title: f.Title, Aliases: append(slices.Clone(f.Aliases), f.Column), Kind: kinds[f.Kind], Required: f.Required, Values: words,
		}
	}
	return out
}

func unresolved(columns []job.MappedColumn) bool {
	return slices.ContainsFunc(columns, func(c job.MappedColumn) bool { return c.Status == job.Unresolved })
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
