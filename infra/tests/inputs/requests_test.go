package inputs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

func requestCases() []promise {
	return []promise{
		{"forged or missing JWT 401", tokenCases()},
		{"no organisation claim 403 ORG_REQUIRED", map[string]testCase{
			"none":  rejectsMissingOrganisation(""),
			"empty": rejectsMissingOrganisation("organisation="),
			"text":  rejectsMissingOrganisation("organisation=one"),
			"zero":  rejectsMissingOrganisation("organisation=0"),
		}},
		{"foreign id 404", map[string]testCase{"every address of a job": otherOrganisation}},
		{"bad JSON 400", map[string]testCase{
			"half a document":      rejectsJSON(`{"importType":"USER"`),
			"two documents":        rejectsJSON(`{"importType":"USER","filename":"a.csv","sizeBytes":1}{}`),
			"an unknown member":    rejectsJSON(`{"importType":"USER","filename":"a.csv","sizeBytes":1,"colour":"red"}`),
			"another kind":         rejectsJSON(`{"importType":7,"filename":"a.csv","sizeBytes":1}`),
			"a list":               rejectsJSON(`[]`),
			"nothing":              rejectsJSON(``),
			"no JSON":              rejectsJSON(`importType=USER`),
			"as deep as it can be": rejectsJSON(strings.Repeat(`[`, 100_000)),
		}},
		{"key reused with another body 422 IDEMPOTENCY_MISMATCH", map[string]testCase{"another file": rejectsReusedKey}},
		{"`../` in a filename: a label only", map[string]testCase{"upwards": rejectsLabel(`../../etc/passwd`), "backwards": rejectsLabel(`..\..\boot.ini`), "absolute": rejectsLabel(`/uploads/2/x`)}},
		{"NUL/CRLF/over 255 → 400 FILENAME_INVALID", map[string]testCase{
			"NUL": rejectsFilename("a\x00.csv"), "CRLF": rejectsFilename("a\r\nX-Evil: 1.csv"), "over 255": rejectsFilename(strings.Repeat("x", 256)), "blank": rejectsFilename(" "), "none": rejectsFilename(""),
		}},
		{"too large 413", map[string]testCase{
			"announced":       rejectsAnnouncedSize,
			"in a form":       rejectsLargeForm(4<<20 + 1),
			"for a function":  rejectsLargeRequest(5 << 20),
			"for API Gateway": rejectsLargeRequest(11 << 20),
		}},
		{"start without upload 409 UPLOAD_MISSING", map[string]testCase{"start": rejectsStartWithoutUpload}},
		{"unknown or doubled mapping target 422 MAPPING_INVALID", map[string]testCase{
			"unknown":        rejectsMapping(`[{"id":%[1]d,"targetField":"SHOE_SIZE"}]`),
			"doubled":        rejectsMapping(`[{"id":%[1]d,"targetField":"NAME"},{"id":%[2]d,"targetField":"NAME"}]`),
			"a column twice": rejectsMapping(`[{"id":%[1]d,"ignore":true},{"id":%[1]d,"ignore":true}]`),
			"no such column": rejectsMapping(`[{"id":99999999,"targetField":"NAME"}]`),
			"two answers":    rejectsMapping(`[{"id":%[1]d,"targetField":"NAME","ignore":true}]`),
		}},
		{"mapping a terminal job 409", map[string]testCase{"columns and cells": mappingAfterEnd}},
	}
}

func rejectsMissingOrganisation(query string) testCase {
	return func(t *testing.T, w *harness) {
		w.requireRefused(t, request{method: "GET", path: "/api/imports", token: w.tokenFor(t, query)}, 403, "ORG_REQUIRED")
	}
}

// fetchAddresses are all endpoints that return or change a job.
var fetchAddresses = []struct{ method, path, body string }{
	{"GET", "", ""}, {"DELETE", "", ""}, {"GET", "/upload", ""}, {"POST", "/upload/complete?uploadId=x", ""},
	{"GET", "/column-mappings", ""}, {"PUT", "/column-mappings", "[]"}, {"POST", "/column-mappings/confirm", ""},
	{"GET", "/cell-mappings", ""}, {"PUT", "/cell-mappings", "[]"}, {"GET", "/cell-mappings/candidates?targetField=EMAIL", ""}, {"POST", "/cell-mappings/confirm", ""},
	{"POST", "/start", ""}, {"GET", "/results", ""}, {"GET", "/results/summary", ""}, {"GET", "/errors.xlsx", ""},
	{"GET", "/rows", ""}, {"PATCH", "/rows", `{"rows":[{"row":2,"cells":{"EMAIL":"x@example.org"}}]}`}, {"GET", "/rows/counts", ""},
	{"DELETE", "/rows/corrections", ""}, {"POST", "/retry", ""}, {"POST", "/annotated", ""}, {"GET", "/annotated.xlsx", ""},
}

func otherOrganisation(t *testing.T, w *harness) {
	j := w.createImport(t, map[string]string{"importType": "USER"}, "f.csv", []byte("who,name\nx,y\n"))
	w.awaitJob(t, j.Identifier, func(j *rawclient.Job) bool { return j.Status == "COLUMN_MAPPING" })
	token := w.tokenFor(t, "organisation=2")
	for _, id := range []string{j.Identifier, "00000000-0000-4000-8000-000000000000", "1", "not-an-id", "%00"} {
		for _, a := range fetchAddresses {
			r := request{method: a.method, path: "/api/imports/" + id + a.path, token: token, body: strings.NewReader(a.body), contentType: "application/json"}
			w.requireRefused(t, r, 404, "NOT_FOUND")
		}
		w.requireRefused(t, request{method: "GET", path: "/v1/imports/" + id, token: token}, 404, "NOT_FOUND")
		w.requireRefused(t, request{method: "POST", path: "/v1/imports/" + id + "/cancel", token: token}, 404, "NOT_FOUND")
		w.requireRefused(t, request{method: "GET", path: "/v1/exports/" + id, token: token}, 404, "NOT_FOUND")
	}
	var mine []rawclient.Job
	require.NoError(t, rawclient.New("http://"+w.API, token).Get(t.Context(), "/api/imports", &mine))
	require.Empty(t, mine)
	require.Equal(t, "COLUMN_MAPPING", w.awaitJob(t, j.Identifier, func(*rawclient.Job) bool { return true }).Status, "the other organisation's request did not cancel the import")
}

func rejectsJSON(body string) testCase {
	return func(t *testing.T, w *harness) {
		w.requireRefused(t, request{method: "POST", path: "/api/imports", contentType: "application/json", body: strings.NewReader(body)}, 400, "BAD_JSON")
	}
}

// uploadRequest returns the request for a direct upload to the bucket.
func uploadRequest(name string, size int64) string {
	body, err := json.Marshal(rawclient.CreateRequest{ImportType: "USER", Filename: name, SizeBytes: size})
	if err != nil {
		panic(err) // impossible for plain text and a number
	}
	return string(body)
}

func rejectsReusedKey(t *testing.T, w *harness) {
	key := map[string]string{"Idempotency-Key": "inputs-1"}
	post := func(body string) request {
		return request{method: "POST", path: "/api/imports", contentType: "application/json", body: strings.NewReader(body), headers: key}
	}
	first := w.send(t, post(uploadRequest("one.csv", 10)))
	require.Equal(t, 201, first.status, "%s", first.body)
	w.requireRefused(t, post(uploadRequest("other.csv", 10)), 422, "IDEMPOTENCY_MISMATCH")
	again := w.send(t, post(uploadRequest("one.csv", 10)))
	require.Equal(t, 200, again.status)
	var a, b rawclient.Job
	require.NoError(t, json.Unmarshal(first.body, &a))
	require.NoError(t, json.Unmarshal(again.body, &b))
	require.Equal(t, a.Identifier, b.Identifier)
}

func rejectsLabel(name string) testCase {
	return func(t *testing.T, w *harness) {
		for _, j := range []*rawclient.Job{
			w.createImport(t, map[string]string{"importType": "USER"}, name, []byte("email,name\n")),
			w.announceUpload(t, name),
		} {
			require.Equal(t, name, stacktest.Query[string](t, w.Stack, `SELECT original_filename FROM import_jobs WHERE uuid = $1`, j.Identifier))
			key := stacktest.Query[string](t, w.Stack, `SELECT object_key FROM import_jobs WHERE uuid = $1`, j.Identifier)
			require.Equal(t, "uploads/1/"+j.Identifier+"/source", key)
		}
	}
}

// announceUpload creates a job that waits for its file.
func (w *harness) announceUpload(t *testing.T, name string) *rawclient.Job {
	t.Helper()
	a := w.send(t, request{method: "POST", path: "/api/imports", contentType: "application/json", body: strings.NewReader(uploadRequest(name, 10))})
	require.Equal(t, http.StatusCreated, a.status, "%s", a.body)
	var j rawclient.Job
	require.NoError(t, json.Unmarshal(a.body, &j))
	return &j
}

func rejectsFilename(name string) testCase {
	return func(t *testing.T, w *harness) {
		w.requireRefused(t, request{method: "POST", path: "/api/imports", contentType: "application/json", body: strings.NewReader(uploadRequest(name, 10))}, 400, "FILENAME_INVALID")
	}
}

func rejectsAnnouncedSize(t *testing.T, w *harness) {
	w.requireRefused(t, request{method: "POST", path: "/api/imports", contentType: "application/json", body: strings.NewReader(uploadRequest("a.csv", 500<<20+1))}, 413, "FILE_TOO_LARGE")
}

func rejectsLargeForm(size int) testCase {
	return func(t *testing.T, w *harness) {
		body := "--b\r\nContent-Disposition: form-data; name=\"importType\"\r\n\r\nUSER\r\n" +
			"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\r\n" + strings.Repeat("x", size) + "\r\n--b--\r\n"
		w.requireRefused(t, request{method: "POST", path: "/api/imports", contentType: "multipart/form-data; boundary=b", body: strings.NewReader(body)}, 413, "FILE_TOO_LARGE")
	}
}

// rejectsLargeRequest sends more than API Gateway accepts, or passes to a function; the
// response is API Gateway's own.
func rejectsLargeRequest(size int) testCase {
	return func(t *testing.T, w *harness) {
		a := w.send(t, request{method: "POST", path: "/api/imports", contentType: "application/octet-stream", body: bytes.NewReader(make([]byte, size))})
		require.Equal(t, 413, a.status)
		w.requireNoJobOf(t, a)
	}
}

func rejectsStartWithoutUpload(t *testing.T, w *harness) {
	j := w.announceUpload(t, "late.csv")
	w.requireRefused(t, request{method: "POST", path: "/api/imports/" + j.Identifier + "/start"}, 409, "UPLOAD_MISSING")
	require.Equal(t, "UPLOADED", w.awaitJob(t, j.Identifier, func(*rawclient.Job) bool { return true }).Status)
}

// rejectsMapping sends decisions about the two unmatched columns of a file.
func rejectsMapping(format string) testCase {
	return func(t *testing.T, w *harness) {
		j := w.createImport(t, map[string]string{"importType": "USER"}, "m.csv", []byte("qqq,zzz\n1,2\n"))
		w.awaitJob(t, j.Identifier, func(j *rawclient.Job) bool { return j.Status == "COLUMN_MAPPING" })
		path := "/api/imports/" + j.Identifier + "/column-mappings"
		type mapped struct {
			ID          int64
			TargetField *string
			Confirmed   bool
		}
		var before, after []mapped
		require.NoError(t, w.Get(t.Context(), path, &before))
		require.Len(t, before, 2)
		body, _, _ := strings.Cut(fmt.Sprintf(format, before[0].ID, before[1].ID), "%!(EXTRA")
		w.requireRefused(t, request{method: "PUT", path: path, contentType: "application/json", body: strings.NewReader(body)}, 422, "MAPPING_INVALID")
		require.NoError(t, w.Get(t.Context(), path, &after))
		require.Equal(t, before, after, "the rejected decisions are not saved")
	}
}

func mappingAfterEnd(t *testing.T, w *harness) {
	j := w.importToEnd(t, "USER", "done.csv", []byte("email,name\nended@example.org,E\n"))
	require.Equal(t, "COMPLETED", j.Status)
	for _, r := range []request{
		{method: "PUT", path: "/column-mappings", body: strings.NewReader("[]")}, {method: "POST", path: "/column-mappings/confirm"},
		{method: "PUT", path: "/cell-mappings", body: strings.NewReader("[]")}, {method: "POST", path: "/cell-mappings/confirm"},
		{method: "POST", path: "/start"},
	} {
		r.path, r.contentType = "/api/imports/"+j.Identifier+r.path, "application/json"
		w.requireRefused(t, r, 409, "STATE_CONFLICT")
	}
}
