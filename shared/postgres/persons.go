package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/entitytable"
	"github.com/loadbay/loadbay/shared/changes/erasure"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
)

// PersonsByKey returns the ids of the persons with that id or a key with that value, such as an
// address, and of those being erased who had it.
func (db *DB) PersonsByKey(ctx context.Context, tx pgx.Tx, of *erasure.Tables, key string) ([]int64, error) {
	var matches strings.Builder
	for _, column := range of.Keys {
		matches.WriteString(` OR lower(` + column + `) = lower($1)`)
	}
	rows, err := tx.Query(ctx, `
		SELECT id
		FROM `+entity.PersonTable+`
		WHERE id::text = $1 OR `+entity.PersonKeyColumn+` = $1`+matches.String()+`
		UNION
		SELECT person_id
		FROM person_erasures
		WHERE person_id::text = $1 OR traces -> 'values' ?| ARRAY[lower($1), $2]
		ORDER BY id
		LIMIT 2`, key, erasure.Normalise(key))
	if err != nil {
		return nil, fmt.Errorf("find a person: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

// AddPersonTraces adds the data of a person in the entity tables, and locks the person until
// the transaction ends.
func (db *DB) AddPersonTraces(ctx context.Context, tx pgx.Tx, of *erasure.Tables, id int64, t *erasure.Traces) error {
	var identity string
	var keys []*string
	rows, err := tx.Query(ctx, `SELECT `+entity.PersonKeyColumn+`, ARRAY[`+strings.Join(of.Keys, `, `)+`]::text[] FROM `+entity.PersonTable+` WHERE id = $1 FOR UPDATE`, id)
	if err == nil {
		_, err = pgx.ForEachRow(rows, []any{&identity, &keys}, func() error {
			t.AddIdentity(identity)
			for _, key := range keys {
				if key != nil && len(of.Declared) > 0 {
					t.AddKey(*key)
				}
			}
			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("find person data: %w", err)
	}
	for i := range of.Owned {
		if err := addTableTraces(ctx, tx, of, &of.Owned[i], id, t); err != nil {
			return fmt.Errorf("find person data in %s: %w", of.Owned[i].Name, err)
		}
	}
	for i := range of.Declared {
		if err := addDeclaredTraces(ctx, tx, &of.Declared[i], t); err != nil {
			return err
		}
	}
	return nil
}

// addTableTraces adds the data of a person in one table.
func addTableTraces(ctx context.Context, tx pgx.Tx, of *erasure.Tables, table *erasure.Table, id int64, t *erasure.Traces) error {
	rows, err := tx.Query(ctx, `
		SELECT id::text, coalesce(source_job, 0), coalesce(source_row, 0), `+valuesOf(table)+`
		FROM `+table.Name+`
		WHERE `+ofPerson(of, table.Name), id)
	if err != nil {
		return err
	}
	var entityID string
	var key job.Key
	var row int64
	var values []*string
	_, err = pgx.ForEachRow(rows, []any{&entityID, &key, &row, &values}, func() error {
		t.Add(table.Name, entityID)
		t.AddRow(key, row)
		for _, v := range values {
			if v != nil {
				t.AddValue(*v)
			}
		}
		return nil
	})
	return err
}

// valuesOf returns the SQL of the personal values of a row, as an array of texts.
func valuesOf(table *erasure.Table) string {
	var texts []string
	arrays := ""
	for _, c := range table.Values {
		name := entitytable.Quote(c.Name)
		if c.Array {
			arrays += ` || ` + name + `::text[]`
			continue
		}
		texts = append(texts, name+`::text`)
	}
	return `ARRAY[` + strings.Join(texts, ", ") + `]::text[]` + arrays
}
