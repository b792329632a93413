package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/declared"
	"github.com/loadbay/loadbay/shared/imports/tablegrant"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/pgtext"
	"github.com/loadbay/loadbay/shared/problem"
)

// grantColumns are the columns of a grant, of which a row exists for each organisation.
const (
	grantColumns = `id::text, array_agg(organisation_id ORDER BY organisation_id), every_organisation, table_schema, table_name, tenant, modes, reference_only, granted_by, granted_at`
	grantGroup   = ` GROUP BY id, every_organisation, table_schema, table_name, tenant, modes, reference_only, granted_by, granted_at`
)

func scanGrant(row pgx.CollectableRow) (g tablegrant.Grant, err error) {
	var restriction []byte
	if err = row.Scan(&g.ID, &g.Organisations, &g.Every, &g.Schema, &g.Table, &restriction, &g.Modes, &g.ReferenceOnly, &g.GrantedBy, &g.GrantedAt); err != nil {
		return g, err
	}
	if g.Every {
		g.Organisations = nil
	}
	return g, json.Unmarshal(restriction, &g.Tenant)
}

func collectGrants(ctx context.Context, tx pgx.Tx, sql string, args ...any) ([]tablegrant.Grant, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("load grants of tables: %w", err)
	}
	found, err := pgx.CollectRows(rows, scanGrant)
	if err != nil {
		return nil, fmt.Errorf("load grants of tables: %w", err)
	}
	return found, nil
}

// encodeTenant returns a tenant as a value of the column.
func encodeTenant(t *declared.Tenant) ([]byte, error) {
	text, err := json.Marshal(t)
	if err != nil {
		return nil, fmt.Errorf("encode tenant: %w", err)
	}
	return pgtext.SanitizeJSON(text), nil
}

// LockTableGrants makes other changes of grants wait until the transaction ends.
func (*DB) LockTableGrants(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, `LOCK TABLE table_grants IN SHARE ROW EXCLUSIVE MODE`); err != nil {
		return fmt.Errorf("lock grants of tables: %w", err)
	}
	return nil
}

// organisationIDs returns the ids of all organisations, for the operator.
func organisationIDs(ctx context.Context, tx pgx.Tx) (ids []tenant.ID, err error) {
	if err = tx.QueryRow(ctx, `SELECT coalesce(array_agg(id), '{}') FROM organisations`).Scan(&ids); err != nil {
		return nil, fmt.Errorf("load organisations: %w", err)
	}
	return ids, nil
}

// GrantsOfTable returns the grants of a table to all organisations, for the operator.
func (*DB) GrantsOfTable(ctx context.Context, tx pgx.Tx, schema, table string) ([]tablegrant.Grant, error) {
	ids, err := organisationIDs(ctx, tx)
	if err != nil {
		return nil, err
	}
	return collectGrants(ctx, tx, `SELECT `+grantColumns+` FROM table_grants WHERE organisation_id = ANY ($1) AND table_schema = $2 AND table_name = $3`+grantGroup, ids, schema, table)
}

// TableGrant returns a grant, or NOT_FOUND, for the operator.
func (*DB) TableGrant(ctx context.Context, tx pgx.Tx, id string) (*tablegrant.Grant, error) {
	if uuid.Validate(id) != nil {
		return nil, tablegrant.NotFound()
	}
	ids, err := organisationIDs(ctx, tx)
	if err != nil {
		return nil, err
	}
	found, err := collectGrants(ctx, tx, `SELECT `+grantColumns+` FROM table_grants WHERE organisation_id = ANY ($1) AND id = $2`+grantGroup, ids, id)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, tablegrant.NotFound()
	}
	return &found[0], nil
}

// ListTableGrants lists the grants by table, and their total number, for the operator.
func (*DB) ListTableGrants(ctx context.Context, tx pgx.Tx, p job.Page) ([]tablegrant.Grant, int64, error) {
	ids, err := organisationIDs(ctx, tx)
	if err != nil {
		return nil, 0, err
	}
	var total int64
	if err := tx.QueryRow(ctx, `SELECT count(DISTINCT id) FROM table_grants WHERE organisation_id = ANY ($1)`, ids).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count grants of tables: %w", err)
	}
	c, order := &conditions{args: []any{ids}}, listOrder{textKey("table_schema", "$%[1]d"), textKey("table_name", "$%[1]d"), uuidKey("id")}
	if err := c.addAfter(order, p.After); err != nil {
		return nil, 0, err
	}
	found, err := collectGrants(ctx, tx, `SELECT `+grantColumns+` FROM (SELECT * FROM table_grants WHERE organisation_id = ANY ($1)) AS g `+c.where()+grantGroup+order.clause()+c.page(p), c.args...)
	return found, total, err
}

// TableGrantCursor returns the keys of a grant in the list.
func TableGrantCursor(g *tablegrant.Grant) []string { return []string{g.Schema, g.Table, g.ID} }

// AddTableGrant stores a grant for its organisations that exist, and returns their number.
// ENTITY_EXISTS if one of them has the same grant.
func (*DB) AddTableGrant(ctx context.Context, tx pgx.Tx, g *tablegrant.Grant) (int64, error) {
	restriction, err := encodeTenant(&g.Tenant)
	if err != nil {
		return 0, err
	}
	tag, err := tx.Exec(ctx, `
		INSERT INTO table_grants (organisation_id, id, every_organisation, table_schema, table_name, tenant, modes, reference_only, granted_by)
		SELECT o.id, $1, $2, $3, $4, $5, $6, $7, $8
		FROM organisations AS o
		WHERE $2 OR o.id = ANY ($9)`,
		g.ID, g.Every, g.Schema, g.Table, restriction, orEmpty(g.Modes), g.ReferenceOnly, pgtext.Sanitize(g.GrantedBy), orEmptyList(g.Organisations))
	if entity.IsUniqueViolation(err) {
		return 0, problem.New(problem.EntityExists, "One of the organisations already has this grant. Revoke it to change it.")
	}
	if err != nil {
		return 0, fmt.Errorf("add grant of table: %w", err)
	}
	return tag.RowsAffected(), nil
}

// DeleteTableGrant deletes a grant for all organisations.
func (*DB) DeleteTableGrant(ctx context.Context, tx pgx.Tx, id string) error {
	ids, err := organisationIDs(ctx, tx)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM table_grants WHERE organisation_id = ANY ($1) AND id = $2`, ids, id); err != nil {
		return fmt.Errorf("delete grant of table: %w", err)
	}
	return nil
}

// TableGrants returns an organisation's grants of tables.
func (*DB) TableGrants(ctx context.Context, tx pgx.Tx, organisation tenant.ID) ([]tablegrant.Grant, error) {
	return collectGrants(ctx, tx, `SELECT `+grantColumns+` FROM table_grants WHERE organisation_id = $1`+grantGroup+` ORDER BY table_schema, table_name, granted_at, id`, organisation)
}

// RecordTableGrants stores the grants that a type uses, of an organisation that may use all tables.
func (*DB) RecordTableGrants(ctx context.Context, tx pgx.Tx, organisation tenant.ID, by string, grants []tablegrant.Grant) error {
	for i := range grants {
		g := &grants[i]
		restriction, err := encodeTenant(&g.Tenant)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `
			INSERT INTO table_grants (organisation_id, id, table_schema, table_name, tenant, reference_only, granted_by)
			VALUES ($1, gen_random_uuid(), $2, $3, $4, $5, $6)
			ON CONFLICT ON CONSTRAINT table_grants_table_key DO NOTHING`, organisation, g.Schema, g.Table, restriction, g.ReferenceOnly, pgtext.Sanitize(by))
		if err != nil {
			return fmt.Errorf("record grant of table: %w", err)
		}
	}
	return nil
}

// MayUseTable reports whether an organisation may use the table and the tenant of a declaration.
func (*DB) MayUseTable(ctx context.Context, tx pgx.Tx, organisation tenant.ID, d *declared.Declaration) (may bool, err error) {
	schema, table, _ := declared.SplitTable(d.Target.Table)
	restriction, err := encodeTenant(&d.Tenant)
	if err != nil {
		return false, err
	}
	err = tx.QueryRow(ctx, `
		SELECT coalesce((SELECT whole_tables FROM organisations WHERE id = $1), false)
		OR EXISTS (
			SELECT FROM table_grants
			WHERE organisation_id = $1 AND table_schema = $2 AND table_name = $3 AND NOT reference_only AND tenant = $4::jsonb)`,
		organisation, schema, table, restriction).Scan(&may)
	if err != nil {
		return false, fmt.Errorf("load grants of table: %w", err)
	}
	return may, nil
}
