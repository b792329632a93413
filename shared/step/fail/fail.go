// Package fail records in a job why its execution failed.
package fail

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// Store reads and updates jobs.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	LockJob(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	Transition(ctx context.Context, tx pgx.Tx, key job.Key, t job.Transition) (job.Status, bool, error)
}

// Step is the fail function.
type Step struct {
	store    Store
	recorder job.Recorder
	log      *slog.Logger
}

// New returns the step.
func New(store Store, recorder job.Recorder, log *slog.Logger) *Step {
	return &Step{store: store, recorder: recorder, log: log}
}

// Input is the error that the state machine caught.
type Input struct {
	job.Ref
	Error string `json:"error"`
	Cause string `json:"cause"`
}

// Output is the final status of the job.
type Output struct {
	Status job.Status `json:"status"`
}

// Run ends the job as FAILED, or as CANCELLED if the wait for a decision timed out. A job that
// has already ended is not changed.
func (s *Step) Run(ctx context.Context, in Input) (Output, error) {
	var j *job.Job
	var from, to job.Status
	var failure job.Failure
	err := s.store.InOrganisation(ctx, in.OrganisationID, func(tx pgx.Tx) (err error) {
		if j, err = s.store.LockJob(ctx, tx, in.JobID); err != nil {
			return err
		}
		to, failure = classify(j.Status, in)
		from, _, err = s.store.Transition(ctx, tx, j.Key, job.Transition{To: to, Failure: &failure})
		return err
	})
	if err != nil {
		return Output{}, fmt.Errorf("fail: %w", err)
	}
	if from == "" {
		return Output{Status: j.Status}, nil
	}
	ctx = telemetry.WithJob(ctx, j)
	s.recorder.Record(ctx, j, from, to)
	s.log.WarnContext(ctx, "import ended early", "status", to, "code", failure.Code, "error", in.Error)
	return Output{Status: to}, nil
}

// classify converts the caught error into a status and a reason that is safe to show.
func classify(status job.Status, in Input) (job.Status, job.Failure) {
	waiting := status == job.ColumnMapping || status == job.CellMapping || status == job.AwaitingApproval
	switch {
	case in.Error == "States.Timeout" && waiting:
		return job.Cancelled, job.Failure{Code: string(problem.TimedOut), Message: "No decisions were received in time."}
	case in.Error == "States.Timeout":
		return job.Failed, job.Failure{Code: string(problem.TimedOut), Message: "The import exceeded its time limit."}
	case isTechnical(in.Error):
		return job.Failed, job.Failure{Code: string(problem.Internal), Message: "Internal error. Import the file again; if the error persists, send the ID of this import to support."}
	}
	var cause struct {
		Message string `json:"errorMessage"`
	}
	if json.Unmarshal([]byte(in.Cause), &cause) != nil || cause.Message == "" {
		cause.Message = "The import could not be completed."
	}
	return job.Failed, job.Failure{Code: in.Error, Message: cause.Message}
}

// isTechnical distinguishes technical errors from errors of the import. The names of import
// errors are codes of package problem, in capitals only. Errors of Step Functions and the
// Lambda runtime have names such as "States.TaskFailed"; a panic has the name of its Go type,
// "boundsError".
func isTechnical(name string) bool {
	return name == "" || name == string(problem.Internal) || strings.ToUpper(name) != name
}
