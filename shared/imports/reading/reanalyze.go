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

// OptionsPatch changes reading options: it contains members of sheet.Options as JSON. A null
// member is detected again; a missing member is unchanged.
type OptionsPatch map[string]json.RawMessage

// Reanalyze changes the reading options of the job's file and has the file analysed again; by
// is the person who changed them, or "" if unknown.
// If the patch changes nothing, it returns the job unchanged, so a request may be repeated.
//
// It returns OPTION_INVALID, or an error of the file, if the file cannot be read with the
// options; STATE_CONFLICT if the import no longer waits for decisions or rows have been
// written; EXECUTION_TOO_OLD if the execution's version cannot go back; GONE if the file is
// no longer stored.
func (s *Service) Reanalyze(ctx context.Context, ref job.Ref, by string, change OptionsPatch) (*job.Job, error) {
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
	return s.reanalyze(ctx, ref, by, change)
}

// reanalyze is the transaction of Reanalyze. The job may have changed since it was checked,
// so everything is checked again, except for the file.
func (s *Service) reanalyze(ctx context.Context, ref job.Ref, by string, change OptionsPatch) (j *job.Job, err error) {
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
		if err := s.store.AddContributor(ctx, tx, j.Key, by); err != nil {
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

// completeTask records the transition and completes the task that waits for a person.
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
		s.log.WarnContext(ctx, "complete waiting task; reconcile will retry", "phase", phase, "error", err)
	}
}

// canReanalyze returns nil if the job waits for decisions, no row has been written, and the
// execution can go back.
func canReanalyze(j *job.Job) error {
	waits := j.Status == job.ColumnMapping || j.Status == job.CellMapping && j.Waiting
	switch {
	case j.Status == job.Uploaded && j.UploadedAt == nil:
		return problem.New(problem.UploadMissing, "The file of this import has not been uploaded yet. Change the reading options after the upload.")
	case j.Status == job.Uploaded, j.Status == job.CellMapping && !j.Waiting:
		return problem.New(problem.StateConflict, "The file of this import is being read. Change the reading options when this is finished.")
	case !waits:
		return problem.New(problem.StateConflict, "This import %s. Reading options can only be changed while it waits for decisions.", j.Status.Clause())
	case j.Progress.SplitComplete:
		return problem.New(problem.StateConflict, "Rows of this import are already written with the current reading options. Cancel it and import the file again.")
	case j.MachineVersion < job.ReanalyzeMachineVersion:
		return problem.New(problem.ExecutionTooOld, "This import was started by an older version that cannot change reading options. Cancel it and import the file again.")
	case j.Reanalyses >= job.MaxReanalyses:
		return problem.New(problem.StateConflict, "The reading options of this import were changed %d times, which is the limit. Cancel it and import the file again.", j.Reanalyses)
	}
	return nil
}

// checkReadable checks from the beginning of the file whether it can be read with the
// options. It detects neither the encoding, the footer nor all columns of NDJSON again, as these
// require reading the whole file.
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
		return fmt.Errorf("decode reading options of job %s: %w", j.ID, err)
	}
	if options.SkipFooterRows = 0; options.Encoding == "" {
		options.Encoding = dialect.Encoding
	}
	options.OnlyBeginning = true
	_, err = reader.Detect(ctx, s.files.Open(ctx, j.ObjectVersion()), options, s.limits)
	return asGone(err)
}

// asGone converts the error of a missing file to GONE.
func asGone(err error) error {
	if problem.CodeOf(err) == problem.UploadMissing {
		return problem.New(problem.Gone, "The file of this import has been deleted.")
	}
	return err
}

// validate checks the patch by itself.
func (c OptionsPatch) validate() error {
	text, err := json.Marshal(c)
	if err != nil {
		return fmt.Errorf("read change: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	var options sheet.Options
	if err := d.Decode(&options); err != nil {
		return problem.Wrap(err, problem.OptionInvalid, "The change must be a JSON object with reading options: %s.", problem.DescribeJSON(err))
	}
	return options.Validate()
}

// sheetOptions are the options that apply to the rows and columns of one sheet.
var sheetOptions = [...]string{"headerRow", "headerRows", "skipFooterRows", "columns"}

// mergedInto returns the options with the patch applied. Another sheet has other rows and
// columns, so the options for those are dropped unless the patch sets them.
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
			if _, ok := c[name]; !ok {
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

// isUnset reports whether the value leaves the option to detection. The first sheet has the
// index 0.
func isUnset(name string, value json.RawMessage) bool {
	switch string(value) {
	case "null", `""`, "[]":
		return true
	case "0":
		return name != "sheetIndex"
	}
	return false
}

// sameOptions reports whether two option texts are equivalent: the database orders members
// differently.
func sameOptions(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// fileOptions returns the options of the file among a job's options.
func fileOptions(text json.RawMessage) (options sheet.Options, err error) {
	if err := json.Unmarshal(text, &options); err != nil {
		return options, problem.Wrap(err, problem.OptionInvalid, "The options of the import are not valid.")
	}
	return options, nil
}
