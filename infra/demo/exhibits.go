package demo

import (
	"cmp"
	"maps"
	"net/http"

	"github.com/loadbay/loadbay/events/files"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

// exhibit is a file of one type, with all that is expected of it.
type exhibit struct {
	importType, name string
	file             []byte

	// The endpoint that takes it, and the one that returns its outcome, to
	// which the id is appended.
	method, path string
	fields       map[string]string // of the form, in addition to the file
	result       string

	want  rawclient.Summary
	typed string // what result returns, JSON; members that are not here may be anything

	// The export: how many records of the type there are then, some text in the
	// file, and what becomes of the records when the file is imported again: at
	// the same endpoint, unless againPath names the one that takes an export.
	resource, format string
	records          int64
	holds            string
	again            rawclient.Summary
	againPath        string
}

// exported is the exhibit as it was exported, to be imported again.
func (s exhibit) exported(file []byte) exhibit {
	s.name, s.file, s.want, s.path = s.resource+"."+s.format, file, s.again, cmp.Or(s.againPath, s.path)
	if s.path == importsV1 { // the others know what to do with what is there
		s.fields = maps.Clone(s.fields)
		s.fields["mode"] = "upsert"
	}
	return s
}

const importsV1 = "/v1/imports"

// exhibits has a file for every type of the catalogue, in an order in which what
// a file refers to is there.
func exhibits() []exhibit {
	return []exhibit{{
		importType: "USER", name: "users.csv", file: files.Users,
		method: http.MethodPost, path: importsV1, fields: map[string]string{"resource_type": "users"}, result: importsV1 + "/",
		want:     rawclient.Summary{Created: 2, Error: 2},
		typed:    `{"status": "completed_with_errors", "total_records": 4, "successful_records": 2, "error_records": 2}`,
		resource: "users", format: "csv", records: 2, holds: `ada@example.org,Ada Lovelace,admin,true`, again: rawclient.Summary{Unchanged: 2},
	}, {
		importType: "MEMBERSHIP", name: "memberships.xlsx", file: files.Memberships,
		method: http.MethodPut, path: "/api/memberships/import?periodId=1", result: "/api/memberships/import/",
		want:     rawclient.Summary{Created: 8, Error: 6},
		typed:    `{"totalRows": 14, "created": 8, "updated": 0, "unchanged": 0, "skipped": 0, "errors": 6}`,
		resource: "memberships", format: "xlsx", records: 8, again: rawclient.Summary{Skipped: 8},
	}, {
		importType: "ARTICLE", name: "articles.ndjson", file: files.Articles,
		method: http.MethodPost, path: importsV1, fields: map[string]string{"resource_type": "articles"}, result: importsV1 + "/",
		want:     rawclient.Summary{Created: 2, Error: 1},
		typed:    `{"status": "completed_with_errors", "total_records": 3, "successful_records": 2, "unchanged_records": 0, "skipped_records": 0, "error_records": 1}`,
		resource: "articles", format: "ndjson", records: 2, holds: `"body":"=SUM(1) is text here."`, again: rawclient.Summary{Unchanged: 2},
	}, {
		importType: "COMMENT", name: "comments.csv", file: files.Comments,
		method: http.MethodPost, path: importsV1, fields: map[string]string{"resource_type": "comments"}, result: importsV1 + "/",
		want:     rawclient.Summary{Created: 2, Error: 1},
		typed:    `{"status": "completed_with_errors", "total_records": 3, "successful_records": 2, "unchanged_records": 0, "skipped_records": 0, "error_records": 1}`,
		resource: "comments", format: "csv", records: 2, holds: `'+1,`, again: rawclient.Summary{Unchanged: 2},
	}, {
		importType: "ORDER", name: "orders.csv", file: files.Orders,
		method: http.MethodPost, path: "/api/orders/bulk-uploads", result: "/api/orders/bulk-uploads/",
		want:     rawclient.Summary{Created: 2, Skipped: 1, Error: 1},
		typed:    `{"status": "COMPLETED", "totalRows": 4, "createdCount": 2, "skippedDuplicateCount": 1, "failedCount": 1}`,
		resource: "orders", format: "ndjson", records: 2, holds: `"total_weight":7.25,`, again: rawclient.Summary{Skipped: 2},
	}, {
		importType: "EVENT_PARTICIPANT", name: "participants.xlsx", file: files.Participants,
		method: http.MethodPut, path: "/api/event-participants/import?eventId=1", result: "/api/event-participants/import/",
		want: rawclient.Summary{Created: 5, Error: 2},
		typed: `{"created": 5, "errors": 2, "customValuesCreated": [2, 0, 0],
			"categories": [{"name": "Open", "participants": 3}, {"name": "Junior", "participants": 2}]}`,
		resource: "event_participants", format: "xlsx", records: 5, again: rawclient.Summary{Unchanged: 5},
	}, {
		importType: "RESULT", name: "results.csv", file: files.Results,
		method: http.MethodPut, path: "/api/result-sets/import-bulk?eventId=1&participantIdMode=regid&applyNumberChanges=true&pointsCalculator=sa-school",
		result: "/api/result-sets/import/",
		want:   rawclient.Summary{Created: 4, Error: 2},
		typed: `{"summary": {"created": 4, "numberChangesApplied": 1}, "numberChanges": [{"from": "102", "to": "152", "kind": "SIMPLE", "applied": true}],
			"reconciliation": {"fileLines": 9, "successCount": 4, "skippedCount": 0, "blankLines": 1, "headerRows": 2, "errorCount": 2},
			"unmatchedCategories": [{"name": "Walkers", "rows": 1}]}`,
		resource: "results", format: "csv", records: 4, holds: `152,2,01:14:40.500,FINISHED`, again: rawclient.Summary{Updated: 4},
		// An export names who took part by the id of the entry.
		againPath: "/api/result-sets/import-bulk?eventId=1&participantIdMode=epid&pointsCalculator=sa-school",
	}, {
		importType: "PERIOD", name: "periods.csv", file: files.Periods,
		method: http.MethodPost, path: importsV1, fields: map[string]string{"resource_type": "periods"}, result: importsV1 + "/",
		want:     rawclient.Summary{Created: 1, Error: 2},
		typed:    `{"status": "completed_with_errors", "total_records": 3, "successful_records": 1, "error_records": 2}`,
		resource: "periods", format: "csv", records: 3, holds: `2028,2028-01-01,2028-12-31`, again: rawclient.Summary{Unchanged: 3},
	}, {
		importType: "EVENT", name: "events.csv", file: files.Events,
		method: http.MethodPost, path: importsV1, fields: map[string]string{"resource_type": "events"}, result: importsV1 + "/",
		want:     rawclient.Summary{Created: 2, Error: 1},
		typed:    `{"status": "completed_with_errors", "total_records": 3, "successful_records": 2, "error_records": 1}`,
		resource: "events", format: "csv", records: 3, holds: `Harbour Relay,2026-09-05`, again: rawclient.Summary{Unchanged: 3},
	}, {
		importType: "EVENT_CATEGORY", name: "categories.csv", file: files.Categories,
		method: http.MethodPost, path: importsV1, fields: map[string]string{"resource_type": "event_categories", "context_id": "1"}, result: importsV1 + "/",
		want:     rawclient.Summary{Created: 1, Error: 2},
		typed:    `{"status": "completed_with_errors", "total_records": 3, "successful_records": 1, "error_records": 2}`,
		resource: "event_categories", format: "csv", records: 4, holds: `Elite`, again: rawclient.Summary{Unchanged: 4},
	}}
}
