package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/organisation/registry"
)

// entryTable is the table of a kind of entries.
type entryTable struct {
	name         string
	starts, ends bool   // has the columns starts_on and ends_on
	ofEvent      bool   // has the column event_id
	nameMatches  string // SQL: the entry's name is $1
	key          string // SQL: the columns of the unique key that contains the name
}

func entryTableFor(k registry.Kind) entryTable {
	const exactly, inAnyCase = `name = $1`, `lower(name) = lower($1)`
	switch k {
	case registry.Period:
		return entryTable{name: "membership_periods", starts: true, ends: true, nameMatches: exactly, key: "organisation_id, name"}
	case registry.Event:
		return entryTable{name: "events", starts: true, nameMatches: exactly, key: "organisation_id, name"}
	case registry.Category:
		return entryTable{name: "event_categories", ofEvent: true, nameMatches: inAnyCase, key: "organisation_id, lower(name), event_id"}
	default:
		return entryTable{name: "membership_types", nameMatches: inAnyCase, key: "organisation_id, lower(name)"}
	}
}

// columns returns the fields of registry.Entry.
func (t entryTable) columns() string {
	day := func(has bool, column string) string {
		if !has {
			return `''`
		}
		return `coalesce(to_char(` + column + `, 'YYYY-MM-DD'), '')`
	}
	return `id, name, ` + day(t.starts, "starts_on") + `, ` + day(t.ends, "ends_on")
}

// values returns the columns to which an entry is written, as SQL expressions of parameters
// that follow those of args, and args with the entry's values appended.
func (t entryTable) values(e registry.Entry, args []any) (names, values []string, all []any) {
	add := func(column, value string, arg any) {
		args = append(args, arg)
		names, values = append(names, column), append(values, fmt.Sprintf(value, len(args)))
	}
	add("name", "$%d", e.Name)
	if t.starts {
		add("starts_on", "nullif($%d, '')::date", e.StartsOn)
	}
	if t.ends {
		add("ends_on", "nullif($%d, '')::date", e.EndsOn)
	}
	return names, values, args
}

// inLocation returns the condition that an entry belongs to the location; parameter is the
// number of the parameter with the location's event. Row level security restricts it to the
// organisation.
func (t entryTable) inLocation(parameter int) string {
	if t.ofEvent {
		return fmt.Sprintf("event_id = $%d", parameter)
	}
	return fmt.Sprintf("$%d::bigint = 0", parameter)
}

// CreateEntry adds an entry, or returns the existing one with its name.
func (db *DB) CreateEntry(ctx context.Context, tx pgx.Tx, in registry.Location, e registry.Entry) (kept *registry.Entry, created bool, err error) {
	t := entryTableFor(in.Kind)
	names, values, args := t.values(e, []any{in.Organisation})
	names, values = append(names, "organisation_id"), append(values, "$1")
	if t.ofEvent {
		args = append(args, in.Event)
		names, values = append(names, "event_id"), append(values, fmt.Sprintf("$%d", len(args)))
	}
	kept, err = db.oneEntry(ctx, tx, in.Kind, fmt.Sprintf(`
		INSERT INTO %s (%s)
		VALUES (%s)
		ON CONFLICT (%s) DO NOTHING
		RETURNING %s`, t.name, strings.Join(names, ", "), strings.Join(values, ", "), t.key, t.columns()), args...)
	if !errors.Is(err, pgx.ErrNoRows) {
		return kept, err == nil, err
	}
	kept, err = db.oneEntry(ctx, tx, in.Kind, fmt.Sprintf(`SELECT %s FROM %s WHERE %s AND %s`,
		t.columns(), t.name, t.nameMatches, t.inLocation(2)), e.Name, in.Event)
	return kept, false, err
}

// Entry returns the entry of that id, or NOT_FOUND.
func (db *DB) Entry(ctx context.Context, tx pgx.Tx, in registry.Location, id int64) (*registry.Entry, error) {
	t := entryTableFor(in.Kind)
	e, err := db.oneEntry(ctx, tx, in.Kind, fmt.Sprintf(`SELECT %s FROM %s WHERE id = $1 AND %s`, t.columns(), t.name, t.inLocation(2)), id, in.Event)
	return e, orNotFound(err, in.Kind)
}

// UpdateEntry replaces the values of the entry with e's id; NOT_FOUND if it does not exist,
// ENTITY_EXISTS if another one has the name.
func (db *DB) UpdateEntry(ctx context.Context, tx pgx.Tx, in registry.Location, e registry.Entry) (*registry.Entry, error) {
	t := entryTableFor(in.Kind)
	names, values, args := t.values(e, []any{e.ID, in.Event})
	kept, err := db.oneEntry(ctx, tx, in.Kind, fmt.Sprintf(`
		UPDATE %s
		SET (%s) = ROW (%s)
		WHERE id = $1 AND %s
		RETURNING %s`, t.name, strings.Join(names, ", "), strings.Join(values, ", "), t.inLocation(2), t.columns()), args...)
	return kept, orNotFound(err, in.Kind)
}

// Entries lists the entries of a location by id, and their total number.
func (*DB) Entries(ctx context.Context, tx pgx.Tx, in registry.Location, p job.Page) ([]registry.Entry, int64, error) {
	t := entryTableFor(in.Kind)
	c, order := &conditions{args: []any{in.Event}, texts: []string{t.inLocation(1)}}, listOrder{intKey("id")}
	if err := c.addAfter(order, p.After); err != nil {
		return nil, 0, err
	}
	rows, err := tx.Query(ctx, fmt.Sprintf(`SELECT %s FROM %s `, t.columns(), t.name)+c.where()+order.clause()+c.page(p), c.args...)
	if err != nil {
		return nil, 0, fmt.Errorf("list %s: %w", t.name, err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[registry.Entry])
	if err != nil {
		return nil, 0, fmt.Errorf("list %s: %w", t.name, err)
	}
	var total int64
	if err := tx.QueryRow(ctx, fmt.Sprintf(`SELECT count(*) FROM %s WHERE %s`, t.name, t.inLocation(1)), in.Event).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count %s: %w", t.name, err)
	}
	return found, total, nil
}

// EntryCursor returns the keys of an entry in its list.
func EntryCursor(e *registry.Entry) []string { return []string{intCursor(e.ID)} }

func (*DB) oneEntry(ctx context.Context, tx pgx.Tx, k registry.Kind, sql string, args ...any) (*registry.Entry, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", k, err)
	}
	e, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByPos[registry.Entry])
	switch {
	case entity.IsUniqueViolation(err):
		return nil, nameTakenError(k.String())
	case err != nil:
		return nil, fmt.Errorf("%s: %w", k, err)
	}
	return e, nil
}

func orNotFound(err error, k registry.Kind) error {
	if errors.Is(err, pgx.ErrNoRows) {
		return registry.EntryNotFound(k)
	}
	return err
}
