package tablegrant

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity/declared"
	"github.com/loadbay/loadbay/shared/entity/pgtable"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// Store stores grants. It connects as the role loadbay_operator.
type Store interface {
	AcrossOrganisations(ctx context.Context, f func(pgx.Tx) error) error
	// LockTableGrants makes other changes of grants wait until the transaction ends.
	LockTableGrants(ctx context.Context, tx pgx.Tx) error
	// GrantsOfTable returns the grants of a table to all organisations.
	GrantsOfTable(ctx context.Context, tx pgx.Tx, schema, table string) ([]Grant, error)
	ListTableGrants(ctx context.Context, tx pgx.Tx, p job.Page) ([]Grant, int64, error)
	// AddTableGrant stores a grant, and returns the number of organisations that have it.
	AddTableGrant(ctx context.Context, tx pgx.Tx, g *Grant) (int64, error)
	TableGrant(ctx context.Context, tx pgx.Tx, id string) (*Grant, error)
	DeleteTableGrant(ctx context.Context, tx pgx.Tx, id string) error
}

// Service carries out the requests of operators, and logs each change with the table and the person.
type Service struct {
	store Store
	log   *slog.Logger
}

// New returns the service.
func New(store Store, log *slog.Logger) *Service { return &Service{store, log} }

// NewGrant is a grant that an operator requests.
type NewGrant struct {
	Organisations     []tenant.ID     `json:"organisations"`     // none with EveryOrganisation
	EveryOrganisation bool            `json:"everyOrganisation"` // also those that are created later
	Table             string          `json:"table"`             // schema.table, as in the catalogue
	Tenant            declared.Tenant `json:"tenant"`
	Modes             []string        `json:"modes"`
	ReferenceOnly     bool            `json:"referenceOnly"`
}

// Grant stores a grant. ENTITY_INVALID if it does not fit the table, STATE_CONFLICT if the grant of
// another organisation includes the same rows, and ENTITY_EXISTS if an organisation has the same grant.
func (s *Service) Grant(ctx context.Context, by string, n *NewGrant) (g *Grant, err error) {
	g, err = n.grant(by)
	if err != nil {
		return nil, err
	}
	err = s.store.AcrossOrganisations(ctx, func(tx pgx.Tx) error {
		if err := s.store.LockTableGrants(ctx, tx); err != nil {
			return err
		}
		if err := fits(ctx, tx, g); err != nil {
			return err
		}
		if err := s.checkOthers(ctx, tx, g); err != nil {
			return err
		}
		granted, err := s.store.AddTableGrant(ctx, tx, g)
		switch {
		case err != nil:
			return err
		case granted == 0 || !g.Every && granted != int64(len(g.Organisations)):
			return invalid("organisations", "Ids of existing organisations.")
		}
		g, err = s.store.TableGrant(ctx, tx, g.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	s.audit(ctx, "table granted", by, g)
	return g, nil
}

// List lists the grants by table, and their total number.
func (s *Service) List(ctx context.Context, p job.Page) (found []Grant, total int64, err error) {
	err = s.store.AcrossOrganisations(ctx, func(tx pgx.Tx) (err error) {
		found, total, err = s.store.ListTableGrants(ctx, tx, p)
		return err
	})
	return found, total, err
}

// Revoke deletes a grant. No import or export starts with a type that it permitted.
func (s *Service) Revoke(ctx context.Context, by, id string) error {
	var g *Grant
	err := s.store.AcrossOrganisations(ctx, func(tx pgx.Tx) (err error) {
		if g, err = s.store.TableGrant(ctx, tx, id); err != nil {
			return err
		}
		return s.store.DeleteTableGrant(ctx, tx, id)
	})
	if err == nil {
		s.audit(ctx, "table grant revoked", by, g)
	}
	return err
}

func (s *Service) audit(ctx context.Context, action, by string, g *Grant) {
	s.log.InfoContext(ctx, "operator", "action", action, "by", by, "grant", g.ID, "table", g.Schema+"."+g.Table, "every_organisation", g.Every, "of_organisations", g.Organisations)
}

// grant checks what can be checked without the database.
func (n *NewGrant) grant(by string) (*Grant, error) {
	g := &Grant{
		ID: uuid.NewString(), Organisations: slices.Compact(slices.Sorted(slices.Values(n.Organisations))), Every: n.EveryOrganisation,
		Tenant: n.Tenant, Modes: n.Modes, ReferenceOnly: n.ReferenceOnly, GrantedBy: by,
	}
	if g.Every == (len(g.Organisations) > 0) {
		return nil, invalid("organisations", "The ids of the organisations, or else everyOrganisation: true.")
	}
	var ok bool
	if g.Schema, g.Table, ok = declared.SplitTable(n.Table); !ok || pgtable.IsReserved(g.Schema) {
		return nil, invalid("table", "The name of one of your tables, such as crm.accounts.")
	}
	t := &g.Tenant
	restricted := !allRows(t)
	switch {
	case t.None == restricted || (t.Column == "") != (t.Value == ""):
		return nil, invalid("tenant", "Set none: true, or else column and value, session, or both.")
	case g.Every && !g.ReferenceOnly && !ofOrganisation(t):
		return nil, invalid("tenant", "All organisations would have the same rows. Use the value organisation, or name one organisation.")
	case len(g.Organisations) > 1 && !g.ReferenceOnly && !ofOrganisation(t):
		return nil, invalid("tenant", "The organisations would have the same rows. Use the value organisation, or a grant for each of them.")
	}
	for name := range t.Session {
		if !declared.ValidSetting(name) {
			return nil, invalid("tenant", "Names of custom settings, such as app.tenant_id.")
		}
	}
	if slices.ContainsFunc(g.Modes, func(mode string) bool { return !slices.Contains([]string{"upsert", "insert", "update"}, mode) }) {
		return nil, invalid("modes", "Some of upsert, insert and update, or none for all.")
	}
	return g, nil
}

// fits checks a grant against its table.
func fits(ctx context.Context, tx pgx.Tx, g *Grant) error {
	t, err := pgtable.Read(ctx, tx, g.Schema, g.Table)
	switch {
	case errors.Is(err, pgtable.ErrNoTable):
		return invalid("table", "The table does not exist. Write schema.table as in the catalogue.")
	case err != nil:
		return fmt.Errorf("read table of grant: %w", err)
	case !g.ReferenceOnly && (t.Kind != pgtable.TableKind || t.Partition):
		return invalid("table", "A table that is neither a view, a foreign table nor a partition of another table.")
	case g.Tenant.Column != "" && t.Column(g.Tenant.Column) == nil:
		return invalid("tenant", "A column of the table.")
	}
	return nil
}

// checkOthers refuses a grant of rows that another organisation has.
func (s *Service) checkOthers(ctx context.Context, tx pgx.Tx, g *Grant) error {
	others, err := s.store.GrantsOfTable(ctx, tx, g.Schema, g.Table)
	if err != nil {
		return err
	}
	for i := range others {
		other := &others[i]
		if !sameOrganisation(g, other) && conflict(g, other) {
			return problem.New(problem.StateConflict, "The grant %s has some of the same rows for other organisations, with the tenant %s. Revoke it first, or grant other rows.", other.ID, describe(&other.Tenant))
		}
	}
	return nil
}

// sameOrganisation reports whether two grants are for one and the same organisation only.
func sameOrganisation(a, b *Grant) bool {
	return !a.Every && !b.Every && len(a.Organisations) == 1 && slices.Equal(a.Organisations, b.Organisations)
}

func invalid(field, rule string) error {
	return problem.New(problem.EntityInvalid, "Some fields are not valid.").With(field, problem.EntityInvalid, rule)
}

// NotFound is the error of an unknown grant.
func NotFound() error {
	return problem.New(problem.NotFound, "No grant of a table with this ID exists.")
}
