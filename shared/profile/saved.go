package profile

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping/document"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// takeImport makes the profile what an import was read by, where one is named.
func (s *Service) takeImport(ctx context.Context, tx pgx.Tx, p *Profile, from job.ID) error {
	if from == "" {
		return nil
	}
	j, err := s.store.Job(ctx, tx, from)
	if problem.CodeOf(err) == problem.NotFound {
		return problem.New(problem.EntityInvalid, "There is no import with the id that fromImport names.").
			With("fromImport", problem.EntityInvalid, "The identifier of an import.")
	}
	if err != nil {
		return err
	}
	if len(j.Dialect) == 0 {
		return problem.New(problem.StateConflict, "The file of the import that fromImport names has not been read yet.")
	}
	columns, err := s.store.ColumnMappings(ctx, tx, j.Key)
	if err != nil {
		return err
	}
	cells, err := s.store.CellMappings(ctx, tx, j.Key)
	if err != nil {
		return err
	}
	return p.take(j, columns, cells)
}

// take makes the profile what an import of a file was read by. Of its values it keeps
// those that a person decided about: what the others are, the next file says itself.
func (p *Profile) take(j *job.Job, columns []job.MappedColumn, cells []job.MappedCell) error {
	doc := &document.Document{Source: &sheet.Options{}}
	if err := json.Unmarshal(j.Options, doc.Source); err != nil {
		return fmt.Errorf("options of job %s: %w", j.ID, err)
	}
	if *doc.Source == (sheet.Options{}) {
		doc.Source = nil
	}
	p.Headers = nil
	for _, c := range columns {
		if !job.Annotation(c.Header) {
			p.Headers = append(p.Headers, c.Header)
		}
	}
	names := document.NewHeaders(p.Headers)
	place := 0
	for i := range columns {
		if c := &columns[i]; !job.Annotation(c.Header) {
			addColumn(doc, names.Name(place), c)
			place++
		}
	}
	for i := range cells {
		if c := &cells[i]; c.Confirmed && c.Status != job.AutoMatched {
			addValue(doc, c)
		}
	}
	var err error
	if p.Mapping, err = json.Marshal(doc); err != nil {
		return fmt.Errorf("mapping of job %s: %w", j.ID, err)
	}
	p.ImportType, p.SavedFrom = j.ImportType, j.ID
	return nil
}

// addColumn adds what a column is, with how its texts were read.
func addColumn(doc *document.Document, name string, c *job.MappedColumn) {
	switch {
	case c.TargetField != "":
		doc.Fields = append(doc.Fields, document.Field{
			Field: c.TargetField, From: []string{name}, DateOrder: known(c.Locale.DateOrder), DecimalMark: known(c.Locale.DecimalMark),
		})
	case c.Status == job.Ignored:
		doc.Ignore = append(doc.Ignore, name)
	}
}

// known is what somebody, or some cell, said of a column's texts: the next file of the
// source may have no such cell.
func known(f sheet.Finding) string {
	if f.Evidence == sheet.Stated || f.Evidence == sheet.Decided {
		return f.Value
	}
	return ""
}

func addValue(doc *document.Document, c *job.MappedCell) {
	v := document.Value{Field: c.TargetField, Value: c.Value}
	switch {
	case c.EntityID != "":
		v.ToID = c.EntityID
	case c.Create:
		v.Then = document.Create
	default:
		v.Then = document.Skip
	}
	doc.Values = append(doc.Values, v)
}
