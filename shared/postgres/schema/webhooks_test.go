package schema_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/postgres/schema"
)

// fakeResealer seals unsealed secrets in a way that a test can reverse.
type fakeResealer struct{ fail, unavailable error }

func (r fakeResealer) HasKeys(context.Context) error { return r.unavailable }

func (r fakeResealer) Reseal(_ context.Context, organisation tenant.ID, secret job.SealedSecret) (job.SealedSecret, bool, error) {
	if strings.HasPrefix(string(secret), "sealed") {
		return secret, false, nil
	}
	return job.SealedSecret("sealed for " + organisation.String() + " " + string(secret)), true, r.fail
}

// An owner with the rights of an owner on RDS seals the secrets that the first release stored,
// although row level security hides all webhooks from it.
func TestMigrateSealsExistingSecrets(t *testing.T) {
	t.Parallel()
	server := withRoles(t)
	admin, owner := filledDatabase(t, server, "loadbay")
	_, err := schema.Migrate(t.Context(), owner, nil)
	require.NoError(t, err)
	_, err = admin.Exec(t.Context(), `
		INSERT INTO organisations (id, name) VALUES (3, 'Three');
		INSERT INTO webhooks (organisation_id, url, secret, previous_secret, previous_until)
		VALUES (1, 'https://a.example/', 'whsec_a', NULL, NULL), (2, 'https://b.example/', 'whsec_b', 'whsec_old', now()), (3, 'https://c.example/', 'sealed c', NULL, NULL)`)
	require.NoError(t, err)

	_, err = schema.SealWebhooks(t.Context(), owner, fakeResealer{unavailable: errors.New("no keys")})
	require.ErrorContains(t, err, "no keys")
	_, err = schema.SealWebhooks(t.Context(), owner, fakeResealer{fail: errors.New("another's text")})
	require.ErrorContains(t, err, "another's text")
	require.Equal(t, []string{"whsec_a", "whsec_b", "sealed c"}, storedSecrets(t, admin, "secret"), "no secret is changed if one fails")

	n, err := schema.SealWebhooks(t.Context(), owner, fakeResealer{})
	require.NoError(t, err)
	require.Equal(t, 2, n)
	require.Equal(t, []string{"sealed for 1 whsec_a", "sealed for 2 whsec_b", "sealed c"}, storedSecrets(t, admin, "secret"))
	require.Equal(t, []string{"", "sealed for 2 whsec_old", ""}, storedSecrets(t, admin, "coalesce(previous_secret, '')"))
	n, err = schema.SealWebhooks(t.Context(), owner, fakeResealer{})
	require.NoError(t, err)
	require.Zero(t, n)
	requireDocument(t, heading+describe(t, admin)) // row level security is active again
}

func storedSecrets(t *testing.T, admin *pgx.Conn, column string) []string {
	t.Helper()
	rows, err := admin.Query(t.Context(), `SELECT `+column+` FROM webhooks ORDER BY organisation_id`)
	require.NoError(t, err)
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	return found
}
