package wire

import (
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// elsewhere is a database that is not Amazon's.
func elsewhere(t *testing.T) databaseSettings {
	t.Helper()
	host, port, err := net.SplitHostPort(postgrestest.ServeTLS(t).Address)
	require.NoError(t, err)
	return databaseSettings{Host: host, Port: port, Name: "loadbay", User: "loadbay_app", SecretARN: "arn:of:the:secret"}
}

// Neither a token nor the owner's password is sent to a server whose certificate
// is not Amazon's.
func TestAFunctionShowsItsTokenToRDSOnly(t *testing.T) {
	t.Parallel()
	s := elsewhere(t)
	db, err := s.open(t.Context(), aws.Config{Region: "eu-central-1", Credentials: credentials.NewStaticCredentialsProvider("a", "b", "")})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	require.ErrorContains(t, db.Ping(t.Context()), "certificate signed by unknown authority")
}

func TestMigrateShowsThePasswordToRDSOnly(t *testing.T) {
	t.Parallel()
	s := elsewhere(t)
	secrets := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]string{"SecretString": `{"username":"loadbay_admin","password":"p/w?"}`})
	}))
	t.Cleanup(secrets.Close)
	administrator, err := s.administrator(t.Context(), aws.Config{
		Region: "eu-central-1", Credentials: credentials.NewStaticCredentialsProvider("a", "b", ""), BaseEndpoint: &secrets.URL,
	})
	require.NoError(t, err)
	require.Equal(t, "loadbay_admin", administrator.User)
	require.Equal(t, "p/w?", administrator.Password)
	_, err = pgx.ConnectConfig(t.Context(), administrator)
	require.ErrorContains(t, err, "certificate signed by unknown authority")
}

func TestAnAddressOnThisMachineIsTakenAsItIs(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	s := databaseSettings{URL: d.AppURL}
	db, err := s.open(t.Context(), aws.Config{})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	require.NoError(t, db.Ping(t.Context()))
	s.URL = d.AdminURL
	administrator, err := s.administrator(t.Context(), aws.Config{})
	require.NoError(t, err)
	require.Nil(t, administrator.TLSConfig)
	s.URL = "postgres://user:secret@host:none/"
	_, err = s.administrator(t.Context(), aws.Config{})
	require.EqualError(t, err, "the database's address cannot be read")
}
