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

// Rereading keeps what an earlier analysis of the same file has come to.
type Rereading interface {
	ColumnMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedColumn, error)
	ReadAsBefore(ctx context.Context, tx pgx.Tx, key job.Key, warning string) error
}

// again reports whether a person has seen how the file was read, and wants it read in
// another way. They are asked again in any case: they are looking at it.
func again(j *job.Job) bool { return j.OptionsBefore != nil }

// statedWrongly reports whether a file cannot be read because of what was said of it,
// as far as that can be told: not where the file itself is gone or another one.
func statedWrongly(err error) bool {
	switch problem.CodeOf(err) {
	case problem.Internal, problem.SourceChanged, problem.UploadMissing:
		return false
	}
	return true
}

// leave lets the import ask as it did before, with a warning that says why the file is
// not read as was said.
func (s *Step) leave(ctx context.Context, ref job.Ref, because error) (callback.Result, error) {
	var j *job.Job
	var moved bool
	err := s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		if j, err = s.store.LockJob(ctx, tx, ref.JobID); err != nil || j.Status != job.Uploaded {
			return err
		}
		why := problem.Of(because)
		if err := s.store.ReadAsBefore(ctx, tx, j.Key, fmt.Sprintf("%s: %s %s", problem.WarnSourceRefused, why.Code, why.Message)); err != nil {
			return err
		}
		_, moved, err = s.store.Transition(ctx, tx, j.Key, job.Transition{To: job.ColumnMapping, ExpectedFrom: job.Uploaded})
		return err
	})
	if err != nil {
		return callback.Result{}, fmt.Errorf("analyze: %w", err)
	}
	if !moved {
		return next(j, j.Status), nil
	}
	s.recorder.Record(ctx, j, job.Uploaded, job.ColumnMapping)
	s.log.InfoContext(ctx, "file not read again", "code", problem.CodeOf(because))
	return next(j, job.ColumnMapping), nil
}

// keepDecisions applies what a person has said of the columns when they were read in
// another way: a column with the same header is the same field, or nothing, again. A
// field that another column was taken for meanwhile is theirs.
func (s *Step) keepDecisions(ctx context.Context, j *job.Job, columns []job.MappedColumn) error {
	if !again(j) {
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
	if err := json.Unmarshal(j.OptionsBefore, &stated); err != nil {
		return fmt.Errorf("options before: %w", err)
	}
	keepDecided(columns, before, stated)
	return nil
}

// named are the columns of a list as a mapping names them.
func named(columns []job.MappedColumn) map[string]*job.MappedColumn {
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

// keepDecided is keepDecisions with the columns before and the options that they were
// read by: what stems from those is not what was said of a column.
func keepDecided(columns, before []job.MappedColumn, options sheet.Options) {
	now := named(columns)
	theirs := make(map[string]*job.MappedColumn)
	for name, was := range named(before) {
		is := now[name]
		if is == nil || was.Header == "" {
			continue // what has no header is not known to be the same
		}
		if was.Decided {
			is.TargetField, is.Status, is.Confidence, is.MatchedBy = was.TargetField, was.Status, was.Confidence, was.MatchedBy
			is.Confirmed, is.Decided = was.Confirmed, true
			theirs[was.TargetField] = is
		}
		keepLocale(name, is, was, options)
	}
	for i := range columns {
		c := &columns[i]
		if owner := theirs[c.TargetField]; c.TargetField != "" && owner != nil && owner != c {
			c.TargetField, c.Status, c.Confidence, c.MatchedBy, c.Confirmed = "", job.Unresolved, 0, "", false
		}
	}
}

// keepLocale keeps how a person has said that the column is read.
func keepLocale(name string, is, was *job.MappedColumn, options sheet.Options) {
	order, mark := options.DateOrder, options.DecimalMark
	for _, said := range options.Columns {
		if said.Column == name {
			order, mark = said.DateOrder, said.DecimalMark
		}
	}
	if f := was.Locale.DateOrder; f.Evidence == sheet.Stated && f.Value != order {
		is.Locale.DateOrder.State(f.Value)
	}
	if f := was.Locale.DecimalMark; f.Evidence == sheet.Stated && f.Value != mark {
		is.Locale.DecimalMark.State(f.Value)
	}
}
