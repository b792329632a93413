package checker

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Entity is a row of a table written by imports.
type Entity struct {
	Values map[string]*string // by column, in Postgres's text format; nil is NULL
	Source job.ID             // the import that wrote it last; "" if there is none or it has been deleted
}

// EntityKey identifies an entity by its table and its id.
type EntityKey struct{ Table, ID string }

// Snapshot is the content of the tables written by imports.
type Snapshot map[EntityKey]Entity

// Camera takes snapshots. It finds the tables by their change capture triggers, and uses the
// columns that they had when it was created.
type Camera struct {
	tableParts map[string]string // parts of the statement, by table
	columns    map[string][]string
}

// bookkeeping are columns that are not values of an entity.
var bookkeeping = []string{"organisation_id", "source_job", "source_row", "source_cells", "source_before"}

// NewCamera returns a camera for the current tables of the database.
func NewCamera(ctx context.Context, db Database) (*Camera, error) {
	rows, err := db.Query(ctx, `
		SELECT c.relname::text, array_agg(a.attname::text ORDER BY a.attnum)
		FROM pg_class AS c
		JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
		WHERE EXISTS (SELECT FROM pg_trigger AS t JOIN pg_proc AS p ON p.oid = t.tgfoid WHERE t.tgrelid = c.oid AND p.proname = 'capture_changes')
		GROUP BY c.relname
		ORDER BY 1`)
	if err != nil {
		return nil, fmt.Errorf("load captured tables: %w", err)
	}
	c := &Camera{tableParts: make(map[string]string), columns: make(map[string][]string)}
	var table string
	var columns []string
	_, err = pgx.ForEachRow(rows, []any{&table, &columns}, func() error {
		c.tableParts[table] = c.tableSQL(table, columns)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("load captured tables: %w", err)
	}
	return c, nil
}

// ForTables returns a camera for only these tables.
func (c *Camera) ForTables(tables ...string) *Camera {
	some := &Camera{tableParts: make(map[string]string), columns: c.columns}
	for _, name := range tables {
		some.tableParts[name] = c.tableParts[name]
	}
	return some
}

// tableSQL returns the part of the statement that reads a table.
func (c *Camera) tableSQL(table string, columns []string) string {
	var values []string
	source := "NULL"
	for _, name := range columns {
		if name == "source_job" {
			source = "(SELECT j.uuid::text FROM import_jobs AS j WHERE j.id = e.source_job)"
		}
		if !slices.Contains(bookkeeping, name) {
			c.columns[table] = append(c.columns[table], name)
			column := pgx.Identifier{"e", name}.Sanitize()
			values = append(values, fmt.Sprintf("CASE WHEN num_nonnulls(%[1]s) = 1 THEN concat(%[1]s) END", column))
		}
	}
	return fmt.Sprintf("SELECT '%s', e.id::text, coalesce(%s, ''), ARRAY[%s] FROM %s AS e WHERE e.organisation_id = $1",
		table, source, strings.Join(values, ", "), pgx.Identifier{table}.Sanitize())
}

// Take returns a snapshot of the organisation.
func (c *Camera) Take(ctx context.Context, db Database, organisation tenant.ID) (Snapshot, error) {
	rows, err := db.Query(ctx, strings.Join(slices.Sorted(maps.Values(c.tableParts)), "\nUNION ALL\n"), organisation)
	if err != nil {
		return nil, fmt.Errorf("load entities of organisation %d: %w", organisation, err)
	}
	taken := make(Snapshot)
	var key EntityKey
	var source job.ID
	var values []*string
	_, err = pgx.ForEachRow(rows, []any{&key.Table, &key.ID, &source, &values}, func() error {
		e := Entity{Values: make(map[string]*string, len(values)), Source: source}
		for i, name := range c.columns[key.Table] {
			e.Values[name] = values[i]
		}
		taken[key] = e
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("load entities of organisation %d: %w", organisation, err)
	}
	return taken, nil
}
