package rds_test

import (
	"net"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/aws/rds"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// A token is not sent to a server without an Amazon certificate.
func TestTokenIsSentToRDSOnly(t *testing.T) {
	t.Parallel()
	host, port, err := net.SplitHostPort(postgrestest.StartTLSServer(t).Address)
	require.NoError(t, err)
	db, err := rds.Open(t.Context(),
		aws.Config{Region: "eu-central-1", Credentials: credentials.NewStaticCredentialsProvider("a", "b", "")},
		rds.Settings{User: "loadbay_app", Connections: 1, Server: rds.Server{Host: host, Port: port, Name: "loadbay"}})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	require.ErrorContains(t, db.Ping(t.Context()), "certificate signed by unknown authority")
}

func TestLocalURLIsUsedUnchanged(t *testing.T) {
	t.Parallel()
	db, err := rds.Open(t.Context(), aws.Config{}, rds.Settings{URL: postgrestest.Setup(t).AppURL, Connections: 1})
	require.NoError(t, err)
	t.Cleanup(db.Close)
	require.NoError(t, db.Ping(t.Context()))
}
