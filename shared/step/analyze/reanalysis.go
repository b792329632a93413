package analyze

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping/document"
	"github.com/loadbay/loadbay/shared/notify/callback"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Reanalysis loads the results of an earlier analysis of the same file.
type Reanalysis interface {
	ColumnMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedColumn, error)
	RevertOptions(ctx context.Context, tx pgx.Tx, key job.Key, warning string) error
}

// isReanalysis reports whether a person has requested other reading options after an earlier
// analysis. That person is asked again in any case.
func isReanalysis(j *job.Job) bool { return j.PreviousOptions != nil }

// isOptionError reports whether a file probably cannot be read because of the requested options,
// and not because the file is missing or was replaced.
func isOptionError(err error) bool {
	switch problem.CodeOf(err) {
	case problem.Internal, problem.SourceChanged, problem.UploadMissing:
		return false
	}
	return true
}

// rejectReanalysis returns the import to its previous question, with a warning that explains why the
// requested options do not apply.
func (s *Step) rejectReanalysis(ctx context.Context, ref job.Ref, because error) (callback.Result, error) {
	var j *job.Job
	var moved bool
	err := s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		if j, err = s.store.LockJob(ctx, tx, ref.JobID); err != nil || j.Status != job.Uploaded {
			return err
		}
		why := problem.From(because)
		if err := s.store.RevertOptions(ctx, tx, j.Key, fmt.Sprintf("%s: %s %s", problem.SourceRefused, why.Code, why.Message)); err != nil {
			return err
		}
		_, moved, err = s.store.Transition(ctx, tx, j.Key, job.Transition{To: job.ColumnMapping, ExpectedFrom: job.Uploaded})
		return err
	})
	if err != nil {
		return callback.Result{}, fmt.Errorf("analyze: %w", err)
	}
	if !moved {
		return nextResult(j, j.Status), nil
	}
	s.recorder.Record(ctx, j, job.Uploaded, job.ColumnMapping)
	s.log.InfoContext(ctx, "file not read again", "code", problem.CodeOf(because))
	return nextResult(j, job.ColumnMapping), nil
}

// restoreDecisions applies a person's decisions from before the reanalysis: a column with the same
// header is mapped to the same field, or ignored, again. If that field was mapped to another column
// meanwhile, the person's decision takes precedence.
func (s *Step) restoreDecisions(ctx context.Context, j *job.Job, columns []job.MappedColumn) error {
	if !isReanalysis(j) {
		return nil
	}
	var before []job.MappedColumn
	err := s.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) (err error) {
		before, err = s.store.ColumnMappings(ctx, tx, j.Key)
		return err
	})
	if err != nil {
		return err
	}
	var stated sheet.Options
	if err := json.Unmarshal(j.PreviousOptions, &stated); err != nil {
		return fmt.Errorf("options before: %w", err)
	}
	mergeDecisions(columns, before, stated)
	return nil
}

// columnsByName returns the columns by their names in a mapping.
func columnsByName(columns []job.MappedColumn) map[string]*job.MappedColumn {
	header := make([]string, len(columns))
	for i := range columns {
		header[i] = columns[i].Header
	}
	names := document.NewHeaders(header)
	found := make(map[string]*job.MappedColumn, len(columns))
	for i := range columns {
		found[names.Name(i)] = &columns[i]
	}
	return found
}

// mergeDecisions is restoreDecisions with the earlier columns and their reading options: values
// that result from the options are not decisions about a column.
func mergeDecisions(columns, before []job.MappedColumn, options sheet.Options) {
	now := columnsByName(columns)
	theirs := make(map[string]*job.MappedColumn)
	for name, was := range columnsByName(before) {
		is := now[name]
		if is == nil || was.Header == "" {
			continue // columns without a header cannot be identified
		}
		if was.Decided {
			is.TargetField, is.Status, is.Confidence, is.MatchedBy = was.TargetField, was.Status, was.Confidence, was.MatchedBy
			is.Confirmed, is.Decided = was.Confirmed, true
			theirs[was.TargetField] = is
		}
		restoreLocale(name, is, was, options)
	}
	for i := range columns {
		c := &columns[i]
		if owner := theirs[c.TargetField]; c.TargetField != "" && owner != nil && owner != c {
			c.TargetField, c.Status, c.Confidence, c.MatchedBy, c.Confirmed = "", job.Unresolved, 0, "", false
		}
	}
}

// restoreLocale restores the locale that a person has stated for the column.
func restoreLocale(name string, is, was *job.MappedColumn, options sheet.Options) {
	order, mark := options.DateOrder, options.DecimalMark
	for _, column := range options.Columns {
		if column.Column == name {
			order, mark = column.DateOrder, column.DecimalMark
		}
	}
	if f := was.Locale.DateOrder; f.Evidence == sheet.Stated && f.Value != order {
		is.Locale.DateOrder.SetStated(f.Value)
	}
	if f := was.Locale.DecimalMark; f.Evidence == sheet.Stated && f.Value != mark {
		is.Locale.DecimalMark.SetStated(f.Value)
	}
}
