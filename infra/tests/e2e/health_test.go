package e2e

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// GET /health is 200 only when the service can work: not without the database, unless that can pause.
func TestHealthRequiresDatabase(t *testing.T) {
	t.Parallel()
	s := start(t)
	admin, err := pgx.Connect(t.Context(), s.DatabaseURL(t))
	require.NoError(t, err)
	defer admin.Close(t.Context())
	// connections sets how many connections the functions may have.
	connections := func(limit int) {
		_, err := admin.Exec(t.Context(), fmt.Sprintf(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %%I CONNECTION LIMIT %d', current_database()); END $$`, limit))
		require.NoError(t, err)
		_, err = admin.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
		require.NoError(t, err)
	}
	status := func() int {
		response, err := http.Get("http://" + s.API + "/health")
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		return response.StatusCode
	}
	require.Equal(t, http.StatusOK, status())
	connections(0)
	s.Await(t, "health reports that the database is away", func() bool { return status() == http.StatusServiceUnavailable })
	connections(-1)
	s.Await(t, "health reports that the database is back", func() bool { return status() == http.StatusOK })
}
