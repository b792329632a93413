package cli

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// proxiedStack is a stack behind a TLS proxy, whose people sign in at another issuer.
type proxiedStack struct {
	*stacktest.Stack
	issuer  *stacktest.Stack
	public  string // the address of the proxy
	browser *http.Client
}

// startProxiedStack starts a stack, the issuer, which is the provider of another stack, and the proxy.
func startProxiedStack(t *testing.T) (p *proxiedStack, trusted []byte) {
	t.Helper()
	stacktest.SkipShort(t)
	var target atomic.Pointer[url.URL]
	proxy := httptest.NewUnstartedServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target.Load())
		r.Out.Host = r.In.Host
		r.SetXForwarded()
	}})
	certificate, key := newCertificate(t)
	proxy.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: key}}}
	proxy.StartTLS()
	t.Cleanup(proxy.Close)
	trusted = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})
	roots := x509.NewCertPool()
	require.True(t, roots.AppendCertsFromPEM(trusted))
	p = &proxiedStack{
		issuer:  stacktest.Start(t, "LOCAL_AUTH=required"),
		public:  strings.Replace(proxy.URL, "127.0.0.1", "localhost", 1),
		browser: &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}},
	}
	p.Stack = stacktest.Start(t, "PUBLIC_URL="+p.public, "AUTH_ISSUER=http://"+p.issuer.API+"/local/openid",
		"AUTH_AUDIENCE=loadbay", "AUTH_CLIENT_ID=loadbay-console", "AUTH_COMMAND_CLIENT_ID=loadbay-command",
		"AUTH_SCOPES=openid imports:read imports:write exports:read exports:write")
	to, err := url.Parse("http://" + p.API)
	require.NoError(t, err)
	target.Store(to)
	return p, trusted
}

// newCertificate returns a certificate of localhost, in DER, and its key.
func newCertificate(t *testing.T) ([]byte, *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true,
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	return certificate, key
}

func (p *proxiedStack) status(t *testing.T, method, path string, header http.Header) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, p.public+path, http.NoBody)
	require.NoError(t, err)
	for name, values := range header {
		r.Header[name] = values
	}
	response, err := p.browser.Do(r)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response.StatusCode
}

// TestPublicAddressWithIssuer uses a single server as its users do: through a TLS proxy, with tokens of
// an issuer, and files through presigned URLs of the same address.
func TestPublicAddressWithIssuer(t *testing.T) {
	t.Parallel()
	p, certificate := startProxiedStack(t)
	add := exec.CommandContext(t.Context(), filepath.Join(stacktest.Root(t), "bin", "loadbay-local"), "organisation", "Harbour Athletics")
	add.Env = append(os.Environ(), "DATA_DIR="+p.Dir)
	output, err := add.CombinedOutput()
	require.NoError(t, err, "%s", output)
	require.Contains(t, string(output), "Organisation 1, Harbour Athletics, was created", "there are no sample organisations")

	s := newShell(t, p.Stack)
	trusted := filepath.Join(s.dir, "proxy.pem")
	require.NoError(t, os.WriteFile(trusted, certificate, 0o600))
	s.env = append(s.env, "SSL_CERT_FILE="+trusted)
	s.mustRun(t, "installation", "add", "server", p.public)
	require.Equal(t, 1, s.run(t, "", "whoami").code)
	term := s.login(t, url.Values{"name": {"ada"}, "organisation": {"1"}})
	require.Zero(t, term.wait(t), term.text())
	require.Equal(t, "ada\t1\n", s.mustRun(t, "whoami", "--jq", `"\(.subject)\t\(.organisationId)"`))

	const rows = 120_000 // in parts, by presigned URLs
	var users strings.Builder
	users.WriteString("email,name,bio\n")
	for i := range rows {
		fmt.Fprintf(&users, "u%d@example.org,User %d,%s\n", i, i, strings.Repeat("x", 120))
	}
	require.Greater(t, users.Len(), 16<<20)
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "users.csv"), []byte(users.String()), 0o600))
	require.Equal(t, fmt.Sprintf("%d\n", rows), s.mustRun(t, "import", "users.csv", "--type", "USER", "--yes", "--jq", ".createdCount"))
	s.mustRun(t, "export", "users", "--output", "exported.csv")
	exported, err := os.ReadFile(filepath.Join(s.dir, "exported.csv"))
	require.NoError(t, err)
	require.Equal(t, rows+1, bytes.Count(exported, []byte("\n")))

	require.Equal(t, rows+1, bytes.Count(p.stream(t), []byte("\n")))
	t.Run("nothing else is public", func(t *testing.T) { p.requireClosed(t) })
}

// stream returns a streamed export. The request is redirected to the same host, with its token.
func (p *proxiedStack) stream(t *testing.T) []byte {
	t.Helper()
	token, err := rawclient.LocalToken(t.Context(), "http://"+p.issuer.API, 1)
	require.NoError(t, err)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.public+"/v1/exports?resource=users&format=csv", http.NoBody)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+token)
	response, err := p.browser.Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, http.StatusOK, response.StatusCode)
	require.Contains(t, response.Request.URL.Path, "/_loadbay/function-url/")
	file, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return file
}

// requireClosed checks that only the API and presigned URLs of functions can be reached.
func (p *proxiedStack) requireClosed(t *testing.T) {
	t.Helper()
	for _, path := range []string{"/local/token?scope=admin", "/local/openid/.well-known/openid-configuration", "/api/imports", "/api/admin/organisations"} {
		require.Equal(t, http.StatusUnauthorized, p.status(t, http.MethodGet, path, nil), path)
	}
	for _, path := range []string{"/metrics", "/local/figures"} {
		require.Equal(t, http.StatusNotFound, p.status(t, http.MethodGet, path, nil), path)
	}
	bucket := stacktest.Blueprint().Bucket.Name
	for _, path := range []string{"/" + bucket + "/", "/" + bucket + "/uploads/x?X-Amz-Signature=0", "/_loadbay/function-url/stream/"} {
		require.Equal(t, http.StatusForbidden, p.status(t, http.MethodGet, path, nil), path)
	}
	// Everybody knows the administrator's key.
	signed, err := s3.NewPresignClient(s3.NewFromConfig(p.AWSConfig(), func(o *s3.Options) {
		o.UsePathStyle, o.BaseEndpoint = true, &p.public
	})).PresignGetObject(t.Context(), &s3.GetObjectInput{Bucket: aws.String(bucket), Key: aws.String("uploads/none")}, s3.WithPresignExpires(time.Minute))
	require.NoError(t, err)
	path := strings.TrimPrefix(signed.URL, p.public)
	require.Equal(t, http.StatusForbidden, p.status(t, http.MethodGet, path, nil))
	require.Equal(t, http.StatusForbidden, p.status(t, http.MethodGet, "/"+bucket+"/", http.Header{"X-Amz-Target": {"AmazonSQS.ListQueues"}}))

}
