package reading

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
)

// OptionsPatch says how a file is to be read instead: members of sheet.Options as JSON. One
// that is null is found out again; one that is not there stays as it is.
type OptionsPatch map[string]json.RawMessage

// Reanalyze takes how the job's file is to be read instead, and lets it be analysed again.
// Where it says nothing new, nothing happens, and the job is returned as it stands: a
// request may be repeated.
//
// OPTION_INVALID, or an error of the file, where it cannot be read so; STATE_CONFLICT
// where nobody is asked any more, or rows are written already; EXECUTION_TOO_OLD where
// the execution was started before it could go back; GONE where the file is not kept.
func (s *Service) Reanalyze(ctx context.Context, ref job.Ref, change OptionsPatch) (*job.Job, error) {
	if err := change.validate(); err != nil {
		return nil, err
	}
	j, err := s.loadJob(ctx, ref)
	if err != nil {
		return nil, err
	}
	options, err := change.mergedInto(j.Options)
	if err != nil || sameOptions(options, j.Options) {
		return j, err
	}
	if err := canReanalyze(j); err != nil {
		return nil, err
	}
	if err := s.checkReadable(ctx, j, options); err != nil {
		return nil, err
	}
	return s.reanalyze(ctx, ref, change)
}

// reanalyze is the transaction of Change. The job may have been changed since it was
// looked at, so everything is looked at again, but for the file.
func (s *Service) reanalyze(ctx context.Context, ref job.Ref, change OptionsPatch) (j *job.Job, err error) {
	var from job.Status
	err = s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error {
		if j, err = s.store.LockJob(ctx, tx, ref.JobID); err != nil {
			return err
		}
		options, err := change.mergedInto(j.Options)
		if err != nil || sameOptions(options, j.Options) {
			return err
		}
		if err := canReanalyze(j); err != nil {
			return err
		}
		if err := s.store.Reanalyze(ctx, tx, j.Key, options); err != nil {
			return err
		}
		if from, _, err = s.store.Transition(ctx, tx, j.Key, job.Transition{To: job.Uploaded, ExpectedFrom: j.Status}); err != nil {
			return err
		}
		j, err = s.store.Job(ctx, tx, ref.JobID)
		return err
	})
	if err == nil && from != "" {
		s.completeTask(ctx, j, from)
	}
	return j, err
}

// completeTask records the move, and completes the task that waits for the person.
func (s *Service) completeTask(ctx context.Context, j *job.Job, from job.Status) {
	ctx, done := context.WithTimeout(context.WithoutCancel(telemetry.WithJob(ctx, j)), completeTimeout)
	defer done()
	s.recorder.Record(ctx, j, from, job.Uploaded)
	phase := job.PhaseColumns
	if from == job.CellMapping {
		phase = job.PhaseCells
	}
	look := func(ctx context.Context) (*job.Job, error) {
		return s.loadJob(ctx, job.Ref{JobID: j.ID, OrganisationID: j.OrganisationID})
	}
	if _, err := s.tasks.CompleteIfDue(ctx, j.ID, phase, look); err != nil {
		s.log.WarnContext(ctx, "the waiting task was not completed; reconcile will complete it", "phase", phase, "error", err)
	}
}

// canReanalyze is nil where a person is asked, no row is written yet, and the execution
// can go back.
func canReanalyze(j *job.Job) error {
	waits := j.Status == job.ColumnMapping || j.Status == job.CellMapping && j.Waiting
	switch {
	case j.Status == job.Uploaded && j.UploadedAt == nil:
		return problem.New(problem.UploadMissing, "The file of this import has not arrived yet. Say with the import how it is to be read.")
	case j.Status == job.Uploaded, j.Status == job.CellMapping && !j.Waiting:
		return problem.New(problem.StateConflict, "The file of this import is being read. Say how it is to be read instead when it asks.")
	case !waits:
		return problem.New(problem.StateConflict, "This import %s; how its file is read can only be changed while it asks.", j.Status.Clause())
	case j.Progress.SplitComplete:
		return problem.New(problem.StateConflict, "Rows of this import are written already, as its file was read. Cancel it, and import the file again.")
	case j.MachineVersion < job.ReanalyzeMachineVersion:
		return problem.New(problem.ExecutionTooOld, "This import was begun by a version that cannot read a file again. Cancel it, and import the file again.")
	case j.Reanalyses >= job.MaxReanalyses:
		return problem.New(problem.StateConflict, "The file of this import has been read again %d times, which is all that one import can. Cancel it, and import the file again.", j.Reanalyses)
	}
	return nil
}

// checkReadable looks whether the file can be read so, as far as its beginning shows it. Its
// encoding is not found out again for that, nor where its footer begins: the whole file
// would have to be read.
func (s *Service) checkReadable(ctx context.Context, j *job.Job, text json.RawMessage) error {
	options, err := fileOptions(text)
	if err != nil {
		return err
	}
	if err := options.Validate(); err != nil {
		return err
	}
	var dialect sheet.Dialect
	if err := json.Unmarshal(j.Dialect, &dialect); err != nil {
		return fmt.Errorf("dialect of job %s: %w", j.ID, err)
	}
	if options.SkipFooterRows = 0; options.Encoding == "" {
		options.Encoding = dialect.Encoding
	}
	_, err = reader.Detect(ctx, s.files.Open(ctx, j.ObjectVersion()), options, s.limits)
	return asGone(err)
}

// asGone is GONE for the error of a file that is not there any more.
func asGone(err error) error {
	if problem.CodeOf(err) == problem.UploadMissing {
		return problem.New(problem.Gone, "The file of this import has been deleted.")
	}
	return err
}

// validate says what is wrong with the change by itself.
func (c OptionsPatch) validate() error {
	text, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("read change: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var options sheet.Options
	if err := d.Decode(&options); err != nil {
		return problem.Wrap(err, problem.OptionInvalid, "The change must be a JSON object with options of the file: %s.", problem.DescribeJSON(err))
	}
	return options.Validate()
}

// sheetOptions are the options that are about the rows and columns of one sheet.
var sheetOptions = [...]string{"headerRow", "headerRows", "skipFooterRows", "columns"}

// mergedInto are the options as they are after the change. Another sheet has other rows and
// columns: what was said of those is dropped, unless the change says it.
func (c OptionsPatch) mergedInto(options json.RawMessage) (json.RawMessage, error) {
	merged := make(map[string]json.RawMessage)
	if err := json.Unmarshal(options, &merged); err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	before := maps.Clone(merged)
	if c["sheetName"] != nil || c["sheetIndex"] != nil {
		delete(merged, "sheetName")
		delete(merged, "sheetIndex")
	}
	for name, value := range c {
		if merged[name] = value; isUnset(name, value) {
			delete(merged, name)
		}
	}
	if !bytes.Equal(before["sheetName"], merged["sheetName"]) || !bytes.Equal(before["sheetIndex"], merged["sheetIndex"]) {
		for _, name := range sheetOptions {
			if _, said := c[name]; !said {
				delete(merged, name)
			}
		}
	}
	text, err := json.Marshal(merged)
	if err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	return text, nil
}

// isUnset reports whether an option with that value leaves it to be found out. The
// first sheet has the index 0.
func isUnset(name string, value json.RawMessage) bool {
	switch string(value) {
	case "null", `""`, "[]":
		return true
	case "0":
		return name != "sheetIndex"
	}
	return false
}

// sameOptions reports whether two texts of options say the same: the database has its own order
// of members.
func sameOptions(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// fileOptions are those of the file among a job's options.
func fileOptions(text json.RawMessage) (options sheet.Options, err error) {
	if err := json.Unmarshal(text, &options); err != nil {
		return options, problem.Wrap(err, problem.OptionInvalid, "The options of the import cannot be read.")
	}
	return options, nil
}
