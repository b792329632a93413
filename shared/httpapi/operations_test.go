package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	googleuuid "github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/httpapi"
	"github.com/loadbay/loadbay/shared/imports/tablegrant"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/operations"
	"github.com/loadbay/loadbay/shared/problem"
)

// fakeCloud is an in-memory fake of the cloud services that operators see.
type fakeCloud struct {
	rows, exports, fetches, webhooks, rowsDead, exportsDead, fetchesDead, webhooksDead, eventsDead fakeQueue

	mu         sync.Mutex
	executions map[job.ID]job.ExecutionStatus // RUNNING by default
	requeued   []string
	raised     int
}

func (c *fakeCloud) Status(_ context.Context, id job.ID) (job.ExecutionStatus, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if status, known := c.executions[id]; known {
		return status, nil
	}
	return job.ExecutionRunning, nil
}

func (c *fakeCloud) Raise(context.Context) error { c.raised++; return nil }

func (c *fakeCloud) SendChunks(_ context.Context, ref job.Ref, chunks []int) error {
	c.requeued = append(c.requeued, fmt.Sprint("rows ", ref.JobID, ref.OrganisationID, chunks))
	return nil
}

func (c *fakeCloud) SendExport(_ context.Context, ref job.ExportRef) error {
	c.requeued = append(c.requeued, fmt.Sprint("export ", ref.ExportID, ref.OrganisationID))
	return nil
}

func (c *fakeCloud) SendFetch(_ context.Context, ref job.Ref) error {
	c.requeued = append(c.requeued, fmt.Sprint("fetch ", ref.JobID, ref.OrganisationID))
	return nil
}

func (c *fakeCloud) queues() operations.Queues {
	return operations.Queues{
		Rows: operations.QueuePair{Work: &c.rows, Dead: &c.rowsDead}, Exports: operations.QueuePair{Work: &c.exports, Dead: &c.exportsDead},
		Fetches: operations.QueuePair{Work: &c.fetches, Dead: &c.fetchesDead}, Webhooks: operations.QueuePair{Work: &c.webhooks, Dead: &c.webhooksDead}, Events: operations.QueuePair{Dead: &c.eventsDead},
	}
}

// operatorDependencies returns the dependencies of the operator API.
func (b *bundle) operatorDependencies(o httpapi.Registry) httpapi.OperatorDependencies {
	return httpapi.OperatorDependencies{Registry: o, Operations: operations.New(operations.Parts{
		Store: b.Operator, Executions: b.cloud, Reconciler: b.cloud, Queues: b.cloud.queues(), Senders: b.cloud, Log: b.log,
	}, operations.Config{StuckAfter: 15 * time.Minute}), Tables: tablegrant.New(b.Operator, b.log), Log: b.log}
}

// fakeQueue is a queue that hides messages from when they are read until they are released.
type fakeQueue struct {
	mu     sync.Mutex
	kept   []operations.Message
	hidden map[string]bool
}

func (q *fakeQueue) add(body string) string {
	q.mu.Lock()
	defer q.mu.Unlock()
	id := googleuuid.NewString()
	q.kept = append(q.kept, operations.Message{ID: id, Receipt: id, Body: body, SentAt: time.Now(), Receives: 10})
	return id
}

func (q *fakeQueue) Depth(context.Context) (operations.Depth, error) {
	return operations.Depth{Waiting: int64(len(q.kept) - len(q.hidden)), InFlight: int64(len(q.hidden))}, nil
}

func (q *fakeQueue) Receive(_ context.Context, most int) (found []operations.Message, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, l := range q.kept {
		if !q.hidden[l.ID] && len(found) < most {
			if q.hidden == nil {
				q.hidden = map[string]bool{}
			}
			q.hidden[l.ID] = true
			found = append(found, l)
		}
	}
	return found, nil
}

func (q *fakeQueue) Release(_ context.Context, l operations.Message) error {
	delete(q.hidden, l.Receipt)
	return nil
}

func (q *fakeQueue) Delete(_ context.Context, l operations.Message) error {
	delete(q.hidden, l.Receipt)
	for i := range q.kept {
		if q.kept[i].ID == l.ID {
			q.kept = append(q.kept[:i:i], q.kept[i+1:]...)
			break
		}
	}
	return nil
}

func (q *fakeQueue) SendRaw(_ context.Context, body string, organisation tenant.ID) error {
	q.add(fmt.Sprint(organisation, " ", body))
	return nil
}

// stuckImport sets the time of the last progress of a stuck import.
const stuckImport = `updated_at = now() - interval '20 minutes'`

// operatorImports returns the imports of a list by id.
func (b *bundle) operatorImports(t *testing.T, query string) map[string]fields {
	t.Helper()
	found := map[string]fields{}
	for _, i := range decode[[]fields](b.do(t, operate("GET", "/api/admin/imports"+query, "")), http.StatusOK) {
		found[i["identifier"].(string)] = i
	}
	return found
}

func TestOperatorListsStuckWork(t *testing.T) {
	t.Parallel()
	b := setup(t)
	add := func(sql string) string { return string(b.AddJob(t, sql).ID) }
	moves := add(`status = 'PROCESSING'`)
	stuck := add(`status = 'PROCESSING', ` + stuckImport)
	waits := add(`status = 'COLUMN_MAPPING', ` + stuckImport)
	overdue := add(`status = 'AWAITING_APPROVAL', plan = true, purpose = 'PLAN', updated_at = now() - interval '91 days'`)
	noFile := add(`status = 'UPLOADED', uploaded_at = NULL, ` + stuckImport)
	orphan := add(`status = 'CELL_MAPPING', ` + stuckImport)
	ended := add(`status = 'FAILED', failure_code = 'FILE_CORRUPT', failure_message = 'Ada Lovelace', completed_at = now(), error_count = 3, total_rows = 3`)
	b.Exec(t, `UPDATE import_jobs SET organisation_id = 2 WHERE uuid::text = '`+orphan+`'`)
	b.cloud.executions = map[job.ID]job.ExecutionStatus{job.ID(orphan): "FAILED", job.ID(noFile): job.ExecutionAbsent}

	all := b.operatorImports(t, "")
	for id, want := range map[string]any{moves: nil, stuck: "NO_PROGRESS", waits: nil, overdue: "OVERDUE", noFile: nil, orphan: "EXECUTION_ENDED", ended: nil} {
		require.Equal(t, want, all[id]["stuck"], all[id])
	}
	require.InDelta(t, 2, all[orphan]["organisationId"], 0)
	require.Nil(t, all[moves]["execution"], "executions of imports with progress are not queried")
	require.Equal(t, "RUNNING", all[stuck]["execution"])
	require.Nil(t, all[stuck]["executionUrl"], "without AWS, there is no link to its console")
	require.NotContains(t, fmt.Sprint(all), "Lovelace", "error messages are not shown, as they may quote the file")

	require.ElementsMatch(t, []string{stuck, overdue}, keysOf(b.operatorImports(t, "?stuck=true")))
	require.ElementsMatch(t, []string{orphan}, keysOf(b.operatorImports(t, "?organisationId=2")))
	require.ElementsMatch(t, []string{ended}, keysOf(b.operatorImports(t, "?active=false")))
	require.ElementsMatch(t, []string{moves, stuck}, keysOf(b.operatorImports(t, "?status=PROCESSING")))
	oldest := decode[[]fields](b.do(t, operate("GET", "/api/admin/imports?sort=updatedAt&size=1", "")), http.StatusOK)
	require.Equal(t, overdue, oldest[0]["identifier"])
	for _, query := range []string{"?sort=id", "?organisationId=x", "?status=OLD", "?stuck=maybe", "?filename=a"} {
		b.do(t, operate("GET", "/api/admin/imports"+query, "")).requireProblem(http.StatusBadRequest, problem.ParameterInvalid)
	}

	o := decode[fields](b.do(t, operate("GET", "/api/admin/overview", "")), http.StatusOK)
	require.InDelta(t, 2, o["stuckImports"], 0)
	require.InDelta(t, 3, o["errorRows"], 0)
	require.InDelta(t, 900, o["stuckAfterSeconds"], 0)
	require.Equal(t, []any{map[string]any{"code": "FILE_CORRUPT", "count": 1.0}}, o["failures"])
	require.Contains(t, fmt.Sprint(o["imports"]), "count:2 oldestAt")
}

// countAudited counts the audit log entries for an operator's action.
func (b *bundle) countAudited(t *testing.T, action string) (n int) {
	t.Helper()
	for _, line := range b.logs.lines(t) {
		if line["action"] == action && line["by"] == "ops" {
			n++
		}
	}
	return n
}

func keysOf(found map[string]fields) (ids []string) {
	for id := range found {
		ids = append(ids, id)
	}
	return ids
}

func TestOperatorRequeuesImport(t *testing.T) {
	t.Parallel()
	b := setup(t)
	j := b.AddJob(t, `status = 'PROCESSING', split_complete = true, chunk_total = 3, chunks_done = 1, `+stuckImport)
	b.Exec(t, fmt.Sprintf(`INSERT INTO import_chunks (job_id, organisation_id, chunk_index, object_key, byte_offset, byte_length, first_row, line_count, row_count, crc32c, done)
		SELECT %d, 1, n, 'k', 0, 1, 1, 1, 1, 0, n = 1 FROM generate_series(0, 2) AS n`, j.Key))
	redrive := func(id job.ID) apiResponse {
		return b.do(t, operate("POST", "/api/admin/imports/"+string(id)+"/redrive", ""))
	}
	require.Equal(t, fields{"chunks": 2.0, "message": false, "reminded": false}, decode[fields](redrive(j.ID), http.StatusAccepted))
	decode[fields](redrive(j.ID), http.StatusAccepted)
	require.Equal(t, []string{fmt.Sprint("rows ", j.ID, 1, []int{0, 2}), fmt.Sprint("rows ", j.ID, 1, []int{0, 2})}, b.cloud.requeued)
	require.Equal(t, 2, b.countAudited(t, "import requeued"))

	waits := b.AddJob(t, `status = 'CELL_MAPPING', `+stuckImport)
	require.Equal(t, true, decode[fields](redrive(waits.ID), http.StatusAccepted)["reminded"])
	require.Equal(t, 1, b.cloud.raised)

	fetched := b.AddJob(t, `status = 'UPLOADED', uploaded_at = NULL, `+stuckImport)
	b.Exec(t, fmt.Sprintf(`INSERT INTO import_sources (job_id, organisation_id, url) VALUES (%d, 1, 'https://example.org/secret')`, fetched.Key))
	require.Equal(t, "NO_PROGRESS", decode[fields](b.do(t, operate("GET", "/api/admin/imports/"+string(fetched.ID), "")), http.StatusOK)["stuck"])
	require.Equal(t, true, decode[fields](redrive(fetched.ID), http.StatusAccepted)["message"])

	done := b.AddJob(t, `status = 'COMPLETED', completed_at = now()`)
	redrive(done.ID).requireProblem(http.StatusConflict, problem.StateConflict)
	redrive(job.ID(googleuuid.NewString())).requireProblem(http.StatusNotFound, problem.NotFound)
	redrive("x").requireProblem(http.StatusNotFound, problem.NotFound)
}

func TestOperatorCancels(t *testing.T) {
	t.Parallel()
	b := setup(t)
	j := b.AddJob(t, `status = 'PROCESSING'`)
	at := func(organisation int, id job.ID) request {
		return operate("DELETE", fmt.Sprintf("%s/%d/imports/%s", organisations, organisation, id), "")
	}
	b.do(t, at(2, j.ID)).requireProblem(http.StatusNotFound, problem.NotFound)
	for range 2 {
		require.Equal(t, fields{"id": string(j.ID), "organisationId": 1.0, "status": "CANCELLED"}, decode[fields](b.do(t, at(1, j.ID)), http.StatusOK))
	}
	require.Equal(t, 1, b.countAudited(t, "import cancelled"))
	done := b.AddJob(t, `status = 'COMPLETED', completed_at = now()`)
	b.do(t, at(1, done.ID)).requireProblem(http.StatusConflict, problem.StateConflict)

	made := decode[fields](b.do(t, request{method: "POST", path: "/api/exports", body: `{"importType":"USER","format":"csv"}`, contentType: "application/json"}), http.StatusAccepted)
	export := made["identifier"].(string)
	stuckNow := func() any {
		return decode[fields](b.do(t, operate("GET", "/api/admin/overview", "")), http.StatusOK)["stuckExports"]
	}
	require.Empty(t, decode[[]fields](b.do(t, operate("GET", "/api/admin/exports?stuck=true", "")), http.StatusOK), "a new export is not stuck")
	require.InDelta(t, 0, stuckNow(), 0)
	// The export has waited for an hour, and was requeued a moment ago.
	b.Exec(t, `UPDATE export_jobs SET created_at = now() - interval '1 hour', requeues = 1`)
	require.InDelta(t, 1, stuckNow(), 0)
	found := decode[[]fields](b.do(t, operate("GET", "/api/admin/exports?stuck=true&status=PENDING", "")), http.StatusOK)
	require.Len(t, found, 1)
	require.Equal(t, "NO_PROGRESS", found[0]["stuck"])
	require.Equal(t, true, decode[fields](b.do(t, operate("POST", "/api/admin/exports/"+export+"/redrive", "")), http.StatusAccepted)["message"])
	require.Equal(t, []string{"export " + export + "1"}, b.cloud.requeued)
	for range 2 {
		decode[fields](b.do(t, operate("DELETE", organisations+"/1/exports/"+export, "")), http.StatusOK)
	}
	b.do(t, operate("POST", "/api/admin/exports/"+export+"/redrive", "")).requireProblem(http.StatusConflict, problem.StateConflict)
	b.do(t, operate("GET", "/api/admin/exports?status=OLD", "")).requireProblem(http.StatusBadRequest, problem.ParameterInvalid)
}

func TestOperatorListsOpenErasures(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Exec(t, `INSERT INTO person_erasures (organisation_id, person_id, traces, place, changes) VALUES (2, 17, '{"values": ["Ada"]}', '{}', 4)`)
	found := decode[[]fields](b.do(t, operate("GET", "/api/admin/erasures", "")), http.StatusOK)
	require.Len(t, found, 1)
	require.InDelta(t, 17, found[0]["personId"], 0)
	require.InDelta(t, 4, found[0]["erasedChanges"], 0)

	// Persons of two organisations may have the same id.
	b.Exec(t, `INSERT INTO person_erasures (organisation_id, person_id, traces, place, began_at) SELECT 1, person_id, traces, place, began_at FROM person_erasures`)
	var listed []any
	next := []string{"", "/api/admin/erasures?size=1"}
	for len(listed) < 3 && next != nil {
		page := b.do(t, operate("GET", next[1], ""))
		listed = append(listed, decode[[]fields](page, http.StatusOK)[0]["organisationId"])
		next = nextLink.FindStringSubmatch(page.Header().Get("Link"))
	}
	require.Equal(t, []any{1.0, 2.0}, listed)
}

func TestRedriveAndDiscardDeadLetters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, event := googleuuid.NewString(), googleuuid.NewString()
	b.cloud.rowsDead.add(`{"jobId":"` + id + `","organisationId":2,"chunk":0}`)
	failed := b.cloud.webhooksDead.add(`{"source":"loadbay","detail":{"eventId":"` + event + `","organisationId":2}}`)
	other := b.cloud.webhooksDead.add(`Ada Lovelace`)
	arrived := b.cloud.eventsDead.add(`{"requestPayload":{"detail":{"object":{"key":"drop/1/USER/-/a.csv"}}}}`)
	list := func(queue string) []fields {
		return decode[[]fields](b.do(t, operate("GET", "/api/admin/queues/"+queue+"/dead-letters", "")), http.StatusOK)
	}
	rows := list("rows")
	require.Equal(t, id, rows[0]["identifier"])
	require.InDelta(t, 0, rows[0]["chunk"], 0)
	require.InDelta(t, 2, rows[0]["organisationId"], 0)
	require.Equal(t, event, list("webhooks")[0]["eventId"])
	require.NotContains(t, fmt.Sprint(list("webhooks")), "Lovelace", "invalid messages are not shown")
	require.Equal(t, "drop/1/USER/-/a.csv", list("events")[0]["objectKey"])
	require.Equal(t, false, list("events")[0]["redrivable"])
	require.Empty(t, list("exports"))

	states := decode[[]fields](b.do(t, operate("GET", "/api/admin/queues", "")), http.StatusOK)
	require.Equal(t, fields{"waiting": 2.0, "inFlight": 0.0, "delayed": 0.0}, states[3]["deadLetters"])
	require.Nil(t, states[4]["work"])

	act := func(queue, id, action string) apiResponse {
		return b.do(t, operate("POST", "/api/admin/queues/"+queue+"/dead-letters/"+id+"/"+action, ""))
	}
	require.Equal(t, http.StatusNoContent, act("webhooks", failed, "redrive").Code)
	require.Len(t, b.cloud.webhooks.kept, 1)
	require.True(t, strings.HasPrefix(b.cloud.webhooks.kept[0].Body, "2 {"), "the message group is the organisation")
	act("webhooks", failed, "redrive").requireProblem(http.StatusNotFound, problem.NotFound)
	act("events", arrived, "redrive").requireProblem(http.StatusConflict, problem.StateConflict)
	require.Equal(t, http.StatusNoContent, act("webhooks", other, "discard").Code)
	require.Empty(t, b.cloud.webhooksDead.kept)
	require.Len(t, b.cloud.webhooks.kept, 1)
	act("webhooks", other, "discard").requireProblem(http.StatusNotFound, problem.NotFound)
	require.Equal(t, 1, b.countAudited(t, "dead letter discarded"))
}

// Callers without the operator scope have no access, regardless of their organisation.
func TestOperationsNeedOperator(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := googleuuid.NewString()
	for _, r := range []request{
		{method: "GET", path: "/api/admin/overview"}, {method: "GET", path: "/api/admin/imports"}, {method: "GET", path: "/api/admin/imports/" + id}, {method: "POST", path: "/api/admin/imports/" + id + "/redrive"},
		{method: "GET", path: "/api/admin/exports"}, {method: "POST", path: "/api/admin/exports/" + id + "/redrive"}, {method: "GET", path: "/api/admin/erasures"},
		{method: "GET", path: "/api/admin/queues"}, {method: "GET", path: "/api/admin/queues/rows/dead-letters"},
		{method: "POST", path: "/api/admin/queues/rows/dead-letters/" + id + "/redrive"}, {method: "POST", path: "/api/admin/queues/rows/dead-letters/" + id + "/discard"},
		{method: "DELETE", path: organisations + "/1/imports/" + id}, {method: "DELETE", path: organisations + "/1/exports/" + id},
	} {
		r.claims = map[string]string{"organisation_id": "1", "scope": "imports:read imports:write imports:approve exports:read exports:write webhooks:read webhooks:write settings:write"}
		b.do(t, r).requireProblem(http.StatusForbidden, problem.ScopeRequired)
	}
}
