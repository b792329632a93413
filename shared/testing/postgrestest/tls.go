package postgrestest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"math/big"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/stretchr/testify/require"
)

// TLSServer simulates the TLS handshake of a Postgres server: it agrees to TLS, presents a
// certificate for 127.0.0.1 from an unknown authority, and refuses clients that accept it with
// the error RefusalMessage.
type TLSServer struct {
	// Address is host:port with the host 127.0.0.1.
	Address string
	// Authority contains the issuer of the certificate.
	Authority *x509.CertPool
}

// RefusalMessage is the error sent to clients that trust the server.
const RefusalMessage = "you have come through"

// StartTLSServer runs a TLSServer until the test ends.
func StartTLSServer(t testing.TB) *TLSServer {
	t.Helper()
	certificate, authority := newCertificate(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // closed
			}
			serving.Go(func() { _ = respond(conn, certificate) }) // clients that do not trust the certificate disconnect
		}
	})
	t.Cleanup(func() {
		require.NoError(t, listener.Close())
		serving.Wait()
	})
	return &TLSServer{Address: listener.Addr().String(), Authority: authority}
}

func newCertificate(t testing.TB) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	parsed, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

// respond implements the start of Postgres's protocol.
// https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-SSL
func respond(conn net.Conn, certificate tls.Certificate) error {
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		return err
	}
	request, err := pgproto3.NewBackend(conn, conn).ReceiveStartupMessage()
	if err != nil {
		return err
	}
	if _, wantsTLS := request.(*pgproto3.SSLRequest); !wantsTLS {
		return errors.New("a client that does not ask for TLS")
	}
	if _, err := io.WriteString(conn, "S"); err != nil {
		return err
	}
	tlsConn := tls.Server(conn, &tls.Config{Certificates: []tls.Certificate{certificate}})
	backend := pgproto3.NewBackend(tlsConn, tlsConn)
	if _, err := backend.ReceiveStartupMessage(); err != nil {
		return err
	}
	backend.Send(&pgproto3.ErrorResponse{Severity: "FATAL", Code: "28000", Message: RefusalMessage})
	return backend.Flush()
}
