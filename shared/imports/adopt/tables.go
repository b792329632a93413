package adopt

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity/pgtable"
)

// Verdict says whether a table can be adopted.
type Verdict struct {
	Schema, Name string
	Comment      string
	Rows         int64  // an estimate; -1 if Postgres has none
	Refusal      string // a sentence that says why not; "" if it can
}

// Search selects tables.
type Search struct {
	Text string // part of schema.table, in any case; "" for all
	// After is the last table of the previous page, or zero; Offset counts tables.
	After         [2]string
	Offset, Limit int64
	// Granted are the only tables that are listed, by schema and name; nil for all.
	Granted [][2]string
}

// selected selects what is neither Loadbay's nor Postgres's, and no partition.
const selected = `
	FROM pg_catalog.pg_class AS c
	JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
	WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
	AND c.relpersistence <> 't'
	AND NOT c.relispartition
	AND n.nspname <> ALL ($1)
	AND NOT starts_with(n.nspname, 'pg_')
	AND strpos(lower(n.nspname || '.' || c.relname), lower($2)) > 0
	AND ($3::text[] IS NULL OR (n.nspname, c.relname) IN (SELECT g.schema, g.name FROM unnest($3::text[], $4::text[]) AS g (schema, name)))`

// Tables returns a page of the database's tables and other relations, by schema and name, with their
// verdicts, and the number of all that are selected.
func Tables(ctx context.Context, tx pgx.Tx, s Search) (page []Verdict, total int64, err error) {
	var schemas, granted []string // nil for all tables
	if s.Granted != nil {
		schemas, granted = make([]string, len(s.Granted)), make([]string, len(s.Granted))
		for i, g := range s.Granted {
			schemas[i], granted[i] = g[0], g[1]
		}
	}
	if err := tx.QueryRow(ctx, "SELECT count(*)"+selected, pgtable.ReservedSchemas(), s.Text, schemas, granted).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count tables: %w", err)
	}
	rows, err := tx.Query(ctx, `SELECT n.nspname, c.relname`+selected+`
		AND (n.nspname, c.relname) > ($5::name, $6::name)
		ORDER BY n.nspname, c.relname
		OFFSET $7
		LIMIT $8`, pgtable.ReservedSchemas(), s.Text, schemas, granted, s.After[0], s.After[1], s.Offset, s.Limit)
	if err != nil {
		return nil, 0, fmt.Errorf("list tables: %w", err)
	}
	names, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (name [2]string, err error) { return name, row.Scan(&name[0], &name[1]) })
	if err != nil {
		return nil, 0, fmt.Errorf("list tables: %w", err)
	}
	for _, name := range names {
		t, err := pgtable.Read(ctx, tx, name[0], name[1])
		if err != nil {
			return nil, 0, err
		}
		page = append(page, Verdict{Schema: t.Schema, Name: t.Name, Comment: t.Comment, Rows: t.Rows, Refusal: refusal(t, identityOf(t))})
	}
	return page, total, nil
}
