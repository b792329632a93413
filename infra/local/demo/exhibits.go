package demo

import (
	"net/http"

	"github.com/loadbay/loadbay/events/files"
	"github.com/loadbay/loadbay/infra/local/client"
)

// exhibit is a file of one type, with all that is expected of it.
type exhibit struct {
	importType, name string
	file             []byte

	// The endpoint that takes it, and the one that tells what became of it, to
	// which the id is appended.
	method, path string
	fields       map[string]string // of the form, beside the file
	result       string

	want  client.Summary
	typed string // what result answers with, JSON; only these members are compared

	// The export: how many records of the type there are then, and whether they
	// have what it takes to be imported again.
	resource, format string
	records          int64
	again            bool
}

const importsV1 = "/v1/imports"

// exhibits has a file for every type of the catalogue, in an order in which what
// a file refers to is there.
func exhibits() []exhibit {
	return []exhibit{{
		importType: "USER", name: "users.csv", file: files.Users,
		method: http.MethodPost, path: importsV1, fields: map[string]string{"resource_type": "users"}, result: importsV1 + "/",
		want:     client.Summary{Created: 2, Error: 2},
		typed:    `{"status": "completed_with_errors", "total_records": 4, "successful_records": 2, "error_records": 2}`,
		resource: "users", format: "csv", records: 2, again: true,
	}, {
		importType: "MEMBERSHIP", name: "memberships.xlsx", file: files.Memberships,
		method: http.MethodPut, path: "/api/memberships/import?periodId=1", result: "/api/memberships/import/",
		want:     client.Summary{Created: 8, Error: 6},
		typed:    `{"totalRows": 14, "created": 8, "updated": 0, "skipped": 0, "errors": 6}`,
		resource: "memberships", format: "xlsx", records: 8,
	}, {
		importType: "ARTICLE", name: "articles.ndjson", file: files.Articles,
		method: http.MethodPost, path: importsV1, fields: map[string]string{"resource_type": "articles"}, result: importsV1 + "/",
		want:     client.Summary{Created: 2, Error: 1},
		typed:    `{"status": "completed_with_errors", "total_records": 3, "successful_records": 2, "error_records": 1}`,
		resource: "articles", format: "ndjson", records: 2, again: true,
	}, {
		importType: "COMMENT", name: "comments.csv", file: files.Comments,
		method: http.MethodPost, path: importsV1, fields: map[string]string{"resource_type": "comments"}, result: importsV1 + "/",
		want:     client.Summary{Created: 2, Error: 1},
		typed:    `{"status": "completed_with_errors", "total_records": 3, "successful_records": 2, "error_records": 1}`,
		resource: "comments", format: "csv", records: 2, again: true,
	}, {
		importType: "ORDER", name: "orders.csv", file: files.Orders,
		method: http.MethodPost, path: "/api/orders/bulk-uploads", result: "/api/orders/bulk-uploads/",
		want:     client.Summary{Created: 2, Skipped: 1, Error: 1},
		typed:    `{"status": "COMPLETED", "totalRows": 4, "createdCount": 2, "skippedDuplicateCount": 1, "failedCount": 1}`,
		resource: "orders", format: "ndjson", records: 2,
	}, {
		importType: "EVENT_PARTICIPANT", name: "participants.xlsx", file: files.Participants,
		method: http.MethodPut, path: "/api/event-participants/import?eventId=1", result: "/api/event-participants/import/",
		want: client.Summary{Created: 5, Error: 2},
		typed: `{"created": 5, "errors": 2, "customValuesCreated": [2, 0, 0],
			"categories": [{"name": "Open", "participants": 3}, {"name": "Junior", "participants": 2}]}`,
		resource: "event_participants", format: "xlsx", records: 5,
	}, {
		importType: "RESULT", name: "results.csv", file: files.Results,
		method: http.MethodPut, path: "/api/result-sets/import-bulk?eventId=1&participantIdMode=regid&applyNumberChanges=true&pointsCalculator=sa-school",
		result: "/api/result-sets/import/",
		want:   client.Summary{Created: 4, Error: 2},
		typed: `{"reconciliation": {"fileLines": 9, "successCount": 4, "blankLines": 1, "headerRows": 2, "errorCount": 2},
			"unmatchedCategories": [{"name": "Walkers", "rows": 1}]}`,
		resource: "results", format: "csv", records: 4,
	}}
}
