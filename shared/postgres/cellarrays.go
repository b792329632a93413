package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/pgtext"
)

// cellArrays holds cell mappings as one array per column, so that any number of them needs a
// single statement.
type cellArrays struct {
	ids, rows, firstRows               []int64
	fields, values, entities, words    []string
	statuses                           []string
	confirmed, decided, created, empty []bool
}

func newCellArrays(cells []job.MappedCell) *cellArrays {
	a := &cellArrays{}
	for i := range cells {
		m := &cells[i]
		a.ids, a.rows, a.firstRows = append(a.ids, m.ID), append(a.rows, m.Rows), append(a.firstRows, m.FirstRow)
		a.fields, a.values = append(a.fields, m.TargetField), append(a.values, pgtext.Sanitize(m.Value))
		a.entities, a.words = append(a.entities, m.EntityID), append(a.words, m.TargetValue)
		a.statuses = append(a.statuses, string(m.Status))
		a.confirmed, a.decided = append(a.confirmed, m.Confirmed), append(a.decided, m.Decided)
		a.created, a.empty = append(a.created, m.Create), append(a.empty, m.Empty)
	}
	return a
}

// AddCellMappings adds values that are not stored yet; existing ones are unchanged.
func (db *DB) AddCellMappings(ctx context.Context, tx pgx.Tx, j *job.Job, mappings []job.MappedCell) error {
	if len(mappings) == 0 {
		return nil
	}
	a := newCellArrays(mappings)
	_, err := tx.Exec(ctx, `
		INSERT INTO import_cell_mappings (job_id, organisation_id, target_field, source_value, status, target_entity_id, row_count, first_row, confirmed, create_new, target_value, leave_empty)
		SELECT $1, $2, v.field, v.value, v.status, nullif(v.entity, ''), v.rows, v.first_row, v.confirmed, v.created, nullif(v.word, ''), v.empty
		FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[], $9::boolean[], $10::boolean[], $11::text[], $12::boolean[])
			AS v(field, value, status, entity, rows, first_row, confirmed, created, word, empty)
		ON CONFLICT (job_id, target_field, md5(source_value)) DO NOTHING`,
		j.Key, j.OrganisationID, a.fields, a.values, a.statuses, a.entities, a.rows, a.firstRows, a.confirmed, a.created, a.words, a.empty)
	if err != nil {
		return fmt.Errorf("add %d cell mappings of job %s: %w", len(mappings), j.ID, err)
	}
	return nil
}

// SaveCellDecisions saves the decisions about values of a job's file.
func (db *DB) SaveCellDecisions(ctx context.Context, tx pgx.Tx, key job.Key, mappings []job.MappedCell) error {
	if len(mappings) == 0 {
		return nil
	}
	a := newCellArrays(mappings)
	_, err := tx.Exec(ctx, `
		UPDATE import_cell_mappings AS m
		SET target_entity_id = nullif(v.entity, ''), status = v.status, confirmed = v.confirmed, decided = v.decided, create_new = v.created,
			target_value = nullif(v.word, ''), leave_empty = v.empty
		FROM unnest($2::bigint[], $3::text[], $4::text[], $5::boolean[], $6::boolean[], $7::boolean[], $8::text[], $9::boolean[])
			AS v(id, entity, status, confirmed, decided, created, word, empty)
		WHERE m.job_id = $1 AND m.id = v.id`,
		key, a.ids, a.entities, a.statuses, a.confirmed, a.decided, a.created, a.words, a.empty)
	if err != nil {
		return fmt.Errorf("save decisions of %d cell mappings of job %d: %w", len(mappings), key, err)
	}
	return nil
}

// SaveCreatedEntities stores with values of a job's file which entities have been created
// from them.
func (db *DB) SaveCreatedEntities(ctx context.Context, tx pgx.Tx, j *job.Job, field string, values []string, ids []int64) error {
	_, err := tx.Exec(ctx, `
		UPDATE import_cell_mappings AS m
		SET target_entity_id = v.id::text, create_new = false
		FROM (
			SELECT v.value, v.id, md5(lower(v.value))::uuid AS alike
			FROM unnest($3::text[], $4::int8[]) AS v(value, id)
			OFFSET 0 -- so that what is compared is a value, which an index has
		) AS v
		WHERE m.job_id = $1 AND m.target_field = $2 AND m.alike = v.alike AND m.source_value = v.value AND m.create_new`, j.Key, field, cleanTexts(values), ids)
	if err != nil {
		return fmt.Errorf("save %d entities created by job %d: %w", len(ids), j.Key, err)
	}
	return nil
}
