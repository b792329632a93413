package httpapi_test

import (
	"net/http"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

const orders = "clientId,clientReference,receiverPincode\n7,A-1,411001\n7,A-2,\n7,A-1,411001\n"

// uploadOrders uploads a file of orders by POST as the caller.
func (b *bundle) uploadOrders(t *testing.T, caller, file string, headers map[string]string) apiResponse {
	t.Helper()
	body, contentType := form(t, part{"file", "orders.csv", file})
	return b.do(t, request{method: "POST", path: "/api/orders/bulk-uploads", body: body, contentType: contentType,
		headers: headers, claims: map[string]string{"sub": caller}})
}

func TestBatchAccepted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	a := b.uploadOrders(t, "ann", orders, nil)
	doc := decode[fields](a, http.StatusAccepted)
	require.Regexp(t, regexp.MustCompile(`^BU20\d{6}0001$`), doc["batchId"])
	require.Equal(t, "/api/orders/bulk-uploads/"+doc["batchId"].(string), a.Header().Get("Location"))
	require.NotEmpty(t, a.Header().Get("Retry-After"))
	require.Equal(t, "PROCESSING", doc["status"])
	require.Equal(t, "ann", doc["uploader"])
	j := b.job(t, 1, doc["jobIdentifier"].(string))
	require.True(t, j.AutoStart)
	require.Equal(t, "ORDER", j.ImportType)
	require.Equal(t, []job.Ref{{JobID: j.ID, OrganisationID: 1}}, b.workflow.started)
}

// An encoding is accepted under any of its names.
func TestBatchEncodingOption(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body, contentType := form(t, part{"file", "orders.csv", orders})
	upload := func(query string) apiResponse {
		return b.do(t, request{method: "POST", path: "/api/orders/bulk-uploads?" + query, body: body, contentType: contentType})
	}
	p := upload("encoding=klingon").requireProblem(400, problem.OptionInvalid)
	first := p["errors"].([]any)[0].(fields)
	require.Equal(t, "encoding", first["field"])
	require.Contains(t, first["message"], "windows-1250", "the message lists the known encodings")
	upload("codepage=1250").requireProblem(400, problem.ParameterInvalid)
	doc := decode[fields](upload("encoding=cp1250"), http.StatusAccepted)
	require.JSONEq(t, `{"encoding":"cp1250"}`, string(b.job(t, 1, doc["jobIdentifier"].(string)).Options))
}

// A repeated file returns its first batch, for any caller and idempotency key, unless that batch
// failed.
func TestRepeatedFileReturnsFirstBatch(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := decode[fields](b.uploadOrders(t, "ann", orders, nil), http.StatusAccepted)
	again := b.uploadOrders(t, "ben", orders, map[string]string{"Idempotency-Key": "k"})
	require.Equal(t, first["batchId"], decode[fields](again, http.StatusOK)["batchId"])
	require.Equal(t, "/api/orders/bulk-uploads/"+first["batchId"].(string), again.Header().Get("Location"))
	require.Len(t, b.workflow.started, 1)

	other := decode[fields](b.uploadOrders(t, "ben", orders+"\n", nil), http.StatusAccepted)
	require.Regexp(t, `0002$`, other["batchId"])

	b.setStatus(t, first["jobIdentifier"].(string), job.Failed)
	require.Equal(t, "FAILED", decode[fields](b.do(t, get("/api/orders/bulk-uploads/"+first["batchId"].(string))), http.StatusOK)["status"])
	require.Regexp(t, `0003$`, decode[fields](b.uploadOrders(t, "ann", orders, nil), http.StatusAccepted)["batchId"])
}

// An undone batch shows its undo and does not claim its file. A repetition by the idempotency key is still
// answered with it.
func TestUndoneBatchReleasesFile(t *testing.T) {
	t.Parallel()
	key := map[string]string{"Idempotency-Key": "k"}
	for name, end := range map[string]job.Status{"undone": job.Completed, "undo cancelled halfway": job.Cancelled} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			first := decode[fields](b.uploadOrders(t, "ann", orders, key), http.StatusAccepted)
			require.Equal(t, []any{false, nil}, []any{first["undone"], first["undoneBy"]})
			id := first["jobIdentifier"].(string)
			b.processRows(t, id, "CEC")
			b.saveChange(t, id)
			b.setStatus(t, id, job.Completed)
			require.Equal(t, first["batchId"], decode[fields](b.uploadOrders(t, "ann", orders, nil), http.StatusOK)["batchId"])

			decode[fields](b.undo(t, id, "?preview=true", ""), http.StatusAccepted)
			by := decode[fields](b.undo(t, id, "", ""), http.StatusAccepted)["identifier"].(string)
			b.uploadOrders(t, "ann", orders, nil).requireProblem(409, problem.UndoRunning)
			b.setStatus(t, by, job.Processing)
			b.Exec(t, `UPDATE import_jobs SET updated_count = 1 WHERE uuid = $1`, by)
			b.setStatus(t, by, end)

			undone := []any{true, fields{"identifier": by, "whole": end == job.Completed}}
			again := decode[fields](b.uploadOrders(t, "ann", orders, key), http.StatusOK)
			require.Equal(t, first["batchId"], again["batchId"])
			require.Equal(t, undone, []any{again["undone"], again["undoneBy"]})
			v1 := decode[fields](b.do(t, get("/v1/imports/"+id)), http.StatusOK)
			require.Equal(t, undone, []any{v1["undone"], v1["undone_by"]})
			whole := decode[fields](b.do(t, get("/api/imports/"+id)), http.StatusOK)
			require.Equal(t, undone, []any{whole["undone"], whole["undoneBy"]})
			require.Len(t, b.workflow.started, 3, "the upload, the preview and the undo")

			second := decode[fields](b.uploadOrders(t, "ann", orders, nil), http.StatusAccepted)
			require.NotEqual(t, first["batchId"], second["batchId"])
			require.Equal(t, second["batchId"], decode[fields](b.uploadOrders(t, "ben", orders, nil), http.StatusOK)["batchId"])
		})
	}
}

// A batch of which nothing was written does not claim its file, so that the file can be uploaded with
// the option that its errors name.
func TestBatchWithoutOrdersReleasesFile(t *testing.T) {
	t.Parallel()
	for name, upload := range map[string]struct {
		query string
		parts []part
	}{
		"query":   {"?decimalMark=,", nil},
		"field":   {"", []part{{"decimalMark", "", ","}}},
		"options": {"", []part{{"options", "", `{"decimalMark":","}`}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			first := decode[fields](b.uploadOrders(t, "ann", orders, nil), http.StatusAccepted)
			b.processRows(t, first["jobIdentifier"].(string), "EES")
			require.Equal(t, first["batchId"], decode[fields](b.uploadOrders(t, "ann", orders, nil), http.StatusOK)["batchId"], "it may still write")
			b.setStatus(t, first["jobIdentifier"].(string), job.Completed)

			body, contentType := form(t, append(upload.parts, part{"file", "orders.csv", orders})...)
			second := decode[fields](b.do(t, request{method: "POST", path: "/api/orders/bulk-uploads" + upload.query, body: body, contentType: contentType}), http.StatusAccepted)
			require.NotEqual(t, first["batchId"], second["batchId"])
			require.JSONEq(t, `{"decimalMark":","}`, string(b.job(t, 1, second["jobIdentifier"].(string)).Options))
		})
	}
}

func TestUploadOptionIsSetOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for query, parts := range map[string][]part{
		"?decimalMark=,": {{"decimalMark", "", "."}},
		"":               {{"decimalMark", "", "."}, {"options", "", `{"decimalMark":","}`}},
		"?sheetIndex=1":  {{"options", "", `[1]`}},
	} {
		for path, method := range map[string]string{"/api/orders/bulk-uploads": "POST", "/api/memberships/import": "PUT"} {
			body, contentType := form(t, append(parts, part{"file", "orders.csv", orders})...)
			b.do(t, request{method: method, path: path + query, body: body, contentType: contentType}).requireProblem(400, problem.ParameterInvalid)
		}
	}
	body, contentType := form(t, part{"options", "", `{"decimalMerk":","}`}, part{"file", "orders.csv", orders})
	b.do(t, request{method: "POST", path: "/api/orders/bulk-uploads", body: body, contentType: contentType}).requireProblem(400, problem.OptionInvalid)
}

func TestInvalidBatchUploads(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.uploadOrders(t, "ann", "", nil).requireProblem(400, problem.FileEmpty)
	b.do(t, request{method: "POST", path: "/api/orders/bulk-uploads", body: orders, contentType: "text/csv"}).requireProblem(415, problem.MediaTypeInvalid)
	body, contentType := form(t, part{"file", "orders.csv", orders}, part{name: "mode", content: "upsert"})
	b.do(t, request{method: "POST", path: "/api/orders/bulk-uploads", body: body, contentType: contentType}).requireProblem(400, problem.ParameterInvalid)
}

func TestBatchUploaderFilter(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var ids []any
	for _, upload := range []struct{ caller, more string }{{"ann", "\n"}, {"ben", "\n\n"}, {"ann", "\n\n\n"}} {
		ids = append(ids, decode[fields](b.uploadOrders(t, upload.caller, orders+upload.more, nil), http.StatusAccepted)["batchId"])
	}
	list := func(query string) (found []any, total string) {
		a := b.do(t, get("/api/orders/bulk-uploads"+query))
		for _, doc := range decode[[]fields](a, http.StatusOK) {
			found = append(found, doc["batchId"])
		}
		return found, a.Header().Get("X-Total-Count")
	}
	all, total := list("")
	require.Equal(t, []any{ids[2], ids[1], ids[0]}, all)
	require.Equal(t, "3", total)
	anns, total := list("?uploader=ann&size=1&page=1")
	require.Equal(t, []any{ids[0]}, anns)
	require.Equal(t, "2", total)
	b.do(t, get("/api/orders/bulk-uploads?uploder=ann")).requireProblem(400, problem.ParameterInvalid)
	stranger := get("/api/orders/bulk-uploads/" + ids[0].(string))
	stranger.claims = map[string]string{"organisation_id": "2"}
	b.do(t, stranger).requireProblem(404, problem.NotFound)
	b.do(t, get("/api/orders/bulk-uploads/BU1/rows")).requireProblem(404, problem.NotFound)
}

func TestBatchRows(t *testing.T) {
	t.Parallel()
	b := setup(t)
	doc := decode[fields](b.uploadOrders(t, "ann", orders, nil), http.StatusAccepted)
	id := doc["jobIdentifier"].(string)
	b.Exec(t, `UPDATE import_jobs SET dialect = '{"headerRow": 1}'`)
	b.processRows(t, id, "CES", job.RowResult{Row: 3, Outcome: rowwrite.Errored, Errors: []rowwrite.Error{
		{Code: "CELL_REQUIRED", Field: "RECEIVER_PINCODE", Message: "A value is required here."},
		{Code: "CELL_TOO_LARGE", Field: "DECLARED_VALUE", Value: "150000", Message: "Too large."},
		{Code: "CELL_ENUM", Field: "SERVICE_TYPE", Value: "overnight", Message: "One of three."},
	}}, job.RowResult{Row: 4, Outcome: rowwrite.Skipped, Errors: []rowwrite.Error{{Code: problem.RowDuplicate, Message: "Row 2 of this file is the same order, with another value of: Item count."}}})
	b.Exec(t, `INSERT INTO orders (organisation_id, idempotency_key, client_id, sender_name, sender_address, sender_contact,
			receiver_name, receiver_address, receiver_city, receiver_pincode, item_count, total_weight, service_type)
		VALUES (1, '7:A-1', 7, 's', 's', 's', 'r', 'r', 'r', '411001', 1, 1, 'EXPRESS')`)
	orderID := postgrestest.Query[string](t, b.Database, `SELECT order_id FROM orders`)
	b.Exec(t, `INSERT INTO bulk_upload_row SELECT j.id, 1, 2, 'CREATED', '7:A-1', 'CLIENT_REFERENCE', o.id FROM import_jobs AS j, orders AS o`)
	b.Exec(t, `INSERT INTO bulk_upload_row SELECT j.id, 1, 4, 'SKIPPED_DUPLICATE', '7:A-1', 'CLIENT_REFERENCE', NULL FROM import_jobs AS j`)
	b.setStatus(t, id, job.Completed)

	path := "/api/orders/bulk-uploads/" + doc["batchId"].(string)
	batch := decode[fields](b.do(t, get(path)), http.StatusOK)
	require.Equal(t, []any{"COMPLETED", 3.0, 1.0, 1.0, 1.0},
		[]any{batch["status"], batch["totalRows"], batch["createdCount"], batch["failedCount"], batch["skippedDuplicateCount"]})
	require.NotNil(t, batch["processingDurationMs"])

	rows := b.do(t, get(path+"/rows"))
	require.Equal(t, "3", rows.Header().Get("X-Total-Count"))
	require.Equal(t, []fields{
		{"rowIndex": 1.0, "rowNumber": 2.0, "status": "CREATED", "idempotencyKey": "7:A-1", "idempotencyBasis": "CLIENT_REFERENCE",
			"orderId": orderID, "duplicateOf": nil, "errorMessages": []any{}, "message": nil},
		{"rowIndex": 2.0, "rowNumber": 3.0, "status": "FAILED_VALIDATION", "idempotencyKey": nil, "idempotencyBasis": nil,
			"orderId": nil, "duplicateOf": nil, "errorMessages": []any{
				fields{"code": "MISSING_RECEIVER_PINCODE", "field": "receiverPincode", "message": "Receiver pincode is missing."},
				fields{"code": "DECLARED_VALUE_EXCEEDS_LIMIT", "field": "declaredValue", "message": "Declared value 150000 is above the limit of 100000."},
				fields{"code": "INVALID_SERVICE_TYPE", "field": "serviceType", "message": "One of three."},
			}, "message": nil},
		{"rowIndex": 3.0, "rowNumber": 4.0, "status": "SKIPPED_DUPLICATE", "idempotencyKey": "7:A-1", "idempotencyBasis": "CLIENT_REFERENCE",
			"orderId": nil, "duplicateOf": orderID, "errorMessages": []any{}, "message": "Row 2 of this file is the same order, with another value of: Item count."},
	}, decode[[]fields](rows, http.StatusOK))
	failed := b.do(t, get(path+"/rows?status=FAILED_VALIDATION"))
	require.Equal(t, "1", failed.Header().Get("X-Total-Count"))
	require.Len(t, decode[[]fields](failed, http.StatusOK), 1)
	b.do(t, get(path+"/rows?status=ERROR")).requireProblem(400, problem.ParameterInvalid)
}

// A batch with a plan is PROCESSING while it waits for approval, reports what it waits for, and
// contains no order ids until the orders exist. The organisation's guards apply.
func TestBatchPlan(t *testing.T) {
	t.Parallel()
	b := setup(t)
	upload := func(more ...part) fields {
		body, contentType := form(t, append([]part{{"file", "orders.csv", fiveOrders}}, more...)...)
		return decode[fields](b.do(t, request{method: "POST", path: "/api/orders/bulk-uploads", body: body, contentType: contentType}), http.StatusAccepted)
	}
	doc := upload(part{"plan", "", "true"}, part{"approval", "", "other"})
	id, path := doc["jobIdentifier"].(string), "/api/orders/bulk-uploads/"+doc["batchId"].(string)
	require.Equal(t, []any{"PROCESSING", nil}, []any{doc["status"], doc["waitingFor"]})
	require.True(t, b.job(t, 1, id).Plan.Requested)
	require.Equal(t, job.ApprovalOther, b.job(t, 1, id).Plan.Approval)
	b.processRows(t, id, "CSE", job.RowResult{Row: 3, Outcome: rowwrite.Skipped, Errors: []rowwrite.Error{{Code: "ROW_DUPLICATE", Message: "Row 2 of this file is the same order."}}},
		job.RowResult{Row: 4, Outcome: rowwrite.Errored, Errors: []rowwrite.Error{{Code: "ROW_UNDELIVERED", Message: "The row could not be written."}}})
	b.Exec(t, `INSERT INTO bulk_upload_row SELECT id, 1, 2, 'CREATED', '7:PO-1', 'CLIENT_REFERENCE', 70 FROM import_jobs`)
	b.Exec(t, `INSERT INTO bulk_upload_row SELECT id, 1, 3, 'SKIPPED_DUPLICATE', '7:PO-1', 'CLIENT_REFERENCE', NULL FROM import_jobs`)
	b.Exec(t, `INSERT INTO bulk_upload_row SELECT id, 1, 4, 'CREATED', '7:PO-3', 'CLIENT_REFERENCE', 71 FROM import_jobs`)
	b.setStatus(t, id, job.AwaitingApproval)
	doc = decode[fields](b.do(t, get(path)), http.StatusOK)
	require.Equal(t, []any{"PROCESSING", "APPROVAL", 1.0, nil}, []any{doc["status"], doc["waitingFor"], doc["createdCount"], doc["failure"]})
	named := func() (all []any) {
		for _, r := range decode[[]fields](b.do(t, get(path+"/rows")), http.StatusOK) {
			all = append(all, r["status"], r["idempotencyKey"], r["orderId"], r["duplicateOf"])
		}
		return all
	}
	require.Equal(t, []any{"CREATED", "7:PO-1", nil, nil, "SKIPPED_DUPLICATE", "7:PO-1", nil, nil, "FAILED_VALIDATION", nil, nil, nil}, named())
	b.Exec(t, `INSERT INTO orders (id, organisation_id, idempotency_key, client_id, sender_name, sender_address, sender_contact,
			receiver_name, receiver_address, receiver_city, receiver_pincode, item_count, total_weight, service_type)
		OVERRIDING SYSTEM VALUE VALUES (70, 1, '7:PO-1', 7, 's', 's', 's', 'r', 'r', 'r', '411001', 1, 1, 'EXPRESS')`)
	require.Equal(t, []any{"CREATED", "7:PO-1", "ORD000070", nil, "SKIPPED_DUPLICATE", "7:PO-1", nil, "ORD000070", "FAILED_VALIDATION", nil, nil, nil}, named())
	require.Less(t, b.do(t, request{method: "DELETE", path: "/api/imports/" + id}).Code, 300)
	doc = decode[fields](b.do(t, get(path)), http.StatusOK)
	require.Equal(t, []any{"FAILED", nil}, []any{doc["status"], doc["waitingFor"]})
	require.Contains(t, doc["failure"].(fields)["message"], "No orders were created")

	b.setSettings(t, `{"guards":{"created":"2"}}`)
	require.Equal(t, job.ErrorLimit("2"), b.job(t, 1, upload()["jobIdentifier"].(string)).Plan.Guards.Created)
}
