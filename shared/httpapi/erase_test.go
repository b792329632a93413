package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/changes/erasure"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// The values of the erased person, and a value of a person who stays.
const (
	erasedFirst, erasedLast   = "Zebedea", "Quillfeather"
	erasedMail, erasedOldMail = "zebedea@quill.example", "old-zq@quill.example"
	erasedNumber, erasedPhone = "ZQ-778899", "+44 555 778899"
	erasedRace                = "ZR-4711"
	remainingName             = "Remaining-Person"
)

// findText returns the places where the organisation's database contains a text: in any column of
// any table, and in decoded change sets.
func (b *bundle) findText(t *testing.T, text string) (places []string) {
	t.Helper()
	for _, table := range strings.Fields(postgrestest.Query[string](t, b.Database, `
		SELECT string_agg(oid::regclass::text, ' ' ORDER BY oid) FROM pg_class WHERE relkind = 'r' AND relnamespace = ANY ('{loadbay,sample}'::regnamespace[])`)) {
		n := postgrestest.Query[int](t, b.Database, `SELECT count(*) FROM `+table+` AS t WHERE strpos(lower(t::text), lower($1)) > 0`, text)
		if n > 0 {
			places = append(places, fmt.Sprintf("%s: %d", table, n))
		}
	}
	tables, err := erasure.TablesOf(catalog.New().Types())
	require.NoError(t, err)
	b.inTx(t, func(tx pgx.Tx) error {
		_, err := b.DB.EachPersonChanges(t.Context(), tx, tables, erasure.Position{Planned: true}, 1000, func(place changeset.PartRef, changes []changeset.Change) error {
			for i := range changes {
				if (changeset.Filter{Text: text}).Matches(&changes[i]) {
					places = append(places, fmt.Sprintf("planned changes of %d", place.Key))
				}
			}
			return nil
		})
		return err
	})
	keys := postgrestest.Query[[]string](t, b.Database, `SELECT coalesce(array_agg(DISTINCT j.uuid::text), '{}') FROM import_changes JOIN import_jobs AS j ON j.id = job_id WHERE j.organisation_id = 1`)
	for _, id := range keys {
		if lines := b.do(t, get("/api/imports/"+id+"/changes.ndjson")); strings.Contains(strings.ToLower(lines.Body.String()), strings.ToLower(text)) {
			places = append(places, "changes of "+id)
		}
	}
	return places
}

// createPersons creates two persons with traces of imports in all kinds of stored data.
func (b *bundle) createPersons(t *testing.T) (person string) {
	t.Helper()
	b.Exec(t, `INSERT INTO membership_periods (id, organisation_id, name, starts_on, ends_on) VALUES (900, 1, 'Now', '2026-01-01', '2026-12-31')`)
	b.Exec(t, `INSERT INTO membership_types (id, organisation_id, name) VALUES (900, 1, 'Storied')`)
	b.Exec(t, `INSERT INTO events (id, organisation_id, name) VALUES (900, 1, 'Race')`)
	b.Exec(t, `INSERT INTO event_categories (id, organisation_id, event_id, name) VALUES (900, 1, 900, 'All')`)
	id := decode[fields](b.announceUsers(t, nil, fields{"importType": "MEMBERSHIP", "contextId": 900}), http.StatusCreated)["identifier"].(string)
	j := b.job(t, 1, id)
	person = postgrestest.Query[string](t, b.Database, `
		INSERT INTO persons (organisation_id, identity_key, first_name, last_name, email, identity_number, phone, source_job, source_row, source_before)
		VALUES (1, 'id:' || lower($5), $1, $2, $3, $5, $6, $4, 7, jsonb_build_object('email', $3::text)) RETURNING id::text`,
		erasedFirst, erasedLast, erasedMail, j.Key, erasedNumber, erasedPhone)
	other := postgrestest.Query[string](t, b.Database, `
		INSERT INTO persons (organisation_id, identity_key, first_name, last_name, source_job, source_row) VALUES (1, 'id:1', 'Ann', $1, $2, 8) RETURNING id::text`, remainingName, j.Key)
	b.Exec(t, `INSERT INTO memberships (organisation_id, person_id, period_id, type_id, membership_number) VALUES (1, $1::text::bigint, 900, 900, 'M-'||$2::text)`, person, erasedNumber)
	b.Exec(t, `INSERT INTO event_participants (id, organisation_id, event_id, person_id, category_id) VALUES (900, 1, 900, $1::text::bigint, 900)`, person)
	b.Exec(t, `INSERT INTO results (organisation_id, event_id, category_id, sequence, participant_id) VALUES (1, 900, 900, 1, 900)`)
	b.inTx(t, func(tx pgx.Tx) error {
		return b.DB.AddChanges(t.Context(), tx, j, 0, []changeset.Change{
			{Row: 3, Table: "memberships", ID: "4711", Op: changeset.Deleted, Columns: []string{"id", "person_id", "membership_number"}, Before: []*string{new("4711"), &person, new("GONE-" + erasedNumber)}},
			{Row: 7, Table: "persons", ID: person, Op: changeset.Updated, Columns: []string{"email"}, Before: []*string{new(erasedOldMail)}, After: []*string{new(erasedMail)}},
			{Row: 8, Table: "persons", ID: other, Op: changeset.Updated, Columns: []string{"last_name"}, Before: []*string{new("Before")}, After: []*string{new(remainingName)}},
		})
	})
	for row, text := range map[int]string{7: erasedOldMail, 20: erasedMail, 21: remainingName} {
		b.Exec(t, `INSERT INTO import_row_results (job_id, row_number, organisation_id, outcome, faults)
			VALUES ($1, $2, 1, 'E', jsonb_build_array(jsonb_build_object('field', 'EMAIL', 'code', 'CELL_EMAIL', 'value', $3::text, 'message', 'It is ' || $3::text)))`, j.Key, row, text)
		b.Exec(t, `INSERT INTO import_row_corrections (job_id, organisation_id, row_number, field, value) VALUES ($1, 1, $2, 'EMAIL', to_jsonb($3::text))`, j.Key, row, text)
		b.Exec(t, `INSERT INTO import_column_mappings (job_id, organisation_id, column_index, source_header, status, samples) VALUES ($1, 1, $2, 'E', 'IGNORED', ARRAY[$3])`, j.Key, row, text)
		b.Exec(t, `INSERT INTO import_cell_mappings (job_id, organisation_id, target_field, source_value, status) VALUES ($1, 1, 'F', $2, 'IGNORED')`, j.Key, text)
	}
	document := fmt.Sprintf(`{"values": [{"field": "GENDER", "value": %q, "to": "OTHER"}, {"field": "GENDER", "value": %q, "to": "OTHER"}]}`, strings.ToUpper(erasedFirst), remainingName)
	b.Exec(t, `INSERT INTO import_given_mappings (job_id, organisation_id, document) VALUES ($1, 1, $2)`, j.Key, document)
	b.Exec(t, `INSERT INTO import_profiles (id, organisation_id, import_type, name, version) VALUES ('00000000-0000-4000-8000-000000000009', 1, 'MEMBERSHIP', 'P', 1)`)
	b.Exec(t, `INSERT INTO import_profile_versions (profile_id, organisation_id, version, name, auto, headers, mapping) VALUES ('00000000-0000-4000-8000-000000000009', 1, 1, 'P', false, '{}', $1)`, document)
	b.addPersonTraces(t, j, person)
	b.Exec(t, `INSERT INTO import_last_rows (job_id, organisation_id, last_rows) VALUES ($1, 1, to_jsonb($2::text))`, j.Key, erasedMail)
	b.Exec(t, `UPDATE import_jobs SET status = 'COMPLETED', completed_at = now(), warnings = ARRAY['FOOTER_LIKELY: ' || $2::text], failure_message = 'Not ' || $2::text WHERE id = $1`, j.Key, erasedPhone)
	return person
}

// addPersonTraces adds values of both persons to the other stored data of imports, and outside of
// imports.
func (b *bundle) addPersonTraces(t *testing.T, j *job.Job, person string) {
	t.Helper()
	const both = `ARRAY['` + erasedLast + `', '` + remainingName + `']`
	b.Exec(t, `UPDATE import_jobs
		SET original_filename = 'Letter of ' || $2::text || '.csv', label = $2, notify = ARRAY[$3, 'office@example.org'],
		    options = jsonb_build_object('delimiter', ';', 'a', jsonb_build_array(jsonb_build_object('b', $2::text))), options_before = to_jsonb(`+both+`),
		    dialect = jsonb_build_object('headerRow', 1, 'sheet', $2::text), result = to_jsonb(`+both+`)
		WHERE id = $1`, j.Key, erasedLast, erasedMail)
	b.Exec(t, `INSERT INTO import_column_mappings (job_id, organisation_id, column_index, source_header, status, locale, constant, transforms, content)
		VALUES ($1, 1, -5, $2, 'IGNORED', to_jsonb(`+both+`), $2, to_jsonb(`+both+`), to_jsonb(`+both+`))`, j.Key, erasedFirst)
	b.Exec(t, `INSERT INTO import_sources (job_id, organisation_id, url) VALUES ($1, 1, 'https://files.example/' || $2)`, j.Key, erasedFirst)
	b.Exec(t, `INSERT INTO webhook_deliveries (event_id, organisation_id, job_id, event_type, body, status, ended_at) VALUES (gen_random_uuid(), 1, $1, 'import.completed', $2, 'DELIVERED', now())`, j.Key, erasedLast)
	b.Exec(t, `INSERT INTO event_mails (event_id, address, job_id, organisation_id) VALUES (gen_random_uuid(), $2, $1, 1), (gen_random_uuid(), 'office@example.org', $1, 1)`, j.Key, erasedMail)
	b.Exec(t, `INSERT INTO export_jobs (uuid, organisation_id, import_type, format, filters, object_key, request_id, status, completed_at, failure_message)
		VALUES (gen_random_uuid(), 1, 'USER', 'csv', jsonb_build_object('q', $1::text), 'exports/1/e', 'test', 'failed', now(), 'No ' || $1::text)`, erasedMail)
	b.Exec(t, `INSERT INTO quarantined_drops (id, organisation_id, object_key, kept_key, size_bytes, code, message, errors) VALUES (gen_random_uuid(), 1, 'drop/1/x', 'quarantine/x', 1, 'X', $1, to_jsonb(`+both+`))`, erasedLast)
	b.Exec(t, `INSERT INTO import_cell_decisions (organisation_id, import_type, target_field, value_key, source_value) VALUES (1, 'MEMBERSHIP', 'F', 'v', $1)`, erasedLast)
	b.Exec(t, `INSERT INTO past_answers (organisation_id, id, import_type, field, text, answers)
		VALUES (1, gen_random_uuid(), 'MEMBERSHIP', 'F', $1, '[{"ignore": true}]'), (1, gen_random_uuid(), 'MEMBERSHIP', 'F', 'a', jsonb_build_array(jsonb_build_object('targetValue', $1::text)))`, erasedLast)
	b.Exec(t, `INSERT INTO import_profiles (id, organisation_id, import_type, name, version, notify) VALUES ('00000000-0000-4000-8000-000000000008', 1, 'MEMBERSHIP', $1, 1, ARRAY[$2])`, "Of "+erasedLast, erasedMail)
	b.Exec(t, `INSERT INTO import_profile_versions (profile_id, organisation_id, version, name, auto, headers, mapping)
		VALUES ('00000000-0000-4000-8000-000000000008', 1, 1, $1, false, `+both+`, jsonb_build_object('fields', jsonb_build_array(jsonb_build_object('field', 'LAST_NAME', 'constant', $1::text))))`, erasedLast)
	b.Exec(t, `INSERT INTO custom_lists (id, organisation_id, event_id, place, name) VALUES (900, 1, 900, 1, 'Team')`)
	b.Exec(t, `INSERT INTO custom_list_values (id, organisation_id, list_id, value) VALUES (900, 1, 900, $1), (901, 1, 900, $2)`, "Team "+erasedFirst, remainingName)
	b.Exec(t, `UPDATE event_participants SET custom1_id = 900, race_number = $1 WHERE id = 900`, erasedRace)
	b.Exec(t, `UPDATE results SET race_number = $1`, erasedRace)
	b.Exec(t, `INSERT INTO kept_changes (organisation_id, job_id, entity_table, entity_id, column_name, given) VALUES (1, $1, 'persons', $2, 'email', $3), (1, $1, 'persons', '999', 'last_name', $4)`, j.Key, person, erasedMail, remainingName)
	b.inTx(t, func(tx pgx.Tx) error {
		return b.DB.AddPlannedChanges(t.Context(), tx, j, 0, []changeset.Change{
			{Row: 7, Table: "persons", ID: person, Op: changeset.Updated, Columns: []string{"phone"}, Before: []*string{nil}, After: []*string{new(erasedPhone)}},
			{Row: 8, Table: "persons", ID: "999", Op: changeset.Updated, Columns: []string{"last_name"}, Before: []*string{nil}, After: []*string{new(remainingName)}},
		})
	})
}

// After an erasure no table and no change set contains data of the person, and the data of others
// is unchanged.
func TestErasureRemovesAllTraces(t *testing.T) {
	t.Parallel()
	b := setup(t)
	person := b.createPersons(t)
	erased := []string{erasedFirst, erasedLast, erasedMail, erasedOldMail, erasedNumber, erasedPhone, erasedRace}
	for _, text := range erased {
		require.NotEmpty(t, b.findText(t, text), text)
	}
	stays := b.findText(t, remainingName)
	target := organisations + "/1/persons/" + url.PathEscape(strings.ToUpper(erasedMail))
	report := decode[fields](b.do(t, operate("DELETE", target, "")), http.StatusOK)
	require.Equal(t, fields{"complete": true, "erasedChanges": 3.0, "openImports": 0.0}, report)
	for _, text := range erased {
		require.Empty(t, b.findText(t, text), text)
	}
	require.Equal(t, stays, b.findText(t, remainingName))
	require.Zero(t, postgrestest.Query[int](t, b.Database, `SELECT count(*) FROM results WHERE participant_id = 900`))
	require.True(t, postgrestest.Query[bool](t, b.Database, `SELECT bool_and(files_due) FROM import_jobs WHERE completed_at IS NOT NULL`))
	for _, line := range b.logs.lines(t) {
		require.NotContains(t, strings.ToLower(fmt.Sprint(line["action"], line["id"])), "zebedea")
	}
	b.do(t, operate("DELETE", organisations+"/1/persons/"+person, "")).requireProblem(404, problem.NotFound)
}

func TestErasureNeedsOperator(t *testing.T) {
	t.Parallel()
	b := setup(t)
	person := b.createPersons(t)
	path := organisations + "/1/persons/"
	b.do(t, request{method: "DELETE", path: path + person}).requireProblem(403, problem.ScopeRequired)
	b.do(t, request{method: "DELETE", path: path + person, anonymous: true}).requireProblem(401, problem.Unauthorized)
	b.do(t, operate("DELETE", organisations+"/2/persons/"+person, "")).requireProblem(404, problem.NotFound)
	b.do(t, operate("DELETE", organisations+"/x/persons/"+person, "")).requireProblem(404, problem.NotFound)
	b.Exec(t, `UPDATE persons SET email = $1`, erasedMail)
	b.do(t, operate("DELETE", path+url.PathEscape(erasedMail), "")).requireProblem(409, problem.StateConflict)
	require.Equal(t, 2, postgrestest.Query[int](t, b.Database, `SELECT count(*) FROM persons`))
}
