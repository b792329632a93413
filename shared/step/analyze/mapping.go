package analyze

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping/apply"
	"github.com/loadbay/loadbay/shared/mapping/columnmatch"
	"github.com/loadbay/loadbay/shared/mapping/document"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/sheet/reader"
)

// InitialMappings loads the mappings supplied with jobs, and the mappings of earlier jobs.
type InitialMappings interface {
	SuppliedMapping(ctx context.Context, tx pgx.Tx, key job.Key) (json.RawMessage, error)
	ColumnMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedColumn, error)
}

// loadMapping returns the mapping for the job's columns: the supplied one, or that of the import
// that the job retries, or nil. Parts of the latter that do not fit are ignored,
// because no person has decided them for this file.
func (s *Step) loadMapping(ctx context.Context, j *job.Job, columns []job.MappedColumn) (d *document.Document, err error) {
	err = s.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) error {
		text, err := s.store.SuppliedMapping(ctx, tx, j.Key)
		switch {
		case err != nil:
			return err
		case text != nil:
			d, err = document.Parse(text)
			return err
		case j.RetryOf == "":
			return nil
		}
		before, err := s.store.Job(ctx, tx, j.RetryOf)
		if problem.CodeOf(err) == problem.NotFound {
			return nil // the profile was deleted meanwhile
		}
		if err != nil {
			return err
		}
		was, err := s.store.ColumnMappings(ctx, tx, before.Key)
		if err == nil {
			d = apply.Applicable(apply.DocumentForRows(was, nil, apply.Header(columns)), columns)
		}
		return err
	})
	return d, err
}

// applyDocument applies a document to the columns, with by as the origin of the matches, and returns
// the parts of it that match nothing in the file or the type.
func applyDocument(decl *entity.Declaration, d *document.Document, columns []job.MappedColumn, by job.MatchedBy) (applied []job.MappedColumn, unfit []string) {
	if d == nil {
		return columns, nil
	}
	fits := *d
	fits.Fields = nil
	for _, f := range d.Fields {
		if decl.FieldIndex(f.Field) < 0 {
			unfit = append(unfit, fmt.Sprintf("field %.60q no longer exists", f.Field))
			continue
		}
		if why := apply.Misfit(&f, decl); why != "" {
			unfit = append(unfit, fmt.Sprintf("field %.60q: %s", f.Field, strings.TrimSuffix(why, ".")))
			continue
		}
		fits.Fields = append(fits.Fields, f)
	}
	applied, missing := apply.ToColumns(&fits, columns)
	apply.MarkMatchedBy(applied, &fits, by)
	for _, m := range missing {
		unfit = append(unfit, fmt.Sprintf("%s, which the file does not have", m))
	}
	return applied, unfit
}

// noteUnclear keeps why a field has no column although the file seems to have one.
func (f *findings) noteUnclear(unclear []columnmatch.UnclearVariant, columns []job.MappedColumn) {
	mapped := job.TargetFields(columns)
	for _, u := range unclear {
		if f.unclear == nil && !mapped[u.Field.Name] {
			f.unclear = u.Err
		}
	}
}

func (f *findings) unclearWarning() []string {
	if f.unclear == nil {
		return nil
	}
	return []string{fmt.Sprintf("%s: %s", problem.IdentifierUnclear, problem.From(f.unclear).Message)}
}

// misfitWarnings returns the warnings about parts of a supplied mapping that match nothing.
func misfitWarnings(parts []string) []string {
	lines := make([]string, len(parts))
	for i, part := range parts {
		lines[i] = fmt.Sprintf("%s: %s", problem.MappingUnfit, part)
	}
	return lines
}

// detectComposedLocales determines the locales of composed texts from all rows. If no person is
// asked about columns, the value lookup does that, because it reads all rows anyway.
func (s *Step) detectComposedLocales(ctx context.Context, f *findings, decl *entity.Declaration, columns []job.MappedColumn, j *job.Job) error {
	if oneShot(j) && !j.WholeFile {
		return nil
	}
	survey, err := rows.NewLocaleSurvey(ctx, decl, columns, f.dialect, false)
	if err != nil || !survey.Needed() {
		return err
	}
	all, err := reader.Open(ctx, s.files.Open(ctx, f.version), f.dialect, s.limits)
	if err != nil {
		return err
	}
	for all.Next() {
		survey.Add(all.Row())
	}
	if err := errors.Join(all.Err(), all.Close()); err != nil {
		return fmt.Errorf("read all rows: %w", err)
	}
	survey.Finish()
	return nil
}

// plainPlaces returns the indexes of the columns with unchanged texts.
func plainPlaces(columns []job.MappedColumn) (places []int) {
	for i := range columns {
		if !columns[i].IsComposed() {
			places = append(places, i)
		}
	}
	return places
}
