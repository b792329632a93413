package demo

import (
	"cmp"
	"maps"
	"net/http"

	"github.com/loadbay/loadbay/events/files"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

// sampleFile is a file of one type, with its expected results.
type sampleFile struct {
	importType, name string
	file             []byte

	// The endpoint for the upload, and the one that returns the outcome, to which the id is appended.
	method, path string
	fields       map[string]string // form fields in addition to the file
	resultPath   string

	want       rawclient.Summary
	wantResult string // expected JSON of the result; members that are not listed are ignored

	// The export: the number of records of the type after the import, a text in the file, and the
	// expected outcome when the file is imported again: at the same endpoint, unless exportPath names
	// one for exports.
	resource, format string
	records          int64
	wantText         string
	wantAgain        rawclient.Summary
	exportPath       string
}

// fromExport returns the sample with its export as the file, to be imported again.
func (s sampleFile) fromExport(file []byte) sampleFile {
	s.name, s.file, s.want, s.path = s.resource+"."+s.format, file, s.wantAgain, cmp.Or(s.exportPath, s.path)
	if s.path == importsV1 { // the other endpoints handle existing records
		s.fields = maps.Clone(s.fields)
		s.fields["mode"] = "upsert"
	}
	return s
}

const importsV1 = "/v1/imports"

// sampleFiles has a file for every type of the catalogue, ordered so that references exist.
func sampleFiles() []sampleFile {
	return []sampleFile{{
		importType: "USER", name: "users.csv", file: files.Users,
		method: http.MethodPost, path: importsV1, fields: map[string]string{"resource_type": "users"}, resultPath: importsV1 + "/",
		want:       rawclient.Summary{Created: 2, Error: 2},
		wantResult: `{"status": "completed_with_errors", "total_records": 4, "successful_records": 2, "error_records": 2}`,
		resource:   "users", format: "csv", records: 2, wantText: `ada@example.org,Ada Lovelace,admin,true`, wantAgain: rawclient.Summary{Unchanged: 2},
	}, {
		importType: "MEMBERSHIP", name: "memberships.xlsx", file: files.Memberships,
		method: http.MethodPut, path: "/api/memberships/import?periodId=1", resultPath: "/api/memberships/import/",
		want:       rawclient.Summary{Created: 8, Error: 6},
		wantResult: `{"totalRows": 14, "created": 8, "updated": 0, "unchanged": 0, "skipped": 0, "errors": 6}`,
		resource:   "memberships", format: "xlsx", records: 8, wantAgain: rawclient.Summary{Skipped: 8},
	}, {
		importType: "ARTICLE", name: "articles.ndjson", file: files.Articles,
		method: http.MethodPost, path: importsV1, fields: map[string]string{"resource_type": "articles"}, resultPath: importsV1 + "/",
		want:       rawclient.Summary{Created: 2, Error: 1},
		wantResult: `{"status": "completed_with_errors", "total_records": 3, "successful_records": 2, "unchanged_records": 0, "skipped_records": 0, "error_records": 1}`,
		resource:   "articles", format: "ndjson", records: 2, wantText: `"body":"=SUM(1) is text here."`, wantAgain: rawclient.Summary{Unchanged: 2},
	}, {
		importType: "COMMENT", name: "comments.csv", file: files.Comments,
		method: http.MethodPost, path: importsV1, fields: map[string]string{"resource_type": "comments"}, resultPath: importsV1 + "/",
		want:       rawclient.Summary{Created: 2, Error: 1},
		wantResult: `{"status": "completed_with_errors", "total_records": 3, "successful_records": 2, "unchanged_records": 0, "skipped_records": 0, "error_records": 1}`,
		resource:   "comments", format: "csv", records: 2, wantText: `'+1,`, wantAgain: rawclient.Summary{Unchanged: 2},
	}, {
		importType: "ORDER", name: "orders.csv", file: files.Orders,
		method: http.MethodPost, path: "/api/orders/bulk-uploads", resultPath: "/api/orders/bulk-uploads/",
		want:       rawclient.Summary{Created: 2, Skipped: 1, Error: 1},
		wantResult: `{"status": "COMPLETED", "totalRows": 4, "createdCount": 2, "skippedDuplicateCount": 1, "failedCount": 1}`,
		resource:   "orders", format: "ndjson", records: 2, wantText: `"total_weight":7.25,`, wantAgain: rawclient.Summary{Skipped: 2},
	}, {
		importType: "EVENT_PARTICIPANT", name: "participants.xlsx", file: files.Participants,
		method: http.MethodPut, path: "/api/event-participants/import?eventId=1", resultPath: "/api/event-participants/import/",
		want: rawclient.Summary{Created: 5, Error: 2},
		wantResult: `{"created": 5, "errors": 2, "customValuesCreated": [2, 0, 0],
			"categories": [{"name": "Open", "participants": 3}, {"name": "Junior", "participants": 2}]}`,
		resource: "event_participants", format: "xlsx", records: 5, wantAgain: rawclient.Summary{Unchanged: 5},
	}, {
		importType: "RESULT", name: "results.csv", file: files.Results,
		method: http.MethodPut, path: "/api/result-sets/import-bulk?eventId=1&participantIdMode=regid&applyNumberChanges=true&pointsCalculator=sa-school",
		resultPath: "/api/result-sets/import/",
		want:       rawclient.Summary{Created: 4, Error: 2},
		wantResult: `{"summary": {"created": 4, "numberChangesApplied": 1}, "numberChanges": [{"from": "102", "to": "152", "kind": "SIMPLE", "applied": true}],
			"reconciliation": {"fileLines": 9, "successCount": 4, "skippedCount": 0, "blankLines": 1, "headerRows": 2, "errorCount": 2},
			"unmatchedCategories": [{"name": "Walkers", "rows": 1}]}`,
		resource: "results", format: "csv", records: 4, wantText: `152,2,01:14:40.500,FINISHED`, wantAgain: rawclient.Summary{Unchanged: 4},
		// An export identifies participants by the id of their entry.
		exportPath: "/api/result-sets/import-bulk?eventId=1&participantIdMode=epid&pointsCalculator=sa-school",
	}, {
		importType: "PERIOD", name: "periods.csv", file: files.Periods,
		method: http.MethodPost, path: importsV1, fields: map[string]string{"resource_type": "periods"}, resultPath: importsV1 + "/",
		want:       rawclient.Summary{Created: 1, Error: 2},
		wantResult: `{"status": "completed_with_errors", "total_records": 3, "successful_records": 1, "error_records": 2}`,
		resource:   "periods", format: "csv", records: 3, wantText: `2028,2028-01-01,2028-12-31`, wantAgain: rawclient.Summary{Unchanged: 3},
	}, {
		importType: "EVENT", name: "events.csv", file: files.Events,
		method: http.MethodPost, path: importsV1, fields: map[string]string{"resource_type": "events"}, resultPath: importsV1 + "/",
		want:       rawclient.Summary{Created: 2, Error: 1},
		wantResult: `{"status": "completed_with_errors", "total_records": 3, "successful_records": 2, "error_records": 1}`,
		resource:   "events", format: "csv", records: 3, wantText: `Harbour Relay,2026-09-05`, wantAgain: rawclient.Summary{Unchanged: 3},
	}, {
		importType: "EVENT_CATEGORY", name: "categories.csv", file: files.Categories,
		method: http.MethodPost, path: importsV1, fields: map[string]string{"resource_type": "event_categories", "context_id": "1"}, resultPath: importsV1 + "/",
		want:       rawclient.Summary{Created: 1, Error: 2},
		wantResult: `{"status": "completed_with_errors", "total_records": 3, "successful_records": 1, "error_records": 2}`,
		resource:   "event_categories", format: "csv", records: 4, wantText: `Elite`, wantAgain: rawclient.Summary{Unchanged: 4},
	}}
}
