package postgres_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// A session of either role that is idle in a transaction is ended, and so is a statement
// after its client has died: neither keeps its locks indefinitely.
func TestSessionTimeouts(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	for name, db := range map[string]*postgres.DB{"loadbay_app": d.DB, "loadbay_maintenance": d.Maintenance} {
		require.NoError(t, db.AcrossOrganisations(t.Context(), func(tx pgx.Tx) error {
			for setting, want := range map[string]string{
				"statement_timeout": "1min", "idle_in_transaction_session_timeout": "1min", "client_connection_check_interval": "10s",
			} {
				var value string
				require.NoError(t, tx.QueryRow(t.Context(), `SELECT current_setting($1)`, setting).Scan(&value))
				require.Equal(t, want, value, "%s of %s", setting, name)
			}
			return nil
		}))
	}
}
