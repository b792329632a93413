package httpapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/organisation/quota"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/step/analyze"
	"github.com/loadbay/loadbay/shared/step/complete"
	"github.com/loadbay/loadbay/shared/step/export"
	"github.com/loadbay/loadbay/shared/step/process"
	"github.com/loadbay/loadbay/shared/step/resolve"
	"github.com/loadbay/loadbay/shared/step/split"
	"github.com/loadbay/loadbay/shared/testing/steptest"
)

// files provides the objects to steps and row readers.
type files struct{ *fakeObjects }

func (f files) body(key string) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	body, ok := f.stored[key]
	if !ok {
		return "", problem.New(problem.UploadMissing, "not there")
	}
	return body, nil
}

func (f files) ReadRange(_ context.Context, v object.Version, offset, length int64) ([]byte, error) {
	body, err := f.body(v.Key)
	if err != nil {
		return nil, err
	}
	return []byte(body[offset : offset+length]), nil
}

func (f files) Open(_ context.Context, v object.Version) sheet.Source {
	body, err := f.body(v.Key)
	if err != nil {
		return missingFile{err}
	}
	return strings.NewReader(body)
}

func (f files) Put(ctx context.Context, key, contentType string, body []byte) error {
	return f.PutIfAbsent(ctx, key, contentType, body)
}

func (files) Delete(context.Context, string) error { return nil }

// missingFile is a file that no longer exists.
type missingFile struct{ error }

func (l missingFile) ReadAt([]byte, int64) (int, error) { return 0, l.error }
func (l missingFile) Size() int64                       { return 1 }

// chunks is the queue of one import.
type chunks struct{ refs []job.ChunkRef }

func (c *chunks) SendChunks(_ context.Context, ref job.Ref, places []int) error {
	for _, place := range places {
		c.refs = append(c.refs, job.ChunkRef{Ref: ref, Chunk: place})
	}
	return nil
}

func (*chunks) CompleteIfRowsDone(context.Context, *job.Job, job.Progress) error { return nil }

// runImport runs an import to its end like an execution, with two rows per chunk.
func (b *bundle) runImport(t *testing.T, id string) {
	t.Helper()
	ref, queue, types, limits := job.Ref{JobID: job.ID(id), OrganisationID: 1}, &chunks{}, catalog.New(), sheet.DefaultLimits()
	log, metrics := slog.New(slog.DiscardHandler), telemetry.NewMetrics(io.Discard)
	moves := telemetry.NewTransitions(log, metrics)
	_, err := analyze.New(b.DB, files{b.objects}, types, moves, limits, log).Run(t.Context(), ref)
	require.NoError(t, err)
	_, err = resolve.New(b.DB, files{b.objects}, types, steptest.EventRecorder{Recorder: moves}, limits, log).Run(t.Context(), ref)
	require.NoError(t, err)
	cut, err := split.New(b.DB, files{b.objects}, queue, types, split.Config{ChunkRows: 2}, limits, log)
	require.NoError(t, err)
	require.NoError(t, cut.Run(t.Context(), ref))
	write := process.New(b.DB, files{b.objects}, types, queue, moves, metrics, limits, log)
	for _, c := range queue.refs {
		require.NoError(t, write.Run(t.Context(), c))
	}
	require.NoError(t, complete.New(b.DB, catalog.New(), moves, metrics, log).Run(t.Context(), ref))
}

// createEndedImport creates an import of a file and runs it to its end.
func (b *bundle) createEndedImport(t *testing.T, importType, filename, text string) string {
	t.Helper()
	body, contentType := form(t, part{"file", filename, text}, part{name: "importType", content: importType}, part{name: "autoStart", content: "true"})
	id := decode[fields](b.do(t, request{method: "POST", path: "/api/imports", body: body, contentType: contentType}), http.StatusCreated)["identifier"].(string)
	b.runImport(t, id)
	return id
}

const fiveOrders = `clientId,clientReference,senderName,senderAddress,senderContact,receiverName,receiverAddress,receiverCity,receiverPincode,itemCount,totalWeight,serviceType,declaredValue
7,PO-1,Acme,1 Dock Road,0801234567,Bea Rao,2 Hill Street,Pune,411001,1,2.5 kg,EXPRESS,1500
7,PO-2,Acme,1 Dock Road,0801234567,Dev Shah,9 Lake View,Mumbai,400001,3,7.250,STANDARD,
7,PO-3,Acme,1 Dock Road,0801234567,Esha Nair,4 Fort Road,Kochi,682001,1,0.8 kg,ECONOMY,15
7,PO-4,Acme,1 Dock Road,0801234567,Gita Rao,2 Hill Street,Pune,411001,1,heavy,EXPRESS,1500
7,PO-5,Acme,1 Dock Road,0801234567,Hari Rao,2 Hill Street,Pune,41100,1,3.0,EXPRESS,1500
`

func (b *bundle) rowCells(t *testing.T, id, query string) fields {
	t.Helper()
	return decode[fields](b.do(t, get("/api/imports/"+id+"/rows"+query)), http.StatusOK)
}

// describeRows returns the rows of a page in short form: "2 ERROR open".
func describeRows(part fields) (list []string) {
	for _, r := range part["rows"].([]any) {
		row := r.(fields)
		line := fmt.Sprintf("%v %v", row["rowNumber"], row["outcome"])
		if row["open"].(bool) {
			line += " open"
		}
		if retry, ok := row["retry"].(fields); ok {
			line += fmt.Sprintf(" again %v", retry["outcome"])
		}
		list = append(list, line)
	}
	return list
}

// value returns the value of a field in the first row of a page.
func value(part fields, field string) fields {
	for _, v := range part["rows"].([]any)[0].(fields)["values"].([]any) {
		if v.(fields)["field"] == field {
			return v.(fields)
		}
	}
	return nil
}

// patch corrects rows.
func (b *bundle) patch(t *testing.T, id, query string, body any) apiResponse {
	t.Helper()
	text, err := json.Marshal(body)
	require.NoError(t, err)
	return b.do(t, request{method: "PATCH", path: "/api/imports/" + id + "/rows" + query, body: string(text), contentType: "application/json"})
}

// retry requests a retry of rows, and runs it.
func (b *bundle) retry(t *testing.T, id, rows string) fields {
	t.Helper()
	job := decode[fields](b.requestRetry(t, id, rows), http.StatusAccepted)
	b.runImport(t, job["identifier"].(string))
	return decode[fields](b.do(t, get("/api/imports/"+job["identifier"].(string))), http.StatusOK)
}

func (b *bundle) requestRetry(t *testing.T, id, rows string) apiResponse {
	t.Helper()
	return b.do(t, request{method: "POST", path: "/api/imports/" + id + "/retry", body: `{"rows":"` + rows + `"}`, contentType: "application/json"})
}

// Rows are listed with filters, in pages, and by a search text.
func TestListRows(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.createEndedImport(t, "ORDER", "orders.csv", fiveOrders)
	all := b.rowCells(t, id, "")
	require.Equal(t, []string{"2 ERROR open", "3 CREATED", "4 ERROR open", "5 ERROR open", "6 ERROR open"}, describeRows(all))
	require.Equal(t, true, all["complete"])
	require.Nil(t, all["cursor"])
	require.Equal(t, "clientId", all["header"].([]any)[0])
	require.Equal(t, fields{"field": "TOTAL_WEIGHT", "read": "2.5 kg", "typed": nil, "code": "CELL_NUMBER", "corrected": false}, value(all, "TOTAL_WEIGHT"))
	require.Equal(t, "Bea Rao", all["rows"].([]any)[0].(fields)["cells"].([]any)[5])
	went := b.rowCells(t, id, "?outcome=CREATED")
	require.Equal(t, []string{"3 CREATED"}, describeRows(went))
	require.Equal(t, fields{"field": "TOTAL_WEIGHT", "read": "7.250", "typed": "7.25", "code": nil, "corrected": false}, value(went, "TOTAL_WEIGHT"))

	require.Equal(t, []string{"6 ERROR open"}, describeRows(b.rowCells(t, id, "?field=RECEIVER_PINCODE")))
	require.Equal(t, []string{"2 ERROR open", "4 ERROR open", "5 ERROR open"}, describeRows(b.rowCells(t, id, "?code=CELL_NUMBER&open=true")))
	require.Empty(t, describeRows(b.rowCells(t, id, "?code=CELL_NUMBER&field=RECEIVER_PINCODE")))
	require.Equal(t, []string{"4 ERROR open"}, describeRows(b.rowCells(t, id, "?q=eSHA")))

	var seen []string
	for query := "?limit=2"; len(seen) < 100; {
		part := b.rowCells(t, id, query)
		require.LessOrEqual(t, len(part["rows"].([]any)), 2)
		seen = append(seen, describeRows(part)...)
		if part["complete"].(bool) {
			break
		}
		query = "?limit=2&cursor=" + part["cursor"].(string)
	}
	require.Equal(t, describeRows(all), seen)

	for _, wrong := range []string{"?limit=201", "?limit=0", "?outcome=GOOD", "?cursor=x", "?open=maybe", "?page=1"} {
		b.do(t, get("/api/imports/"+id+"/rows"+wrong)).requireProblem(400, problem.ParameterInvalid)
	}
	b.do(t, request{method: "GET", path: "/api/imports/" + id + "/rows", claims: map[string]string{"organisation_id": "2"}}).requireProblem(404, problem.NotFound)
	b.objects.stored = map[string]string{}
	b.do(t, get("/api/imports/"+id+"/rows")).requireProblem(410, problem.SourceGone)
}

// A failed row is corrected and retried successfully.
func TestCorrectAndRetryRow(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.createEndedImport(t, "ORDER", "orders.csv", fiveOrders)
	b.requestRetry(t, id, "corrected").requireProblem(409, problem.StateConflict)

	done := decode[fields](b.patch(t, id, "", fields{"rows": []fields{
		{"row": 5, "cells": fields{"TOTAL_WEIGHT": "12.5"}}, {"row": 6, "cells": fields{"RECEIVER_PINCODE": "none"}},
	}}), http.StatusOK)
	require.InEpsilon(t, 1, done["corrected"], 0)
	good, bad := done["rows"].([]any)[0].(fields), done["rows"].([]any)[1].(fields)
	require.Equal(t, []any{fields{"field": "TOTAL_WEIGHT", "before": "heavy", "after": "12.5", "typed": "12.5", "valid": true, "code": nil, "message": nil}}, good["cells"])
	require.Empty(t, good["remaining"])
	require.Equal(t, "CELL_PATTERN", bad["cells"].([]any)[0].(fields)["code"])
	require.Len(t, bad["remaining"], 1)
	require.Equal(t, true, value(b.rowCells(t, id, "?q=Gita"), "TOTAL_WEIGHT")["corrected"])
	require.Equal(t, false, value(b.rowCells(t, id, "?q=Hari"), "RECEIVER_PINCODE")["corrected"], "an invalid correction is not saved")

	again := b.retry(t, id, "corrected")
	require.Equal(t, id, again["retryOf"])
	require.InEpsilon(t, 1, again["createdCount"], 0)
	require.Equal(t, "COMPLETED", again["status"])
	require.NotNil(t, again["batchId"], "the retry is a batch of its own")
	first := decode[fields](b.do(t, get("/api/imports/"+id)), http.StatusOK)
	require.InEpsilon(t, 3, first["openErrors"], 0)
	require.Equal(t, []any{fields{"identifier": again["identifier"], "ofRows": true, "status": "COMPLETED", "totalRows": 1., "successCount": 1., "errorCount": 0.}}, first["retries"])
	require.Equal(t, []string{"2 ERROR open", "4 ERROR open", "5 ERROR again CREATED", "6 ERROR open"}, describeRows(b.rowCells(t, id, "?outcome=ERROR")))
	require.Equal(t, []string{"5 CREATED"}, describeRows(b.rowCells(t, again["identifier"].(string), "")), "the row keeps its number")

	b.patch(t, id, "", fields{"rows": []fields{{"row": 5, "cells": fields{"TOTAL_WEIGHT": "1"}}}}).requireProblem(409, problem.StateConflict)
	b.patch(t, again["identifier"].(string), "", fields{"rows": []fields{{"row": 5, "cells": fields{"TOTAL_WEIGHT": "1"}}}}).requireProblem(409, problem.StateConflict)
	b.requestRetry(t, again["identifier"].(string), "all-errors").requireProblem(409, problem.StateConflict)
}

// Rows of a plan can be corrected while it waits for approval. A retry writes them once the plan is applied.
func TestCorrectRowOfPlan(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.createEndedImport(t, "ORDER", "orders.csv", fiveOrders)
	change := func(status string) {
		b.Exec(t, `UPDATE import_jobs SET plan = true, undo_until = NULL, status = $2, completed_at = CASE WHEN $2 = 'COMPLETED' THEN now() END WHERE uuid = $1`, id, status)
	}
	correction := fields{"rows": []fields{{"row": 5, "cells": fields{"TOTAL_WEIGHT": "12.5"}}}}
	change("PROCESSING")
	b.patch(t, id, "", correction).requireProblem(409, problem.StillRunning)
	change("AWAITING_APPROVAL")
	require.InEpsilon(t, 1, decode[fields](b.patch(t, id, "", correction), http.StatusOK)["corrected"], 0)
	b.requestRetry(t, id, "corrected").requireProblem(409, problem.StillRunning)
	change("COMPLETED")
	b.Exec(t, `UPDATE import_jobs SET plan = false WHERE uuid = $1`, id)
	require.InEpsilon(t, 1, b.retry(t, id, "corrected")["createdCount"], 0)
}

// The replacement of "," by "." in some rows is previewed first.
func TestReplaceCells(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.createEndedImport(t, "ORDER", "orders.csv", fiveOrders)
	body := fields{"where": fields{"field": "TOTAL_WEIGHT", "code": "CELL_NUMBER"}, "transform": []fields{{"op": "replace", "old": " kg", "new": ""}}}
	preview := decode[fields](b.patch(t, id, "?preview=true", body), http.StatusOK)
	require.InEpsilon(t, 3, preview["matched"], 0)
	require.InEpsilon(t, 2, preview["corrected"], 0)
	require.Equal(t, "2.5", preview["rows"].([]any)[0].(fields)["cells"].([]any)[0].(fields)["after"])
	b.requestRetry(t, id, "corrected").requireProblem(409, problem.StateConflict)
	counts := decode[fields](b.do(t, get("/api/imports/"+id+"/rows/counts")), http.StatusOK)
	require.Equal(t, []any{
		fields{"outcome": "ERROR", "field": "TOTAL_WEIGHT", "code": "CELL_NUMBER", "rows": 3.}, fields{"outcome": "ERROR", "field": "RECEIVER_PINCODE", "code": "CELL_PATTERN", "rows": 1.},
	}, counts["counts"])
	require.InDelta(t, 0, counts["correctedRows"], 0)

	require.InEpsilon(t, 2, decode[fields](b.patch(t, id, "", body), http.StatusOK)["corrected"], 0)
	one := fields{"where": fields{"field": "TOTAL_WEIGHT", "value": "heavy"}, "transform": []fields{{"op": "map", "values": fields{"heavy": "50"}}}}
	require.InEpsilon(t, 1, decode[fields](b.patch(t, id, "", one), http.StatusOK)["corrected"], 0)
	require.Equal(t, http.StatusNoContent, b.do(t, request{method: "DELETE", path: "/api/imports/" + id + "/rows/corrections?row=5&field=TOTAL_WEIGHT"}).Code)
	counts = decode[fields](b.do(t, get("/api/imports/"+id+"/rows/counts")), http.StatusOK)
	require.InEpsilon(t, 2, counts["correctedRows"], 0)
	again := b.retry(t, id, "corrected")
	require.InEpsilon(t, 2, again["createdCount"], 0)
	require.Equal(t, []string{"2 CREATED", "4 CREATED"}, describeRows(b.rowCells(t, again["identifier"].(string), "")))

	for _, wrong := range []fields{
		{}, {"rows": []fields{}}, {"rows": []fields{{"row": 0, "cells": fields{"TOTAL_WEIGHT": "1"}}}}, {"rows": []fields{{"row": 5, "cells": fields{"NOTHING": "1"}}}},
		{"rows": []fields{{"row": 5, "cells": fields{"TOTAL_WEIGHT": []int{1}}}}}, {"where": fields{"field": "TOTAL_WEIGHT"}},
		{"where": fields{"field": "NOTHING"}, "transform": []fields{{"op": "trim"}}}, {"where": fields{"field": "TOTAL_WEIGHT"}, "transform": []fields{{"op": "explode"}}},
		{"where": fields{"field": "TOTAL_WEIGHT"}, "transform": []fields{{"op": "trim"}}, "cursor": "x"},
	} {
		b.patch(t, id, "", wrong).requireProblem(400, problem.ParameterInvalid)
	}
	b.patch(t, id, "", fields{"rows": []fields{{"row": 3, "cells": fields{"TOTAL_WEIGHT": "1"}}}}).requireProblem(409, problem.StateConflict)
	b.patch(t, id, "", fields{"rows": []fields{{"row": 99, "cells": fields{"TOTAL_WEIGHT": "1"}}}}).requireProblem(409, problem.StateConflict)
}

// TestExpensiveCorrectionTakesSlot: steps over long texts need the organisation's slot.
func TestExpensiveCorrectionTakesSlot(t *testing.T) {
	t.Parallel()
	b := setup(t)
	long := strings.Repeat("a", 30_000)
	id := b.createEndedImport(t, "ORDER", "orders.csv", strings.NewReplacer("2.5 kg", long, "0.8 kg", long, "heavy", long).Replace(fiveOrders))
	slot, err := b.DB.AcquireSlot(t.Context(), 1, quota.WorkSlot)
	require.NoError(t, err)
	body := fields{"where": fields{"field": "TOTAL_WEIGHT"}, "transform": []fields{{"op": "extract", "pattern": "(?:a*a*a*a*){10}b", "otherwise": "keep"}}}
	b.patch(t, id, "?preview=true", body).requireProblem(429, problem.TooManyRequests)
	require.NoError(t, b.DB.ReleaseAcquired(t.Context(), 1, slot))
	for range 2 {
		require.Equal(t, http.StatusOK, b.patch(t, id, "?preview=true", body).Code)
	}
}

// A repeated retry request has no effect, and rows with a retry in progress cannot be retried again.
func TestRetryIsIdempotent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.createEndedImport(t, "ORDER", "orders.csv", fiveOrders)
	ask := request{method: "POST", path: "/api/imports/" + id + "/retry", body: `{"rows":"all-errors"}`, contentType: "application/json", headers: map[string]string{"Idempotency-Key": "k"}}
	first := decode[fields](b.do(t, ask), http.StatusAccepted)
	require.Equal(t, first["identifier"], decode[fields](b.do(t, ask), http.StatusOK)["identifier"])
	ask.body = ""
	b.do(t, ask).requireProblem(422, problem.IdempotencyMismatch)
	b.requestRetry(t, id, "all-errors").requireProblem(409, problem.StateConflict)
	b.requestRetry(t, id, "some").requireProblem(400, problem.ParameterInvalid)
	b.runImport(t, first["identifier"].(string))
	require.Equal(t, http.StatusAccepted, b.requestRetry(t, id, "all-errors").Code, "rows that failed again can be retried")
	b.objects.stored = map[string]string{}
	b.requestRetry(t, id, "all-errors").requireProblem(410, problem.SourceGone)
}

// A file with a person who has been erased cannot be used for a retry, even before the purge deletes
// it: the retry would recreate the person.
func TestRetryOfErasedFileIsRejected(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.createEndedImport(t, "ORDER", "orders.csv", fiveOrders)
	require.Equal(t, http.StatusOK, b.do(t, get("/api/imports/"+id+"/rows")).Code)
	b.Exec(t, `UPDATE import_jobs SET files_due = true`)
	b.do(t, get("/api/imports/"+id+"/rows")).requireProblem(410, problem.SourceGone)
	b.requestRetry(t, id, "all-errors").requireProblem(410, problem.SourceGone)
}

// A reference to an entity created later is no longer an error when all failed rows are retried. A
// corrected reference is looked up when it is saved.
func TestRetryFindsNewReference(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body, contentType := form(t, part{"file", "roster.csv", "First name,Last name,Email,Type\nAda,L,a@x.org,Guest\nBob,M,b@x.org,Gast\n"})
	id := decode[fields](b.do(t, request{method: "PUT", path: "/api/memberships/import?periodId=11", body: body, contentType: contentType}), http.StatusAccepted)["identifier"].(string)
	b.runImport(t, id)
	require.Equal(t, []string{"2 ERROR open", "3 ERROR open"}, describeRows(b.rowCells(t, id, "")))
	b.Exec(t, `INSERT INTO membership_types (organisation_id, name) VALUES (1, 'Guest')`)
	done := decode[fields](b.patch(t, id, "", fields{"rows": []fields{
		{"row": 2, "cells": fields{"MEMBERSHIP_TYPE_ID": "Nobody"}}, {"row": 3, "cells": fields{"MEMBERSHIP_TYPE_ID": "Guest"}},
	}}), http.StatusOK)
	require.InEpsilon(t, 1, done["corrected"], 0)
	require.Equal(t, "CELL_UNRESOLVED", done["rows"].([]any)[0].(fields)["cells"].([]any)[0].(fields)["code"])
	again := b.retry(t, id, "all-errors")
	require.InEpsilon(t, 2, again["createdCount"], 0)
}

func TestResultRowsCannotBeRetried(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Exec(t, `INSERT INTO events (id, organisation_id, name, starts_on) VALUES (5, 1, 'Race', '2026-01-01')`)
	body, contentType := form(t, part{"file", "results.csv", "Category,Sequence,Participant id\nA,1,x\n"})
	id := decode[fields](b.do(t, request{method: "PUT", path: "/api/result-sets/import-bulk?eventId=5", body: body, contentType: contentType}), http.StatusAccepted)["identifier"].(string)
	b.finishJob(t, id, "E")
	require.Contains(t, b.requestRetry(t, id, "all-errors").requireProblem(409, problem.StateConflict)["detail"], "all of its rows")
}

// The annotated workbook can be downloaded once it is written.
func TestAnnotatedWorkbook(t *testing.T) {
	t.Parallel()
	b := setup(t)
	f := excelize.NewFile()
	for i, line := range strings.Split(strings.TrimSpace(fiveOrders), "\n") {
		for c, cell := range strings.Split(line, ",") {
			at, err := excelize.CoordinatesToCellName(c+1, i+1)
			require.NoError(t, err)
			require.NoError(t, f.SetCellStr("Sheet1", at, cell))
		}
	}
	workbook, err := f.WriteToBuffer()
	require.NoError(t, err)
	id := b.createEndedImport(t, "ORDER", "orders.xlsx", workbook.String())
	path := "/api/imports/" + id + "/annotated.xlsx"
	b.do(t, get(path)).requireProblem(404, problem.NotFound)
	ask := request{method: "POST", path: "/api/imports/" + id + "/annotated"}
	asked := b.do(t, ask)
	require.Equal(t, "pending", decode[fields](asked, http.StatusAccepted)["status"])
	require.Equal(t, path, asked.Header().Get("Location"))
	require.Equal(t, http.StatusAccepted, b.do(t, ask).Code)
	require.Len(t, b.exports.queued, 1, "a second request does not queue another workbook")
	b.do(t, get(path)).requireProblem(409, problem.StillRunning)

	b.patch(t, id, "", fields{"rows": []fields{{"row": 2, "cells": fields{"TOTAL_WEIGHT": 2.5}}, {"row": 6, "cells": fields{"CLIENT_ID": nil}}}})
	b.retry(t, id, "corrected")
	require.NoError(t, export.New(b.DB, files{b.objects}, catalog.New(), slog.New(slog.DiscardHandler)).Run(t.Context(), b.exports.queued[0]))
	there := b.do(t, get(path))
	require.Equal(t, http.StatusFound, there.Code, there.Body)
	require.Contains(t, there.Header().Get("Location"), "orders-annotated.xlsx")
	marked := b.objects.stored["exports/1/"+string(b.exports.queued[0].ExportID)+".xlsx"]
	g, err := excelize.OpenReader(bytes.NewReader([]byte(marked)))
	require.NoError(t, err)
	comments, err := g.GetComments("Sheet1")
	require.NoError(t, err)
	var cells []string
	for _, c := range comments {
		cells = append(cells, c.Cell)
	}
	require.Equal(t, []string{"K4", "K5", "I6"}, cells, "row 2 is corrected and not annotated")

	csv := b.createEndedImport(t, "ORDER", "orders.csv", fiveOrders)
	require.Contains(t, b.do(t, request{method: "POST", path: "/api/imports/" + csv + "/annotated"}).requireProblem(409, problem.StateConflict)["detail"], "Download the rows with errors")
}
