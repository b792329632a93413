package resolve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
)

// detectComposedLocales detects the date order and decimal marks of columns that were composed
// after the analysis, by a person or without a question. No question is asked here either:
// ambiguity is a warning, and an error of the affected rows.
func (s *Step) detectComposedLocales(ctx context.Context, j *job.Job, columns []job.MappedColumn) error {
	if !slices.ContainsFunc(columns, func(c job.MappedColumn) bool { return c.IsComposed() }) {
		return nil
	}
	kind, err := s.types.Type(ctx, nil, j.OrganisationID, j.ImportType, j.TypeVersion)
	if err != nil {
		return err
	}
	var dialect sheet.Dialect
	if err := json.Unmarshal(j.Dialect, &dialect); err != nil {
		return fmt.Errorf("dialect: %w", err)
	}
	survey, err := rows.NewLocaleSurvey(ctx, kind.Declaration(), columns, &dialect, !j.AutoStart)
	if err != nil || !survey.Needed() {
		return err
	}
	file, err := reader.Open(ctx, s.files.Open(ctx, j.ObjectVersion()), &dialect, s.limits)
	if err != nil {
		return err
	}
	for file.Next() {
		survey.Add(file.Row())
	}
	if err := errors.Join(file.Err(), file.Close()); err != nil {
		return fmt.Errorf("read all rows: %w", err)
	}
	settled := survey.Finish()
	return s.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) error {
		if err := s.store.SaveColumnDecisions(ctx, tx, j.Key, settled); err != nil {
			return err
		}
		return s.store.AddWarnings(ctx, tx, j.Key, rows.LocaleWarnings(kind.Declaration(), settled, false))
	})
}
