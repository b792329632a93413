package outage_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/runtime/outage"
)

func TestDatabaseOutagesAreRecognised(t *testing.T) {
	t.Parallel()
	_, refused := pgconn.Connect(t.Context(), "postgres://nobody@127.0.0.1:1/none?connect_timeout=1")
	require.Error(t, refused)
	for _, err := range []error{refused, &pgconn.PgError{Code: "08006"}, &pgconn.PgError{Code: "53300"}, &pgconn.PgError{Code: "57P01"}, &pgconn.PgError{Code: "25006"}, &pgconn.PgError{Code: "55P03"}} {
		require.True(t, outage.Database(fmt.Errorf("list: %w", err)), err)
	}
	for _, err := range []error{nil, errors.New("bug"), &pgconn.PgError{Code: "23505"}, &pgconn.PgError{Code: "57014"}} {
		require.False(t, outage.Database(err), err)
	}
}

func TestConflictsAreRecognised(t *testing.T) {
	t.Parallel()
	require.True(t, outage.Contended(fmt.Errorf("commit: %w", &pgconn.PgError{Code: "40001"})))
	require.True(t, outage.Contended(&pgconn.PgError{Code: "40P01"}))
	require.False(t, outage.Contended(&pgconn.PgError{Code: "57P01"}))
	require.False(t, outage.Contended(nil))
}
