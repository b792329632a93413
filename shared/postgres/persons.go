package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
)

// personTables returns the tables that contain data of persons, and the one with values that
// are created for their cells.
func personTables() []string {
	return []string{"persons", "memberships", "event_participants", "results", "custom_list_values"}
}

// PersonTable returns the column by which entities of a table belong to a person, and the
// table that it references; "" for other tables.
func PersonTable(table string) (column, of string) {
	switch table {
	case "memberships", "event_participants":
		return "person_id", "persons"
	case "results":
		return "participant_id", "event_participants"
	}
	return "", ""
}

// IsPersonalColumn reports whether values of a column identify a person.
func IsPersonalColumn(table, column string) bool {
	personal := map[string][]string{
		"persons":            {"first_name", "last_name", "email", "identity_number", "phone", "birth_date"},
		"memberships":        {"membership_number"},
		"event_participants": {"registration_number", "race_number"},
		"results":            {"race_number"},
	}
	return slices.Contains(personal[table], column)
}

// PersonsByKey returns the ids of the persons with that id, address or identity number, and
// of those being erased who had it.
func (db *DB) PersonsByKey(ctx context.Context, tx pgx.Tx, key string) ([]int64, error) {
	rows, err := tx.Query(ctx, `
		SELECT id
		FROM persons
		WHERE id::text = $1 OR identity_key = $1 OR lower(email) = lower($1) OR lower(identity_number) = lower($1)
		UNION
		SELECT person_id
		FROM person_erasures
		WHERE person_id::text = $1 OR traces -> 'values' ? lower($1)
		ORDER BY id
		LIMIT 2`, key)
	if err != nil {
		return nil, fmt.Errorf("find a person: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

// AddPersonTraces adds the data of a person in the entity tables, and locks the person until
// the transaction ends.
func (db *DB) AddPersonTraces(ctx context.Context, tx pgx.Tx, id int64, t *Traces) error {
	if _, err := tx.Exec(ctx, `SELECT FROM persons WHERE id = $1 FOR UPDATE`, id); err != nil {
		return fmt.Errorf("find person data: %w", err)
	}
	rows, err := tx.Query(ctx, `
		SELECT 'persons', id::text, coalesce(source_job, 0), coalesce(source_row, 0),
			ARRAY[first_name, last_name, email, identity_number, phone, birth_date::text]
		FROM persons WHERE id = $1
		UNION ALL
		SELECT '`+identities+`', identity_key, 0, 0, '{}'
		FROM persons WHERE id = $1
		UNION ALL
		SELECT 'memberships', id::text, coalesce(source_job, 0), coalesce(source_row, 0), ARRAY[membership_number]
		FROM memberships WHERE person_id = $1
		UNION ALL
		SELECT 'event_participants', id::text, coalesce(source_job, 0), coalesce(source_row, 0), ARRAY[registration_number, race_number]
		FROM event_participants WHERE person_id = $1
		UNION ALL
		SELECT 'results', r.id::text, coalesce(r.source_job, 0), coalesce(r.source_row, 0), ARRAY[r.race_number]
		FROM results AS r
		JOIN event_participants AS p ON p.id = r.participant_id
		WHERE p.person_id = $1`, id)
	if err != nil {
		return fmt.Errorf("find person data: %w", err)
	}
	var table, entity string
	var key job.Key
	var row int64
	var values []*string
	_, err = pgx.ForEachRow(rows, []any{&table, &entity, &key, &row, &values}, func() error {
		t.Add(table, entity)
		t.AddRow(key, row)
		for _, v := range values {
			if v != nil {
				t.AddValue(*v)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("find person data: %w", err)
	}
	return nil
}
