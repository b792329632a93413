package adopt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/loadbay/loadbay/shared/entity/pgtable"
)

// organisationSetting is the setting with the organisation's id, which every transaction has.
const organisationSetting = "app.organisation"

// settingsOf returns the settings that the policies of a table read, in their order.
func settingsOf(t *pgtable.Table) (names []string) {
	for i := range t.Policies {
		for _, name := range t.Policies[i].Settings() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// unsetSettings returns the settings that policies read and imports do not set.
func (c *checker) unsetSettings() []string {
	if !c.Table.RowSecurity {
		return nil
	}
	return slices.DeleteFunc(settingsOf(c.Table), func(name string) bool {
		return name == organisationSetting || c.declaration.Tenant.Session[name] != ""
	})
}

// readRow reads a row, as every chunk does: a policy that fails would make all of them fail.
func (c *checker) readRow(ctx context.Context, tx pgx.Tx) error {
	if !c.Table.RowSecurity {
		return nil
	}
	where, args := c.within("true")
	err := Limited(ctx, tx, checkTimeout, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, fmt.Sprintf("SELECT %s FROM %s%s LIMIT 1", sqlNames(c.declaration.Identity), c.sqlName(), where), args...)
		return err
	})
	var pg *pgconn.PgError
	switch {
	case errors.As(err, &pg):
		c.refusedByPolicy("read rows", pg)
	case err != nil:
		return fmt.Errorf("read a row: %w", err)
	}
	return nil
}

// refusedByPolicy reports a statement that policies of the table refuse.
func (c *checker) refusedByPolicy(statement string, pg *pgconn.PgError) {
	if unset := c.unsetSettings(); len(unset) > 0 {
		c.report.fault("tenant", "The role %s cannot %s: policies of the table read the setting %s, which imports do not set. Declare it, as in tenant: {session: {%s: organisation}}.",
			c.Role, statement, strings.Join(unset, " and "), unset[0])
		return
	}
	c.report.fault("tenant", "The role %s cannot %s: a policy of the table refuses it (SQLSTATE %s). Ask the table's owner for policies that allow this role the organisation's rows.", c.Role, statement, pg.Code)
}

// isRefusedByPolicy reports whether an error of a written row comes from a policy: the policies of a
// setting that is missing fail with any error, such as that of a cast.
func (c *checker) isRefusedByPolicy(pg *pgconn.PgError) bool {
	if !c.Table.RowSecurity {
		return false
	}
	return pg.Code == insufficientPrivilege || len(c.unsetSettings()) > 0 && pg.ConstraintName == "" && pg.Code != raisedException
}
