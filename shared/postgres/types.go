package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/declared"
	"github.com/loadbay/loadbay/shared/entity/pgtable"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/pgtext"
	"github.com/loadbay/loadbay/shared/problem"
)

const (
	typeVersionColumns = `v.version, v.declaration, v.adopted, v.saved_by, v.created_at, t.created_at, t.retired_at`
	typeTables         = ` FROM import_types AS t JOIN import_type_versions AS v ON v.organisation_id = t.organisation_id AND v.name = t.name `
)

func scanTypeVersion(row pgx.CollectableRow) (v declared.Version, err error) {
	var declaration, adopted []byte
	if err = row.Scan(&v.Number, &declaration, &adopted, &v.SavedBy, &v.SavedAt, &v.CreatedAt, &v.RetiredAt); err != nil {
		return v, err
	}
	v.Declaration, v.Adopted = &declared.Declaration{}, &pgtable.Table{}
	return v, errors.Join(json.Unmarshal(declaration, v.Declaration), json.Unmarshal(adopted, v.Adopted))
}

func collectTypeVersions(ctx context.Context, tx pgx.Tx, sql string, args ...any) ([]declared.Version, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("load declared types: %w", err)
	}
	found, err := pgx.CollectRows(rows, scanTypeVersion)
	if err != nil {
		return nil, fmt.Errorf("load declared types: %w", err)
	}
	return found, nil
}

// TypeVersion returns a version of a declared type, the one in use if number is 0, or nil if it does
// not exist.
func (*DB) TypeVersion(ctx context.Context, tx pgx.Tx, organisation tenant.ID, name string, number int) (*declared.Version, error) {
	found, err := collectTypeVersions(ctx, tx, `SELECT `+typeVersionColumns+typeTables+`
		WHERE t.organisation_id = $1 AND t.name = $2 AND v.version = coalesce(nullif($3, 0), t.version)`, organisation, name, number)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// SamplesInstalled reports whether the import types that come with Loadbay can be used.
func (*DB) SamplesInstalled(ctx context.Context, tx pgx.Tx) (installed bool, err error) {
	if err := tx.QueryRow(ctx, `SELECT coalesce(samples, true) FROM installation`).Scan(&installed); err != nil {
		return false, fmt.Errorf("load installation: %w", err)
	}
	return installed, nil
}

// TypesInUse returns the declared types that are not retired, by name.
func (*DB) TypesInUse(ctx context.Context, tx pgx.Tx, organisation tenant.ID) ([]declared.Version, error) {
	return collectTypeVersions(ctx, tx, `SELECT `+typeVersionColumns+typeTables+`
		WHERE t.organisation_id = $1 AND v.version = t.version AND t.retired_at IS NULL
		ORDER BY t.name`, organisation)
}

// DeclaredTypes returns all declared types, with the versions in use, by name. An organisation has at
// most declared.MaxTypes.
func (*DB) DeclaredTypes(ctx context.Context, tx pgx.Tx, organisation tenant.ID) ([]declared.Version, error) {
	return collectTypeVersions(ctx, tx, `SELECT `+typeVersionColumns+typeTables+`
		WHERE t.organisation_id = $1 AND v.version = t.version
		ORDER BY t.name`, organisation)
}

// TypesByTable returns the newest version of each declared type for each table that it has had, with
// those of retired types.
func (*DB) TypesByTable(ctx context.Context, tx pgx.Tx, organisation tenant.ID) ([]declared.Version, error) {
	return collectTypeVersions(ctx, tx, `SELECT DISTINCT ON (t.name, v.declaration #>> '{target,table}') `+typeVersionColumns+typeTables+`
		WHERE t.organisation_id = $1
		ORDER BY t.name, v.declaration #>> '{target,table}', v.version DESC`, organisation)
}

// TypeVersions lists the versions of a declared type, the newest first, and their total number.
func (*DB) TypeVersions(ctx context.Context, tx pgx.Tx, organisation tenant.ID, name string, p job.Page) ([]declared.Version, int64, error) {
	var total int64
	if err := tx.QueryRow(ctx, `SELECT count(*) FROM import_type_versions WHERE organisation_id = $1 AND name = $2`, organisation, name).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count versions of type: %w", err)
	}
	c, order := &conditions{}, listOrder{intKey("v.version").desc()}
	c.add(`v.organisation_id = $%d`, organisation)
	c.add(`v.name = $%d`, name)
	if err := c.addAfter(order, p.After); err != nil {
		return nil, 0, err
	}
	found, err := collectTypeVersions(ctx, tx, `SELECT `+typeVersionColumns+typeTables+c.where()+order.clause()+c.page(p), c.args...)
	return found, total, err
}

// TypeVersionCursor returns the keys of a version in the list.
func TypeVersionCursor(v *declared.Version) []string { return []string{intCursor(v.Number)} }

// LockType locks a declared type until the transaction ends, and returns its version in use, or nil
// if it does not exist.
func (db *DB) LockType(ctx context.Context, tx pgx.Tx, organisation tenant.ID, name string) (*declared.Version, error) {
	if _, err := tx.Exec(ctx, `SELECT FROM import_types WHERE organisation_id = $1 AND name = $2 FOR UPDATE`, organisation, name); err != nil {
		return nil, fmt.Errorf("lock type: %w", err)
	}
	return db.TypeVersion(ctx, tx, organisation, name, 0)
}

// CountTypes returns the number of an organisation's declared types.
func (*DB) CountTypes(ctx context.Context, tx pgx.Tx, organisation tenant.ID) (n int64, err error) {
	if err = tx.QueryRow(ctx, `SELECT count(*) FROM import_types WHERE organisation_id = $1`, organisation).Scan(&n); err != nil {
		return 0, fmt.Errorf("count types: %w", err)
	}
	return n, nil
}

// CreateType adds a declared type with its first version. ENTITY_EXISTS if another one has its name.
func (db *DB) CreateType(ctx context.Context, tx pgx.Tx, organisation tenant.ID, v *declared.Version) error {
	_, err := tx.Exec(ctx, `INSERT INTO import_types (organisation_id, name, version) VALUES ($1, $2, $3)`, organisation, v.Declaration.Name, v.Number)
	if entity.IsUniqueViolation(err) {
		return problem.New(problem.EntityExists, "The type %s already exists. Change it instead.", v.Declaration.Name)
	}
	if err != nil {
		return fmt.Errorf("create type: %w", err)
	}
	return db.addTypeVersion(ctx, tx, organisation, v)
}

// AddTypeVersion adds a version of a locked type as the one in use. The type is no longer retired.
func (db *DB) AddTypeVersion(ctx context.Context, tx pgx.Tx, organisation tenant.ID, v *declared.Version) error {
	if err := db.addTypeVersion(ctx, tx, organisation, v); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `UPDATE import_types SET version = $3, retired_at = NULL WHERE organisation_id = $1 AND name = $2`, organisation, v.Declaration.Name, v.Number)
	if err != nil {
		return fmt.Errorf("save type: %w", err)
	}
	return nil
}

func (*DB) addTypeVersion(ctx context.Context, tx pgx.Tx, organisation tenant.ID, v *declared.Version) error {
	declaration, err := json.Marshal(v.Declaration)
	if err != nil {
		return fmt.Errorf("encode declaration: %w", err)
	}
	adopted, err := json.Marshal(v.Adopted)
	if err != nil {
		return fmt.Errorf("encode table: %w", err)
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO import_type_versions (organisation_id, name, version, declaration, adopted, saved_by)
		VALUES ($1, $2, $3, $4, $5, $6)`,
		organisation, v.Declaration.Name, v.Number, pgtext.SanitizeJSON(declaration), pgtext.SanitizeJSON(adopted), v.SavedBy)
	if err != nil {
		return fmt.Errorf("save version of type: %w", err)
	}
	return nil
}

// RetireType retires a locked type, or makes it available again.
func (*DB) RetireType(ctx context.Context, tx pgx.Tx, organisation tenant.ID, name string, retired bool) error {
	_, err := tx.Exec(ctx, `
		UPDATE import_types
		SET retired_at = CASE WHEN $3 THEN coalesce(retired_at, now()) END
		WHERE organisation_id = $1 AND name = $2`, organisation, name, retired)
	if err != nil {
		return fmt.Errorf("retire type: %w", err)
	}
	return nil
}

// MayUseWholeTables reports whether an organisation may declare types for all tables, without a grant:
// while it is the only one, or if an operator has allowed it.
func (*DB) MayUseWholeTables(ctx context.Context, tx pgx.Tx, organisation tenant.ID) (may bool, err error) {
	err = tx.QueryRow(ctx, `SELECT coalesce((SELECT whole_tables FROM organisations WHERE id = $1), false)`, organisation).Scan(&may)
	if err != nil {
		return false, fmt.Errorf("load rights of organisation: %w", err)
	}
	return may, nil
}
