package postgres

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changeset"
	"github.com/loadbay/loadbay/shared/job"
)

// PersonTables are those that hold what is known of persons.
func PersonTables() []string {
	return []string{"persons", "memberships", "event_participants", "results"}
}

// PersonTable returns the column by which entities of a table belong to a person, and the
// table that it leads to; "" for others.
func PersonTable(table string) (column, of string) {
	switch table {
	case "memberships", "event_participants":
		return "person_id", "persons"
	case "results":
		return "participant_id", "event_participants"
	}
	return "", ""
}

// IsPersonal reports whether values of a column tell who somebody is.
func IsPersonal(table, column string) bool {
	personal := map[string][]string{
		"persons":            {"first_name", "last_name", "email", "identity_number", "phone", "birth_date"},
		"memberships":        {"membership_number"},
		"event_participants": {"registration_number"},
	}
	return slices.Contains(personal[table], column)
}

// Traces are what is known of a person: entities, the rows of imports that wrote them, and
// values that tell who it is, in lower case.
type Traces struct {
	entities map[[2]string]bool
	rows     map[[2]int64]bool
	values   map[string]bool
}

// Has reports whether the entity is one of them.
func (t *Traces) Has(table, id string) bool { return t.entities[[2]string{table, id}] }

// Add adds an entity.
func (t *Traces) Add(table, id string) { t.entities[[2]string{table, id}] = true }

// AddRow adds a row of an import; 0 is none.
func (t *Traces) AddRow(key job.Key, row int64) {
	if key != 0 && row != 0 {
		t.rows[[2]int64{int64(key), row}] = true
	}
}

// AddValue adds a value; an empty one tells nothing.
func (t *Traces) AddValue(value string) {
	if value != "" {
		t.values[strings.ToLower(value)] = true
	}
}

// Size is how much is known.
func (t *Traces) Size() int { return len(t.entities) + len(t.rows) + len(t.values) }

// ChangesPlace is a part of some job's change set, with how many changes it has.
type ChangesPlace struct {
	Job job.Key
	ChangesAt
	Changes int
}

// PersonsByKey returns the ids of the persons with that id, address or identity number.
func (db *DB) PersonsByKey(ctx context.Context, tx pgx.Tx, key string) ([]int64, error) {
	rows, err := tx.Query(ctx, `
		SELECT id
		FROM persons
		WHERE id::text = $1 OR identity_key = $1 OR lower(email) = lower($1) OR lower(identity_number) = lower($1)
		ORDER BY id
		LIMIT 2`, key)
	if err != nil {
		return nil, fmt.Errorf("find a person: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

// PersonTraces returns what the tables of entities know of a person.
func (db *DB) PersonTraces(ctx context.Context, tx pgx.Tx, id int64) (*Traces, error) {
	rows, err := tx.Query(ctx, `
		SELECT 'persons', id::text, coalesce(source_job, 0), coalesce(source_row, 0),
			ARRAY[first_name, last_name, email, identity_number, phone, birth_date::text]
		FROM persons WHERE id = $1
		UNION ALL
		SELECT 'memberships', id::text, coalesce(source_job, 0), coalesce(source_row, 0), ARRAY[membership_number]
		FROM memberships WHERE person_id = $1
		UNION ALL
		SELECT 'event_participants', id::text, coalesce(source_job, 0), coalesce(source_row, 0), ARRAY[registration_number]
		FROM event_participants WHERE person_id = $1
		UNION ALL
		SELECT 'results', r.id::text, coalesce(r.source_job, 0), coalesce(r.source_row, 0), '{}'
		FROM results AS r
		JOIN event_participants AS p ON p.id = r.participant_id
		WHERE p.person_id = $1`, id)
	if err != nil {
		return nil, fmt.Errorf("traces of a person: %w", err)
	}
	t := &Traces{make(map[[2]string]bool), make(map[[2]int64]bool), make(map[string]bool)}
	var table, entity string
	var key job.Key
	var row int64
	var values []*string
	_, err = pgx.ForEachRow(rows, []any{&table, &entity, &key, &row, &values}, func() error {
		t.Add(table, entity)
		t.AddRow(key, row)
		for _, v := range values {
			if v != nil {
				t.AddValue(strings.TrimSpace(*v))
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("traces of a person: %w", err)
	}
	return t, nil
}

// EachChangesOf hears all parts of the organisation's change sets with changes of those
// tables.
func (db *DB) EachChangesOf(ctx context.Context, tx pgx.Tx, tables []string, f func(ChangesPlace, []changeset.Change) error) error {
	rows, err := tx.Query(ctx, `SELECT job_id, chunk_index, part, data FROM import_changes WHERE tally ?| $1 OR tally = '{}'`, tables)
	if err != nil {
		return fmt.Errorf("changes of %v: %w", tables, err)
	}
	var place ChangesPlace
	var data []byte
	if _, err = pgx.ForEachRow(rows, []any{&place.Job, &place.Chunk, &place.Part, &data}, func() error {
		changes, err := changeset.Decode(data)
		if err != nil {
			return fmt.Errorf("chunk %d of job %d: %w", place.Chunk, place.Job, err)
		}
		place.Changes = len(changes)
		return f(place, changes)
	}); err != nil {
		return fmt.Errorf("changes of %v: %w", tables, err)
	}
	return nil
}

// RewriteChanges replaces a part by what is left of it.
func (db *DB) RewriteChanges(ctx context.Context, tx pgx.Tx, place ChangesPlace, left []changeset.Change) error {
	data, err := changeset.Encode(left)
	if err != nil {
		return fmt.Errorf("changes of job %d: %w", place.Job, err)
	}
	n := changeset.Count(left)
	first, last := changeset.Rows(left)
	_, err = tx.Exec(ctx, `
		UPDATE import_changes
		SET data = $4, created = $5, updated = $6, deleted = $7, first_row = $8, last_row = $9, tally = $10
		WHERE job_id = $1 AND chunk_index = $2 AND part = $3`,
		place.Job, place.Chunk, place.Part, data, n.Created, n.Updated, n.Deleted, first, last, changeset.TallyOf(left))
	if err != nil {
		return fmt.Errorf("changes of job %d: %w", place.Job, err)
	}
	return nil
}

// ErasePerson deletes a person with all that belongs to them.
func (db *DB) ErasePerson(ctx context.Context, tx pgx.Tx, id int64) error {
	batch := &pgx.Batch{}
	batch.Queue(`DELETE FROM results WHERE participant_id IN (SELECT id FROM event_participants WHERE person_id = $1)`, id)
	batch.Queue(`DELETE FROM event_participants WHERE person_id = $1`, id)
	batch.Queue(`DELETE FROM memberships WHERE person_id = $1`, id)
	batch.Queue(`DELETE FROM persons WHERE id = $1`, id)
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("erase a person: %w", err)
	}
	return nil
}
