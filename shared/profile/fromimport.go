package profile

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/loadbay/loadbay/shared/entity"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping/apply"
	"github.com/loadbay/loadbay/shared/mapping/document"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// copyFromImport copies the mapping and reading options of the import, if one is named, into the
// profile.
func (s *Service) copyFromImport(ctx context.Context, tx pgx.Tx, p *Profile, from job.ID) error {
	if from == "" {
		return nil
	}
	j, err := s.store.Job(ctx, tx, from)
	if problem.CodeOf(err) == problem.NotFound {
		return problem.New(problem.EntityInvalid, "The import in fromImport does not exist.").
			With("fromImport", problem.EntityInvalid, "The identifier of an import.")
	}
	if err != nil {
		return err
	}
	if len(j.Dialect) == 0 {
		return problem.New(problem.StateConflict, "The file of the import in fromImport has not been read yet.")
	}
	columns, err := s.store.ColumnMappings(ctx, tx, j.Key)
	if err != nil {
		return err
	}
	cells, err := s.store.CellMappings(ctx, tx, j.Key)
	if err != nil {
		return err
	}
	doc := apply.DocumentOf(columns, cells)
	if err := s.replaceIDsByNames(ctx, tx, j, doc); err != nil {
		return err
	}
	return p.copyImport(j, columns, doc)
}

// replaceIDsByNames replaces the ids of entities that belong to the import's context by their
// names, because the next file of the source may belong to another event.
func (s *Service) replaceIDsByNames(ctx context.Context, tx pgx.Tx, j *job.Job, doc *document.Document) error {
	if j.ContextID == nil {
		return nil
	}
	t, err := s.types.Type(ctx, tx, j.OrganisationID, j.ImportType, j.TypeVersion)
	if err != nil {
		return err
	}
	decl := t.Declaration()
	names := make(map[string]map[string]string) // by field and id
	for i := range doc.Values {
		v := &doc.Values[i]
		place := decl.FieldIndex(v.Field)
		if v.ToID == "" || place < 0 || decl.Fields[place].Lookup == nil || !decl.Fields[place].Lookup.ContextScoped {
			continue
		}
		if names[v.Field] == nil {
			candidates, err := entity.Candidates(ctx, tx, decl.Fields[place].Lookup, *j.ContextID)
			if err != nil {
				return fmt.Errorf("names of %s: %w", v.Field, err)
			}
			names[v.Field] = make(map[string]string, len(candidates))
			for _, c := range candidates {
				names[v.Field][strconv.FormatInt(c.ID, 10)] = c.Name
			}
		}
		if name := names[v.Field][v.ToID]; name != "" {
			v.To, v.ToID = name, ""
		}
	}
	return nil
}

// copyImport copies the mapping and reading options of an import into the profile. Of the value
// mappings, it copies only those that a person decided; the others are resolved from the next file.
func (p *Profile) copyImport(j *job.Job, columns []job.MappedColumn, doc *document.Document) error {
	doc.Ignore = slices.DeleteFunc(doc.Ignore, job.IsAnnotationHeader)
	readings := make(map[string]sheet.Locale, len(columns))
	for _, c := range columns {
		readings[c.TargetField] = c.Locale
	}
	p.Headers = Headers(columns)
	for i := range doc.Fields {
		f := &doc.Fields[i]
		f.DateOrder, f.DecimalMark = hasFixedValues(readings[f.Field].DateOrder), hasFixedValues(readings[f.Field].DecimalMark)
	}
	var source sheet.Options
	if err := json.Unmarshal(j.Options, &source); err != nil {
		return fmt.Errorf("decode options of job %s: %w", j.ID, err)
	}
	if !reflect.ValueOf(source).IsZero() {
		doc.Source = &source
	}
	var err error
	if p.Mapping, err = json.Marshal(doc); err != nil {
		return fmt.Errorf("decode mapping of job %s: %w", j.ID, err)
	}
	p.ImportType, p.SavedFrom = j.ImportType, j.ID
	return nil
}

// Headers returns the headers of a file with these columns, without the columns that an error
// workbook adds.
func Headers(columns []job.MappedColumn) (headers []string) {
	for _, c := range columns {
		if c.ColumnIndex >= 0 && !job.IsAnnotationHeader(c.Header) {
			headers = append(headers, c.Header)
		}
	}
	return headers
}

// hasFixedValues returns the value of the finding if a user or a cell decided it. It is saved
// because the next file of the source may have no such cell.
func hasFixedValues(f sheet.Finding) string {
	if f.Evidence == sheet.Stated || f.Evidence == sheet.Decided {
		return f.Value
	}
	return ""
}
