package dropresult_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/output/dropresult"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// fixture is a database, and a bucket in memory.
type fixture struct {
	*postgrestest.Database
	writer     *dropresult.Writer
	objects    map[string]string
	order      []string // keys in the order of storing
	failWrites bool     // all writes fail
}

func setup(t *testing.T) *fixture {
	t.Helper()
	w := &fixture{Database: postgrestest.Setup(t), objects: map[string]string{}}
	w.writer = dropresult.New(w.DB, w)
	return w
}

func (w *fixture) Put(_ context.Context, key, _ string, body []byte) error {
	w.objects[key] = string(body)
	w.order = append(w.order, key)
	return nil
}

type objectWriter struct {
	bytes.Buffer
	fixture *fixture
	key     string
}

func (w *fixture) Create(_ context.Context, key, _ string) object.Writer {
	return &objectWriter{fixture: w, key: key}
}

func (o *objectWriter) Write(p []byte) (int, error) {
	if o.fixture.failWrites {
		return 0, errors.New("the bucket is full")
	}
	return o.Buffer.Write(p)
}

func (o *objectWriter) Complete() error {
	return o.fixture.Put(context.Background(), o.key, "", o.Bytes())
}

func (o *objectWriter) Size() int64 { return int64(o.Len()) }

func (*objectWriter) Abort(because error) error { return because }

// addEndedJob creates an ended job of the drop folder, with the errors of some of its rows.
func (w *fixture) addEndedJob(t *testing.T, assignments string, failed ...job.RowResult) *job.Job {
	t.Helper()
	j := w.AddJob(t, `object_key = 'drop/1/USER/-/july + more.csv', `+assignments)
	require.NoError(t, w.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		require.NoError(t, w.DB.SaveColumnMappings(t.Context(), tx, j, []job.MappedColumn{
			{ColumnIndex: 0, Header: "=Mail", TargetField: "EMAIL", Status: job.AutoMatched}, {ColumnIndex: 1, Header: "Shoe", Status: job.Ignored},
		}))
		addLedger(t, w, tx, j, failed)
		return w.DB.AddResults(t.Context(), tx, j, failed)
	}))
	return j
}

// addLedger adds the ledger entry of a job's rows in error.
func addLedger(t *testing.T, w *fixture, tx pgx.Tx, j *job.Job, failed []job.RowResult) {
	t.Helper()
	if len(failed) == 0 {
		return
	}
	c := job.Chunk{JobKey: j.Key, Key: "k", FirstRow: 1, Lines: int(failed[len(failed)-1].Row), Done: true}
	c.Outcomes = bytes.Repeat([]byte{byte(rowwrite.Created)}, c.Lines)
	for _, r := range failed {
		c.Outcomes[r.Row-1] = byte(r.Outcome)
	}
	require.NoError(t, w.DB.AddChunks(t.Context(), tx, j, []job.Chunk{c}))
	require.NoError(t, w.DB.SaveOutcomes(t.Context(), tx, &c))
}

func (w *fixture) write(t *testing.T, j *job.Job) {
	t.Helper()
	require.NoError(t, w.writer.Write(t.Context(), job.Ref{JobID: j.ID, OrganisationID: 1}))
}

const (
	resultKey = "results/1/USER/-/july + more.csv.result.json"
	errorsKey = "results/1/USER/-/july + more.csv.errors.csv"
)

func TestCompletedFileWritesResult(t *testing.T) {
	t.Parallel()
	w := setup(t)
	j := w.addEndedJob(t, `status = 'COMPLETED', completed_at = '2026-07-31T12:00:00Z', created_at = '2026-07-31T11:00:00Z', total_rows = 9,
			created_count = 3, updated_count = 2, unchanged_count = 1, skipped_count = 1, error_count = 3, warnings = '{FORMAT_MISMATCH}'`,
		job.RowResult{Row: 3, Outcome: rowwrite.Errored, Errors: []rowwrite.Error{
			{Code: "CELL_EMAIL", Field: "EMAIL", Value: "=cmd|'/c calc'!A1", Message: "This is no address."},
			{Code: "CELL_REQUIRED", Field: "NAME", Message: "Missing, \"really\"."},
		}},
		job.RowResult{Row: 4, Outcome: rowwrite.Skipped, Errors: []rowwrite.Error{{Code: "ALREADY_EXISTS", Message: "Known."}}},
		job.RowResult{Row: 10, Outcome: rowwrite.Errored, Errors: []rowwrite.Error{{Code: "CELL_NUMBER", Field: "EMAIL", Value: "-5", Message: "No."}}},
		job.RowResult{Row: 12, Outcome: rowwrite.Errored, Errors: []rowwrite.Error{{Code: "ROW_WIDTH", Message: "Too wide."}}})
	for range 2 { // the second result is identical
		w.write(t, j)
		require.Equal(t, "row,column,field,value,code,message\r\n"+
			"3,'=Mail,EMAIL,'=cmd|'/c calc'!A1,CELL_EMAIL,This is no address.\r\n"+
			"3,,NAME,,CELL_REQUIRED,\"Missing, \"\"really\"\".\"\r\n"+
			"10,'=Mail,EMAIL,-5,CELL_NUMBER,No.\r\n"+
			"12,,,,ROW_WIDTH,Too wide.\r\n", w.objects[errorsKey])
		require.JSONEq(t, `{
			"identifier": "`+string(j.ID)+`", "importType": "USER", "contextId": null, "status": "COMPLETED",
			"originalFilename": "users.csv", "objectKey": "drop/1/USER/-/july + more.csv", "dryRun": false,
			"totalRows": 9, "createdCount": 3, "updatedCount": 2, "unchangedCount": 1, "skippedCount": 1, "errorCount": 3,
			"errorsKey": "`+errorsKey+`", "warnings": ["FORMAT_MISMATCH"], "undone": false, "undoneBy": null, "failure": null,
			"createdAt": "2026-07-31T11:00:00Z", "completedAt": "2026-07-31T12:00:00Z"
		}`, w.objects[resultKey])
	}
	require.Equal(t, []string{errorsKey, resultKey}, w.order[:2], "the errors are written before the result")
}

func TestFailedFileWritesResult(t *testing.T) {
	t.Parallel()
	w := setup(t)
	j := w.addEndedJob(t, `status = 'FAILED', completed_at = now(), failure_code = 'FILE_EMPTY', failure_message = 'The file is empty.'`)
	w.write(t, j)
	var document struct {
		Status  string
		Failure job.Failure
	}
	require.NoError(t, json.Unmarshal([]byte(w.objects[resultKey]), &document))
	require.Equal(t, "FAILED", document.Status)
	require.Equal(t, job.Failure{Code: "FILE_EMPTY", Message: "The file is empty."}, document.Failure)
	require.Equal(t, "row,column,field,value,code,message\r\n", w.objects[errorsKey])
}

func TestOnlyEndedDropImportsHaveResults(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.write(t, w.AddJob(t, `status = 'COMPLETED', completed_at = now()`))
	w.write(t, w.addEndedJob(t, `status = 'PROCESSING'`))
	require.Empty(t, w.objects)
	_, ok := dropresult.KeysFor("drop/")
	require.False(t, ok)
	require.Error(t, w.writer.Write(t.Context(), job.Ref{JobID: w.AddJob(t, `mode = 'insert'`).ID, OrganisationID: 2}), "another organisation cannot write the result")
}

// TestSameNameFilesKeepTheirResults regardless of the order in which they end: the last
// one has the plain name, the others have the ids of their imports in theirs.
func TestSameNameFilesKeepTheirResults(t *testing.T) {
	t.Parallel()
	const end = `status = 'COMPLETED', completed_at = now()`
	for name, order := range map[string][]int{"in order of arrival": {0, 1, 2}, "last one first": {2, 0, 1}, "second one first": {1, 0, 2}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			jobs := make([]*job.Job, 3)
			for i := range jobs {
				jobs[i] = w.addEndedJob(t, `status = 'PROCESSING'`, job.RowResult{
					Row: int64(i + 2), Outcome: rowwrite.Errored, Errors: []rowwrite.Error{{Code: "X", Message: "Wrong."}},
				})
			}
			for _, i := range order {
				w.Exec(t, `UPDATE import_jobs SET `+end+` WHERE id = $1`, jobs[i].Key)
				w.write(t, jobs[i])
				w.write(t, jobs[i]) // the state machine retries
			}
			for i, j := range jobs {
				kept := "results/1/USER/-/july + more.csv." + string(j.ID)
				keys := dropresult.Keys{Result: kept + ".result.json", Errors: kept + ".errors.csv"}
				if i == 2 {
					keys = dropresult.Keys{Result: resultKey, Errors: errorsKey}
				}
				var document struct{ Identifier, ErrorsKey string }
				require.NoError(t, json.Unmarshal([]byte(w.objects[keys.Result]), &document), "%s of %v", keys.Result, slices.Sorted(maps.Keys(w.objects)))
				require.Equal(t, string(j.ID), document.Identifier)
				require.Equal(t, keys.Errors, document.ErrorsKey)
				require.Contains(t, w.objects[keys.Errors], fmt.Sprintf("\n%d,,,,X,Wrong.", i+2))
			}
		})
	}
}

// TestResultKeysDoNotCollide: the result of another file's import is independent.
func TestResultKeysDoNotCollide(t *testing.T) {
	t.Parallel()
	w := setup(t)
	j := w.addEndedJob(t, `status = 'COMPLETED', completed_at = now()`)
	w.Exec(t, `UPDATE import_jobs SET object_key = 'drop/1/USER/-/june.csv' WHERE id = $1`, w.addEndedJob(t, `status = 'COMPLETED', completed_at = now()`).Key)
	w.write(t, j)
	require.ElementsMatch(t, []string{resultKey, errorsKey}, slices.Collect(maps.Keys(w.objects)))
}

// More rows than one page contains.
func TestAllErrorsAreListed(t *testing.T) {
	t.Parallel()
	w := setup(t)
	var failed []job.RowResult
	for row := range int64(4001) {
		failed = append(failed, job.RowResult{Row: row + 2, Outcome: rowwrite.Errored, Errors: []rowwrite.Error{{Code: "X", Message: fmt.Sprint(row)}}})
	}
	w.write(t, w.addEndedJob(t, `status = 'COMPLETED', completed_at = now()`, failed...))
	lines := strings.Split(strings.TrimSuffix(w.objects[errorsKey], "\r\n"), "\r\n")
	require.Len(t, lines, 4002)
	require.Equal(t, "2001,,,,X,1999", lines[2000])
	require.Equal(t, "4002,,,,X,4000", lines[4001])
	require.False(t, slices.Contains(lines, ""))
}

func TestResultWriteErrorIsReturned(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.failWrites = true
	j := w.addEndedJob(t, `status = 'COMPLETED', completed_at = now()`)
	require.ErrorContains(t, w.writer.Write(t.Context(), job.Ref{JobID: j.ID, OrganisationID: 1}), "store drop result of job "+string(j.ID)+": the bucket is full")
	require.Empty(t, w.objects, "no result is written without its errors")
}

// TestRetryWritesNoResult: the result of the original import is unchanged.
func TestRetryWritesNoResult(t *testing.T) {
	t.Parallel()
	w := setup(t)
	const ended = `status = 'COMPLETED', completed_at = now(), error_count = 1`
	first := w.addEndedJob(t, ended)
	w.write(t, first)
	before := w.objects[resultKey]
	w.write(t, w.addEndedJob(t, ended+`, rerun = true, retry_of = '`+string(first.ID)+`'`))
	w.write(t, first)
	require.Equal(t, before, w.objects[resultKey])
	require.Len(t, w.objects, 2)
}

// TestUndoUpdatesResult: the end of an undo writes the result of the import that was undone, and the
// end of an undo of that undo does so again.
func TestUndoUpdatesResult(t *testing.T) {
	t.Parallel()
	w := setup(t)
	undone := func() (undone bool, by *job.RevertedBy) {
		var document struct {
			Undone   bool
			UndoneBy *job.RevertedBy
		}
		require.NoError(t, json.Unmarshal([]byte(w.objects[resultKey]), &document))
		return document.Undone, document.UndoneBy
	}
	ended := func(of *job.Job) *job.Job {
		j := w.AddJob(t, `status = 'COMPLETED', completed_at = now(), updated_count = 2, purpose = 'UNDO', undo_mode = 'safe', undo_of = '`+string(of.ID)+`'`)
		w.write(t, j)
		return j
	}
	first := w.addEndedJob(t, `status = 'COMPLETED', completed_at = now(), created_count = 2`)
	w.write(t, first)
	back := ended(first)
	is, by := undone()
	require.True(t, is)
	require.Equal(t, &job.RevertedBy{JobID: back.ID, Complete: true}, by)
	forth := ended(back)
	is, by = undone()
	require.False(t, is)
	require.Nil(t, by)

	w.Exec(t, `DELETE FROM import_jobs WHERE id = $1`, first.Key)
	w.write(t, forth) // the import and its result have been purged
	require.Len(t, w.objects, 2)
}
