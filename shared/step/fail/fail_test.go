package fail_test

import (
	"bytes"
	"context"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/step/fail"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// harness holds the step, its log, and the status changes that it reported.
type harness struct {
	*postgrestest.Database
	step        *fail.Step
	log         *bytes.Buffer
	transitions []string
}

func setup(t *testing.T) *harness {
	t.Helper()
	w := &harness{Database: postgrestest.Setup(t), log: &bytes.Buffer{}}
	w.step = fail.New(w.DB, w, telemetry.NewLogger(w.log, slog.LevelInfo))
	return w
}

func (w *harness) Record(_ context.Context, _ *job.Job, from, to job.Status) {
	w.transitions = append(w.transitions, string(from)+" "+string(to))
}

func (w *harness) fail(t *testing.T, j *job.Job, name, cause string) fail.Output {
	t.Helper()
	out, err := w.step.Run(t.Context(), fail.Input{Ref: job.Ref{JobID: j.ID, OrganisationID: 1}, Error: name, Cause: cause})
	require.NoError(t, err)
	return out
}

const generalMessage = "Internal error."

// The errors have the form that Step Functions and the Lambda runtime use:
// https://docs.aws.amazon.com/step-functions/latest/dg/concepts-error-handling.html
func TestJobEndsWithSafeReason(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		from         job.Status
		error, cause string
		to           job.Status
		code         string
		says         string
	}{
		"error of the file": {job.Uploaded, "FILE_EMPTY", `{"errorMessage":"The file is empty.","errorType":"FILE_EMPTY"}`,
			job.Failed, "FILE_EMPTY", "The file is empty."},
		"error without a message":           {job.Processing, "FILE_CORRUPT", "not JSON", job.Failed, "FILE_CORRUPT", "could not be completed"},
		"transient error after all retries": {job.Processing, "Transient", `{"errorMessage":"password=secret"}`, job.Failed, "INTERNAL", generalMessage},
		"internal error":                    {job.Processing, "INTERNAL", `{"errorMessage":"secret"}`, job.Failed, "INTERNAL", generalMessage},
		"error of the state machine":        {job.Processing, "States.DataLimitExceeded", "secret", job.Failed, "INTERNAL", generalMessage},
		"function out of memory":            {job.Processing, "Runtime.ExitError", `{"errorMessage":"secret"}`, job.Failed, "INTERNAL", generalMessage},
		"function timeout":                  {job.Processing, "Sandbox.Timedout", `{"errorMessage":"secret"}`, job.Failed, "INTERNAL", generalMessage},
		"runtime panic":                     {job.Processing, "boundsError", `{"errorMessage":"secret"}`, job.Failed, "INTERNAL", generalMessage},
		"explicit panic":                    {job.Processing, "string", `{"errorMessage":"secret"}`, job.Failed, "INTERNAL", generalMessage},
		"error without a name":              {job.Processing, "", "", job.Failed, "INTERNAL", generalMessage},
		"no column decisions in time":       {job.ColumnMapping, "States.Timeout", "", job.Cancelled, "TIMED_OUT", "No decisions were received in time"},
		"no value decisions in time":        {job.CellMapping, "States.Timeout", "", job.Cancelled, "TIMED_OUT", "No decisions were received in time"},
		"rows not processed in time":        {job.Processing, "States.Timeout", "", job.Failed, "TIMED_OUT", "time limit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			j := w.AddJob(t, "status = '"+string(c.from)+"'")
			require.Equal(t, fail.Output{Status: c.to}, w.fail(t, j, c.error, c.cause))
			after := w.ReadJob(t, j.ID)
			require.Equal(t, c.to, after.Status)
			require.NotNil(t, after.CompletedAt)
			require.Equal(t, c.code, after.Failure.Code)
			require.Contains(t, after.Failure.Message, c.says)
			require.NotContains(t, after.Failure.Message, "secret")
			require.Equal(t, []string{string(c.from) + " " + string(c.to)}, w.transitions)
			require.Contains(t, w.log.String(), `"level":"WARN"`)
			require.Contains(t, w.log.String(), j.RequestID)
		})
	}
}

func TestEndedJobIsUnchanged(t *testing.T) {
	t.Parallel()
	for _, status := range []job.Status{job.Completed, job.Failed, job.Cancelled} {
		t.Run(string(status), func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			j := w.AddJob(t, "status = '"+string(status)+"', completed_at = now()")
			require.Equal(t, fail.Output{Status: status}, w.fail(t, j, "FILE_EMPTY", `{"errorMessage":"The file is empty."}`))
			require.Equal(t, j, w.ReadJob(t, j.ID))
			require.Empty(t, w.transitions)
		})
	}
}

func TestFirstFailureReasonIsKept(t *testing.T) {
	t.Parallel()
	w := setup(t)
	j := w.AddJob(t, "status = 'PROCESSING'")
	w.fail(t, j, "FILE_CORRUPT", `{"errorMessage":"Line 3 is damaged."}`)
	w.fail(t, j, "Transient", "")
	require.Equal(t, &job.Failure{Code: "FILE_CORRUPT", Message: "Line 3 is damaged."}, w.ReadJob(t, j.ID).Failure)
	require.Len(t, w.transitions, 1)
}

func TestMissingJob(t *testing.T) {
	t.Parallel()
	w := setup(t)
	j := w.AddJob(t, "status = 'PROCESSING'")
	_, err := w.step.Run(t.Context(), fail.Input{Ref: job.Ref{JobID: j.ID, OrganisationID: 2}, Error: "Transient"})
	require.Equal(t, problem.NotFound, problem.CodeOf(err))
}
