package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
)

// changingList is a list whose entries are added and removed while it is read. Add adds the entry
// with a number; remove removes an entry by its id, which is the value of the member id.
type changingList struct {
	path, id string
	add      string // SQL with the number as $1
	remove   string // SQL with the id as $1
}

const addJob = `
	INSERT INTO import_jobs (uuid, organisation_id, import_type, mode, original_filename, object_key, size_bytes, sha256, request_id,
		status, completed_at, announced, batch_id, uploader, label)
	SELECT gen_random_uuid(), 1, 'ORDER', 'insert', 'f' || $1::int % 3, 'k', 1, md5($1::int::text) || md5($1::int::text), 'r',
		CASE WHEN $1::int % 4 = 0 THEN 'COMPLETED' ELSE 'COLUMN_MAPPING' END, CASE WHEN $1::int % 4 = 0 THEN now() END, true, 'BU20260101' || to_char($1::int, 'FM0000'), 'ann', 'l' || $1::int % 2`

// changingLists returns the lists by name.
func changingLists() map[string]changingList {
	const removeJob, endJob = `DELETE FROM import_jobs WHERE uuid = $1::uuid`, `UPDATE import_jobs SET status = 'FAILED', completed_at = now() WHERE uuid = $1::uuid`
	jobs := func(path, id, remove string) changingList { return changingList{path, id, addJob, remove} }
	return map[string]changingList{
		"imports":                     jobs("/api/imports?", "identifier", removeJob),
		"imports that wait":           jobs("/api/imports?waiting=true&", "identifier", endJob),
		"imports, oldest first":       jobs("/api/imports?sort=createdAt&", "identifier", removeJob),
		"imports by filename":         jobs("/api/imports?sort=filename&", "identifier", removeJob),
		"imports by label, backwards": jobs("/api/imports?sort=-label&", "identifier", removeJob),
		"imports by status":           jobs("/api/imports?sort=status&", "identifier", removeJob),
		"imports by change":           jobs("/api/imports?sort=updatedAt&", "identifier", removeJob),
		"imports of /v1":              jobs("/v1/imports?status=pending&", "job_id", endJob),
		"batches":                     jobs("/api/orders/bulk-uploads?status=PROCESSING&", "jobIdentifier", endJob),
		"exports": {"/api/exports?", "identifier", `
			INSERT INTO export_jobs (uuid, organisation_id, import_type, format, filters, object_key, request_id)
			SELECT gen_random_uuid(), 1, 'USER', 'csv', '{}', 'k' || $1::int, 'r'`, `DELETE FROM export_jobs WHERE uuid = $1::uuid`},
		"events": {"/api/webhook/events?", "eventId", `
			WITH made AS (
				` + addJob + `
				RETURNING id
			)
			INSERT INTO job_events (job_id, organisation_id, sequence, status, total_rows, created_count, updated_count, skipped_count, error_count, deferred_count, occurred_at)
			SELECT id, 1, 1, 'COMPLETED', 0, 0, 0, 0, 0, 0, '2026-01-01'::timestamptz + $1::int / 3 * interval '1 minute' FROM made`,
			`DELETE FROM job_events WHERE uuid = $1::uuid`},
		"deliveries": {"/api/webhook/deliveries?", "eventId", `
			INSERT INTO webhook_deliveries (event_id, organisation_id, event_type, body, created_at)
			SELECT gen_random_uuid(), 1, 'test', '{}', '2026-01-01'::timestamptz + $1::int / 3 * interval '1 minute'`, `DELETE FROM webhook_deliveries WHERE event_id = $1::uuid`},
		"quarantine": {"/api/drop/quarantine?", "id", `
			INSERT INTO quarantined_drops (id, organisation_id, object_key, kept_key, size_bytes, code, message, errors, quarantined_at)
			SELECT gen_random_uuid(), 1, 'drop/1/x', 'quarantine/x' || $1::int, 1, 'X', 'x', '[]', '2026-01-01'::timestamptz + $1::int / 3 * interval '1 minute'`, `DELETE FROM quarantined_drops WHERE id = $1::uuid`},
		"contexts": {"/api/contexts?type=RESULT&", "id", `
			INSERT INTO events (organisation_id, name, starts_on) SELECT 1, 'Race ' || $1::int, CASE WHEN $1::int % 2 = 0 THEN '2026-01-01'::date + $1::int END`, `DELETE FROM events WHERE id = $1::bigint`},
		"references": {"/api/references/MEMBERSHIP_TYPE_ID?type=MEMBERSHIP&", "id", `
			INSERT INTO membership_types (id, organisation_id, name) OVERRIDING SYSTEM VALUE SELECT 1000 + $1::int, 1, 'Type ' || $1::int * 7 % 101`, `DELETE FROM membership_types WHERE id = $1::bigint`},
		"profiles": {"/api/profiles?", "id", `
			WITH made AS (
				INSERT INTO import_profiles (id, organisation_id, import_type, name, version)
				SELECT gen_random_uuid(), 1, CASE WHEN $1::int % 2 = 0 THEN 'USER' ELSE 'ORDER' END, 'Profile ' || $1::int, 1
				RETURNING *
			)
			INSERT INTO import_profile_versions (profile_id, organisation_id, version, name, auto, headers, mapping) SELECT id, 1, 1, name, false, '{}', '{}' FROM made`,
			`DELETE FROM import_profiles WHERE id = $1::uuid`},
	}
}

// Every entry that exists from the first page to the last is listed once, no matter what is added and
// removed in between, also if that is the last entry of a page.
func TestListsContinueAfterChanges(t *testing.T) {
	t.Parallel()
	for name, l := range changingLists() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			number := 0
			add := func(n int) {
				for range n {
					number++
					b.Exec(t, l.add, number)
				}
			}
			add(13)
			b.walkChangingList(t, l, add)
		})
	}
}

// listIDs returns the ids of a page, and the path of the next one; "" for none.
func (b *bundle) listIDs(t *testing.T, l changingList, path string) (found []string, next string) {
	t.Helper()
	a := b.send(t, get(path))
	for _, entry := range decode[[]fields](a, http.StatusOK) {
		found = append(found, fmt.Sprint(entry[l.id]))
	}
	if link := nextLink.FindStringSubmatch(a.Header().Get("Link")); link != nil {
		next = link[1]
	}
	return found, next
}

// walkChangingList reads a list in pages of two entries. Between two pages it adds an entry, and
// removes those of the page before.
func (b *bundle) walkChangingList(t *testing.T, l changingList, add func(n int)) {
	t.Helper()
	all, _ := b.listIDs(t, l, l.path+"size=200")
	require.GreaterOrEqual(t, len(all), 9)
	seen := make(map[string]int)
	for next, pages := l.path+"size=2", 0; next != ""; pages++ {
		require.Less(t, pages, 50, "the list ends")
		var page []string
		page, next = b.listIDs(t, l, next)
		for _, id := range page {
			seen[id]++
		}
		for _, id := range page[pages%2:] { // also only the last one
			b.Exec(t, l.remove, id)
		}
		if pages < 4 {
			add(1)
		}
	}
	for _, id := range all {
		require.Equal(t, 1, seen[id], "%s of %v", id, all)
	}
	for id, times := range seen {
		require.Equal(t, 1, times, id)
	}
}

// The values without a decision are fewer after each decision.
func TestOpenValuesContinueAfterDecisions(t *testing.T) {
	t.Parallel()
	for _, sort := range []string{"asked", "-rowCount", "field"} {
		t.Run(sort, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			id, _ := b.createCellMappingImport(t)
			b.Exec(t, `
				INSERT INTO import_cell_mappings (job_id, organisation_id, target_field, source_value, status, row_count, first_row)
				SELECT id, 1, 'ID_COUNTRY', 'Country ' || n, 'UNRESOLVED', n % 3 + 1, 2 FROM import_jobs, generate_series(1, 9) AS n`)
			b.walkChangingList(t, changingList{
				path: "/api/imports/" + id + "/cell-mappings?open=true&sort=" + sort + "&", id: "id",
				remove: `UPDATE import_cell_mappings SET status = 'IGNORED', decided = true WHERE id = $1::bigint`,
			}, func(int) {})
		})
	}
}

// The columns of a file stay while they are read, but a combined one can be added and removed.
func TestColumnsContinueAfterLastOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id, _ := b.createCellMappingImport(t)
	b.Exec(t, `
		INSERT INTO import_column_mappings (job_id, organisation_id, column_index, source_header, status)
		SELECT id, 1, 100 + n, 'Column ' || n, 'IGNORED' FROM import_jobs, generate_series(1, 12) AS n`)
	b.walkChangingList(t, changingList{
		path: "/api/imports/" + id + "/column-mappings?", id: "id",
		remove: `DELETE FROM import_column_mappings WHERE id = $1::bigint AND column_index > 100`,
	}, func(int) {})
}

// Chunks end in any order, so that rows before those that were listed get their outcomes later.
func TestResultsContinueWhileRowsAreWritten(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := decode[fields](b.announceUsers(t, nil, nil), http.StatusCreated)["identifier"].(string)
	addChunk := func(index, first int, outcomes string) {
		b.Exec(t, `
			INSERT INTO import_chunks (job_id, organisation_id, chunk_index, object_key, byte_offset, byte_length, first_row, line_count, row_count, crc32c, done, outcomes)
			SELECT id, 1, $1, 'k', 0, 1, $2, length($3), length($3), 0, true, $3::text::bytea FROM import_jobs`, index, first, outcomes)
	}
	addChunk(1, 6, "CCCC")
	path := "/api/imports/" + id + "/results?size=2"
	var rows []any
	for path != "" {
		a := b.send(t, get(path))
		for _, r := range decode[[]fields](a, http.StatusOK) {
			rows = append(rows, r["rowNumber"])
		}
		if len(rows) == 2 {
			addChunk(0, 2, "CCCC")
		}
		if path = ""; nextLink.MatchString(a.Header().Get("Link")) {
			path = nextLink.FindStringSubmatch(a.Header().Get("Link"))[1]
		}
	}
	require.Equal(t, []any{6.0, 7.0, 8.0, 9.0}, rows)
}

func TestForeignCursorIsRejected(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for n := range 3 {
		b.Exec(t, addJob, n+1)
	}
	next := nextLink.FindStringSubmatch(b.send(t, get("/api/imports?sort=label&size=1")).Header().Get("Link"))[1]
	for _, path := range []string{
		strings.Replace(next, "sort=label", "sort=createdAt", 1), strings.Replace(next, "/api/imports", "/api/exports", 1), "/api/imports?cursor=e30", "/api/imports?cursor=-1",
		"/api/imports?cursor=x", "/api/drop/quarantine?cursor=eyJuIjoxLCJrIjpbImEiLCJiIl19",
	} {
		b.send(t, get(path)).requireProblem(400, problem.ParameterInvalid)
	}
	require.Len(t, decode[[]fields](b.send(t, get("/api/imports?cursor=2")), http.StatusOK), 1, "a number of entries, as in links of earlier releases")
}
