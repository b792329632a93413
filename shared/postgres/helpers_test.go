package postgres_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// inOrganisation runs f for an organisation.
func inOrganisation(t *testing.T, d *postgrestest.Database, organisation tenant.ID, f func(tx pgx.Tx)) {
	t.Helper()
	require.NoError(t, d.DB.InOrganisation(t.Context(), organisation, func(tx pgx.Tx) error {
		f(tx)
		return nil
	}))
}
