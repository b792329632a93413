package pgtable

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Stamp returns a short text that differs after everything that can change the table's Fingerprint,
// and is much cheaper: it is made of the transaction ids of the catalogue's rows and reads none of
// their content. It may also differ without such a change, as after GRANT or ALTER TABLE … SET
// STATISTICS, so compare the tables then.
//
// The table is locked against changes of its columns, constraints and policies until the transaction
// ends; the caller limits the wait for that by lock_timeout. Triggers and indexes can still be created
// until the transaction writes the table, so take a second stamp after writing.
//
// The transaction cannot continue after an error.
//
// Stamps of different tables, or from before and after a restore of the database, are not comparable.
// A stamp does not change with the names of schemas, roles and collations.
func Stamp(ctx context.Context, tx pgx.Tx, schema, name string) (stamp string, err error) {
	table := pgx.Identifier{schema, name}.Sanitize()
	batch := &pgx.Batch{}
	batch.Queue("SELECT FROM ONLY " + table + " LIMIT 0")
	batch.Queue(stampQuery, table).QueryRow(func(row pgx.Row) error { return row.Scan(&stamp) })
	err = tx.SendBatch(ctx, batch).Close()
	var pg *pgconn.PgError
	switch {
	case errors.As(err, &pg) && (pg.Code == undefinedTable || pg.Code == undefinedSchema):
		return "", fmt.Errorf("%s.%s: %w", schema, name, ErrNoTable)
	case errors.As(err, &pg) && pg.Code == missingPrivilege:
		return "", fmt.Errorf("%s.%s: %w", schema, name, ErrNoPrivilege)
	case err != nil:
		return "", fmt.Errorf("compare catalogue of %s.%s: %w", schema, name, err)
	}
	return stamp, nil
}

// ErrNoPrivilege reports that the role may not read any column of the table.
var ErrNoPrivilege = errors.New("no privilege to read the table")

// Codes of Postgres.
const (
	undefinedTable   = "42P01"
	undefinedSchema  = "3F000"
	missingPrivilege = "42501"
)

// stampQuery reads the rows of the catalogue that the Fingerprint depends on. Types of Postgres itself,
// with ids below 16384, never change.
const stampQuery = `
	WITH RECURSIVE types AS (
		SELECT a.atttypid AS oid
		FROM pg_catalog.pg_attribute AS a
		WHERE a.attrelid = pg_catalog.to_regclass($1)
		AND a.attnum > 0
		AND a.atttypid >= 16384
		UNION
		SELECT other.oid
		FROM types
		JOIN pg_catalog.pg_type AS t ON t.oid = types.oid
		LEFT JOIN pg_catalog.pg_range AS r ON t.oid IN (r.rngtypid, r.rngmultitypid)
		CROSS JOIN LATERAL (VALUES (t.typbasetype), (t.typelem), (r.rngsubtype)) AS other(oid)
		WHERE other.oid >= 16384
	)
	SELECT pg_catalog.md5(pg_catalog.concat_ws(' ', c.oid, c.xmin,
		EXISTS (SELECT FROM pg_catalog.pg_inherits WHERE inhparent = c.oid),
		(SELECT pg_catalog.string_agg(a.attnum || ':' || a.xmin, ',' ORDER BY a.attnum) FROM pg_catalog.pg_attribute AS a WHERE a.attrelid = c.oid AND a.attnum > 0),
		'k', (
			SELECT pg_catalog.string_agg(pg_catalog.concat_ws(':', k.oid, k.xmin, f.relname, f.relnamespace), ',' ORDER BY k.oid)
			FROM pg_catalog.pg_constraint AS k
			LEFT JOIN pg_catalog.pg_class AS f ON f.oid = k.confrelid
			WHERE k.conrelid = c.oid
		),
		'i', (
			SELECT pg_catalog.string_agg(pg_catalog.concat_ws(':', n.indexrelid, n.xmin, i.relname), ',' ORDER BY n.indexrelid)
			FROM pg_catalog.pg_index AS n
			JOIN pg_catalog.pg_class AS i ON i.oid = n.indexrelid
			WHERE n.indrelid = c.oid
		),
		'g', (
			SELECT pg_catalog.string_agg(pg_catalog.concat_ws(':', g.oid, g.xmin, p.xmin), ',' ORDER BY g.oid)
			FROM pg_catalog.pg_trigger AS g
			JOIN pg_catalog.pg_proc AS p ON p.oid = g.tgfoid
			WHERE g.tgrelid = c.oid
			AND NOT g.tgisinternal
		),
		'p', (SELECT pg_catalog.string_agg(p.oid || ':' || p.xmin, ',' ORDER BY p.oid) FROM pg_catalog.pg_policy AS p WHERE p.polrelid = c.oid),
		'r', (SELECT pg_catalog.string_agg(w.oid || ':' || w.xmin, ',' ORDER BY w.oid) FROM pg_catalog.pg_rewrite AS w WHERE w.ev_class = c.oid),
		't', (SELECT pg_catalog.string_agg(t.oid || ':' || t.xmin, ',' ORDER BY t.oid) FROM pg_catalog.pg_type AS t WHERE t.oid IN (SELECT types.oid FROM types)),
		'e', (SELECT pg_catalog.string_agg(e.oid || ':' || e.xmin, ',' ORDER BY e.oid) FROM pg_catalog.pg_enum AS e WHERE e.enumtypid IN (SELECT types.oid FROM types)),
		'd', (SELECT pg_catalog.string_agg(k.oid || ':' || k.xmin, ',' ORDER BY k.oid) FROM pg_catalog.pg_constraint AS k WHERE k.contypid IN (SELECT types.oid FROM types))
	))
	FROM pg_catalog.pg_class AS c
	WHERE c.oid = pg_catalog.to_regclass($1)`
