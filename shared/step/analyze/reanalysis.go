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

// Reanalysis keeps what an earlier analysis of the same file has come to.
type Reanalysis interface {
	ColumnMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedColumn, error)
	RevertOptions(ctx context.Context, tx pgx.Tx, key job.Key, warning string) error
}

// isReanalysis reports whether a person has seen how the file was read, and wants it read in
// another way. They are asked again in any case: they are looking at it.
func isReanalysis(j *job.Job) bool { return j.PreviousOptions != nil }

// isOptionError reports whether a file cannot be read because of what was said of it,
// as far as that can be told: not where the file itself is gone or another one.
func isOptionError(err error) bool {
	switch problem.CodeOf(err) {
	case problem.Internal, problem.SourceChanged, problem.UploadMissing:
		return false
	}
	return true
}

// rejectReanalysis lets the import ask as it did before, with a warning that says why the file is
// not read as was said.
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

// restoreDecisions applies what a person has said of the columns when they were read in
// another way: a column with the same header is the same field, or nothing, again. A
// field that another column was taken for meanwhile is theirs.
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

// columnsByName are the columns of a list as a mapping names them.
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

// mergeDecisions is restoreDecisions with the columns before and the options that they were
// read by: what stems from those is not what was said of a column.
func mergeDecisions(columns, before []job.MappedColumn, options sheet.Options) {
	now := columnsByName(columns)
	theirs := make(map[string]*job.MappedColumn)
	for name, was := range columnsByName(before) {
		is := now[name]
		if is == nil || was.Header == "" {
			continue // what has no header is not known to be the same
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

// restoreLocale keeps how a person has said that the column is read.
func restoreLocale(name string, is, was *job.MappedColumn, options sheet.Options) {
	order, mark := options.DateOrder, options.DecimalMark
	for _, said := range options.Columns {
		if said.Column == name {
			order, mark = said.DateOrder, said.DecimalMark
		}
	}
	if f := was.Locale.DateOrder; f.Evidence == sheet.Stated && f.Value != order {
		is.Locale.DateOrder.SetStated(f.Value)
	}
	if f := was.Locale.DecimalMark; f.Evidence == sheet.Stated && f.Value != mark {
		is.Locale.DecimalMark.SetStated(f.Value)
	}
}
