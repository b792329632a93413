package httpapi

import (
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// Requests get a Retry-After while the database resumes or has no free connection.
func TestUnavailableDatabaseReturns503(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections and never responds
	require.NoError(t, err)
	t.Cleanup(func() { silent.Close() })
	full := postgrestest.Setup(t)
	name := postgrestest.Query[string](t, full, `SELECT quote_ident(current_database())`)
	full.Exec(t, `ALTER DATABASE `+name+` CONNECTION LIMIT 0`)
	asleep, err := url.Parse(full.AppURL)
	require.NoError(t, err)
	asleep.Host = silent.Addr().String()
	for what, address := range map[string]string{"asleep": asleep.String(), "full": full.AppURL} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			db, err := postgres.Open(t.Context(), postgres.Config{URL: address, Connections: 1, ConnectTimeout: 100 * time.Millisecond})
			require.NoError(t, err)
			t.Cleanup(db.Close)
			err = db.InOrganisation(t.Context(), 1, func(pgx.Tx) error { return nil })
			w := httptest.NewRecorder()
			writeProblem(w, httptest.NewRequest(http.MethodGet, "/api/imports", nil), toProblem(err))
			require.Equal(t, http.StatusServiceUnavailable, w.Code)
			require.Equal(t, "15", w.Header().Get("Retry-After"))
			require.Contains(t, w.Body.String(), `"code":"UNAVAILABLE"`)
		})
	}
}
