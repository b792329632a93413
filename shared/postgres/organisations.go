package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/organisation/registry"
	"github.com/loadbay/loadbay/shared/problem"
)

// organisationColumns are the fields of registry.Organisation.
const organisationColumns = `id, name, created_at, updated_at, deactivated_at,
	max_open_imports, max_announced_bytes, max_open_exports, max_streams, max_requests_per_minute,
	mail_domains, ARRAY(
		SELECT unnest(s.mail_domains) FROM organisation_settings AS s WHERE s.organisation_id = organisations.id
		EXCEPT SELECT unnest(organisations.mail_domains)
		ORDER BY 1), whole_tables`

// CreateOrganisation adds an organisation, or returns the existing one with its id or name.
// Creations are serialised, so that each finds a free id.
func (db *DB) CreateOrganisation(ctx context.Context, tx pgx.Tx, n registry.NewOrganisation) (o *registry.Organisation, created bool, err error) {
	if _, err := tx.Exec(ctx, `LOCK TABLE organisations IN SHARE ROW EXCLUSIVE MODE`); err != nil {
		return nil, false, fmt.Errorf("create organisation: %w", err)
	}
	o, err = db.oneOrganisation(ctx, tx, `
		SELECT `+organisationColumns+`
		FROM organisations
		WHERE id = $1 OR lower(name) = lower($2)
		ORDER BY id
		LIMIT 1`, n.ID, n.Name)
	if problem.CodeOf(err) != problem.NotFound {
		return o, false, err
	}
	if err := checkUnusedID(ctx, tx, n.ID); err != nil {
		return nil, false, err
	}
	o, err = db.oneOrganisation(ctx, tx, `
		INSERT INTO organisations (id, name, max_open_imports, max_announced_bytes, max_open_exports, max_streams, max_requests_per_minute)
		VALUES (coalesce($1, (SELECT 1 + greatest((SELECT max(id) FROM organisations), (SELECT max(organisation_id) FROM organisation_deletions), 0))), $2, $3, $4, $5, $6, $7)
		RETURNING `+organisationColumns,
		n.ID, n.Name, n.Quotas.OpenImports, n.Quotas.AnnouncedBytes, n.Quotas.OpenExports, n.Quotas.Streams, n.Quotas.RequestsPerMinute)
	return o, err == nil, err
}

// checkUnusedID refuses the id of a deleted organisation: tokens and addresses may still name it.
func checkUnusedID(ctx context.Context, tx pgx.Tx, id *tenant.ID) error {
	var used bool
	if err := tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM organisation_deletions WHERE organisation_id = $1)`, id).Scan(&used); err != nil {
		return fmt.Errorf("look up deletion of an organisation: %w", err)
	}
	if used {
		return problem.New(problem.StateConflict, "An organisation with this ID was deleted. IDs are not used again: omit the ID.")
	}
	return nil
}

// Organisation returns the organisation of that id, or NOT_FOUND.
func (db *DB) Organisation(ctx context.Context, tx pgx.Tx, id tenant.ID) (*registry.Organisation, error) {
	return db.oneOrganisation(ctx, tx, `SELECT `+organisationColumns+` FROM organisations WHERE id = $1`, id)
}

// RenameOrganisation changes the organisation's name; ENTITY_EXISTS if another one has it.
func (db *DB) RenameOrganisation(ctx context.Context, tx pgx.Tx, id tenant.ID, name string) (*registry.Organisation, error) {
	return db.oneOrganisation(ctx, tx, `
		UPDATE organisations
		SET name = $2, updated_at = now()
		WHERE id = $1
		RETURNING `+organisationColumns, id, name)
}

// SetQuotas replaces the organisation's own quotas.
func (db *DB) SetQuotas(ctx context.Context, tx pgx.Tx, id tenant.ID, q registry.Quotas) (*registry.Organisation, error) {
	return db.oneOrganisation(ctx, tx, `
		UPDATE organisations
		SET max_open_imports = $2, max_announced_bytes = $3, max_open_exports = $4, max_streams = $5, max_requests_per_minute = $6, updated_at = now()
		WHERE id = $1
		RETURNING `+organisationColumns, id, q.OpenImports, q.AnnouncedBytes, q.OpenExports, q.Streams, q.RequestsPerMinute)
}

// ConfirmMailDomains replaces the domains that are confirmed to be the organisation's.
func (db *DB) ConfirmMailDomains(ctx context.Context, tx pgx.Tx, id tenant.ID, domains []string) (*registry.Organisation, error) {
	return db.oneOrganisation(ctx, tx, `
		UPDATE organisations
		SET mail_domains = $2, updated_at = now()
		WHERE id = $1
		RETURNING `+organisationColumns, id, orEmpty(domains))
}

// AllowWholeTables sets whether the organisation may use all tables.
func (db *DB) AllowWholeTables(ctx context.Context, tx pgx.Tx, id tenant.ID, allowed bool) (*registry.Organisation, error) {
	return db.oneOrganisation(ctx, tx, `
		UPDATE organisations
		SET whole_tables = $2, whole_tables_granted = $2, updated_at = now()
		WHERE id = $1
		RETURNING `+organisationColumns, id, allowed)
}

// SetOrganisationActive sets whether new imports and exports are accepted. It records since
// when they are not.
func (db *DB) SetOrganisationActive(ctx context.Context, tx pgx.Tx, id tenant.ID, active bool) (*registry.Organisation, error) {
	return db.oneOrganisation(ctx, tx, `
		UPDATE organisations
		SET deactivated_at = CASE WHEN NOT $2 THEN coalesce(deactivated_at, now()) END, updated_at = now()
		WHERE id = $1
		RETURNING `+organisationColumns, id, active)
}

// Organisations lists the organisations by id, and their total number.
func (*DB) Organisations(ctx context.Context, tx pgx.Tx, p job.Page) ([]registry.Organisation, int64, error) {
	c, order := &conditions{}, listOrder{intKey("id")}
	if err := c.addAfter(order, p.After); err != nil {
		return nil, 0, err
	}
	rows, err := tx.Query(ctx, `SELECT `+organisationColumns+` FROM organisations `+c.where()+order.clause()+c.page(p), c.args...)
	if err != nil {
		return nil, 0, fmt.Errorf("list organisations: %w", err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[registry.Organisation])
	if err != nil {
		return nil, 0, fmt.Errorf("list organisations: %w", err)
	}
	var total int64
	if err := tx.QueryRow(ctx, `SELECT count(*) FROM organisations`).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count organisations: %w", err)
	}
	return found, total, nil
}

// OrganisationCursor returns the keys of an organisation in the list.
func OrganisationCursor(o *registry.Organisation) []string { return []string{intCursor(o.ID)} }

func (*DB) oneOrganisation(ctx context.Context, tx pgx.Tx, sql string, args ...any) (*registry.Organisation, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("load organisation: %w", err)
	}
	o, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByPos[registry.Organisation])
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return nil, registry.OrganisationNotFound()
	case entity.IsUniqueViolation(err):
		return nil, nameTakenError("organisation")
	case err != nil:
		return nil, fmt.Errorf("load organisation: %w", err)
	}
	return o, nil
}

func nameTakenError(what string) error {
	return problem.New(problem.EntityExists, "Another %s with this name already exists.", what).
		With("name", problem.EntityExists, "A unique name; case is ignored.")
}

// checkActive returns the reason why an organisation accepts no new imports and exports, or
// nil.
func (*DB) checkActive(ctx context.Context, tx pgx.Tx, organisation tenant.ID) error {
	var active, deleted bool
	err := tx.QueryRow(ctx, `SELECT deactivated_at IS NULL, `+isDeleted+` FROM organisations WHERE id = $1`, organisation).Scan(&active, &deleted)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return problem.New(problem.OrgRequired, "Unknown organisation. Ask your administrator to create it.")
	case err != nil:
		return fmt.Errorf("look up organisation %d: %w", organisation, err)
	case deleted:
		return deletedError()
	case !active:
		return problem.New(problem.OrgInactive, "The organisation is deactivated. Data can be read, but imports and exports are not possible.")
	}
	return nil
}
