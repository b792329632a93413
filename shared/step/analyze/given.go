package analyze

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping/apply"
	"github.com/loadbay/loadbay/shared/mapping/document"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/sheet/reader"
)

// Given keeps the mappings that come with jobs, and what earlier jobs were taken for.
type Given interface {
	GivenMapping(ctx context.Context, tx pgx.Tx, key job.Key) (json.RawMessage, error)
	ColumnMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedColumn, error)
}

// given returns the mapping that holds for the job's columns: the one that came with it,
// or what those of the import were taken for whose failed rows it brings again; nil where
// there is neither. Of the latter only what fits counts: nobody has said it of this file.
func (s *Step) given(ctx context.Context, j *job.Job, columns []job.MappedColumn) (d *document.Document, err error) {
	err = s.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) error {
		text, err := s.store.GivenMapping(ctx, tx, j.Key)
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
			return nil // it has been deleted meanwhile
		}
		if err != nil {
			return err
		}
		was, err := s.store.ColumnMappings(ctx, tx, before.Key)
		if err == nil {
			d = apply.Fitting(apply.ForRows(was, nil, apply.HeaderOf(columns)), columns)
		}
		return err
	})
	return d, err
}

// overlay makes the columns what a document says of them, which is what they are then
// matched by, and says which parts of it the file, or the type, has nothing for.
func overlay(decl *entity.Declaration, d *document.Document, columns []job.MappedColumn, by job.MatchedBy) (applied []job.MappedColumn, unfit []string) {
	if d == nil {
		return columns, nil
	}
	fits := *d
	fits.Fields = nil
	for _, f := range d.Fields {
		if decl.FieldIndex(f.Field) < 0 {
			unfit = append(unfit, fmt.Sprintf("there is no field %.60q any more", f.Field))
			continue
		}
		fits.Fields = append(fits.Fields, f)
	}
	applied, missing := apply.Apply(&fits, columns)
	apply.Mark(applied, &fits, by)
	for _, m := range missing {
		unfit = append(unfit, fmt.Sprintf("%s, which the file does not have", m))
	}
	return applied, unfit
}

// unfitLines are the warnings about parts of a given mapping that there is nothing for.
func unfitLines(parts []string) []string {
	lines := make([]string, len(parts))
	for i, part := range parts {
		lines[i] = fmt.Sprintf("%s: %s", problem.WarnMappingUnfit, part)
	}
	return lines
}

// settleComposed finds out how composed texts are read, from all rows. Where nobody is
// asked about columns, that is left to the looking up of values, which reads them anyway.
func (s *Step) settleComposed(ctx context.Context, f *findings, decl *entity.Declaration, columns []job.MappedColumn, j *job.Job) error {
	if oneShot(j) && !j.WholeFile {
		return nil
	}
	survey, err := rows.NewSurvey(decl, columns, f.dialect, false)
	if err != nil || !survey.Open() {
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
	survey.Settle()
	return nil
}

// plain are the places in the list of the columns whose texts are read as they stand.
func plain(columns []job.MappedColumn) (places []int) {
	for i := range columns {
		if !columns[i].Composed() {
			places = append(places, i)
		}
	}
	return places
}
