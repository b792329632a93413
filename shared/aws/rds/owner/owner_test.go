package owner_test

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

	"github.com/loadbay/loadbay/shared/aws/rds"
	"github.com/loadbay/loadbay/shared/aws/rds/owner"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// The owner's password is not sent to a server without an Amazon certificate.
func TestPasswordIsSentToRDSOnly(t *testing.T) {
	t.Parallel()
	host, port, err := net.SplitHostPort(postgrestest.StartTLSServer(t).Address)
	require.NoError(t, err)
	secrets := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]string{"SecretString": `{"username":"loadbay_admin","password":"p/w?"}`})
	}))
	t.Cleanup(secrets.Close)
	connection, err := owner.ConnConfig(t.Context(), aws.Config{
		Region: "eu-central-1", Credentials: credentials.NewStaticCredentialsProvider("a", "b", ""), BaseEndpoint: &secrets.URL,
	}, owner.Settings{SecretARN: "arn:of:the:secret", Server: rds.Server{Host: host, Port: port, Name: "loadbay"}})
	require.NoError(t, err)
	require.Equal(t, "loadbay_admin", connection.User)
	require.Equal(t, "p/w?", connection.Password)
	_, err = pgx.ConnectConfig(t.Context(), connection)
	require.ErrorContains(t, err, "certificate signed by unknown authority")
}

func TestLocalURLIsUsedUnchanged(t *testing.T) {
	t.Parallel()
	connection, err := owner.ConnConfig(t.Context(), aws.Config{}, owner.Settings{URL: postgrestest.Setup(t).AdminURL})
	require.NoError(t, err)
	require.Nil(t, connection.TLSConfig)
	_, err = owner.ConnConfig(t.Context(), aws.Config{}, owner.Settings{URL: "postgres://user:secret@host:none/"})
	require.EqualError(t, err, "invalid database address")
}
