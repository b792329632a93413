package catalog

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// samples remembers that the compiled types are installed, which never ends. While they are not, each
// question is asked again.
type samples struct{ installed atomic.Bool }

// hasSamples reports whether the compiled types are installed; without a store, they are. tx is as in
// Type.
func (c *Catalog) hasSamples(ctx context.Context, tx pgx.Tx, organisation tenant.ID) (found bool, err error) {
	if c.declared == nil || c.declared.samples.installed.Load() {
		return true, nil
	}
	load := func(tx pgx.Tx) (err error) {
		found, err = c.declared.store.SamplesInstalled(ctx, tx)
		return err
	}
	if tx != nil {
		err = load(tx)
	} else {
		err = c.declared.store.InOrganisation(ctx, organisation, load)
	}
	if err != nil {
		return false, fmt.Errorf("look for sample types: %w", err)
	}
	if found {
		c.declared.samples.installed.Store(true)
	}
	return found, nil
}

// CheckInstalled returns TYPE_NOT_INSTALLED for a compiled type that this installation leaves out. tx
// is as in Type.
func (c *Catalog) CheckInstalled(ctx context.Context, tx pgx.Tx, organisation tenant.ID, d *entity.Declaration) error {
	found, err := c.hasSamples(ctx, tx, organisation)
	if err != nil || found {
		return err
	}
	return problem.New(problem.TypeNotInstalled, "The import type %s is a sample, and this installation has no samples. Use one of the types in GET /api/import-types.", d.Name)
}
