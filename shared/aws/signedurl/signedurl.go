// Package signedurl signs addresses of a Lambda function for callers without AWS
// credentials. A signed address permits exactly one request for a short time; its query
// cannot be changed.
//
// https://docs.aws.amazon.com/IAM/latest/UserGuide/create-signed-request.html
//
// Tested by infra/local/gateway: which signatures are accepted.
package signedurl

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// lifetime is the validity of an address. It equals the time for which IAM accepts the
// signatures of most services.
const lifetime = 5 * time.Minute

// Signer signs addresses of one function.
type Signer struct {
	address     *url.URL
	region      string
	credentials aws.CredentialsProvider
	now         func() time.Time
}

// New returns a signer for the function behind address, with the credentials and
// region of the configuration.
func New(address string, c aws.Config) (*Signer, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("function address: %q is not a URL", address)
	}
	return &Signer{address: u, region: c.Region, credentials: c.Credentials, now: time.Now}, nil
}

// Sign returns the signed address for a GET request with the query. It sends no request.
func (s *Signer) Sign(ctx context.Context, query url.Values) (string, error) {
	credentials, err := s.credentials.Retrieve(ctx)
	if err != nil {
		return "", fmt.Errorf("sign URL: %w", err)
	}
	address := *s.address
	full := url.Values{"X-Amz-Expires": {strconv.Itoa(int(lifetime.Seconds()))}}
	for name, values := range query {
		full[name] = values
	}
	address.RawQuery = full.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return "", fmt.Errorf("sign URL: %w", err)
	}
	nothing := sha256.Sum256(nil)
	signed, _, err := v4.NewSigner().PresignHTTP(ctx, credentials, r, hex.EncodeToString(nothing[:]), "lambda", s.region, s.now())
	if err != nil {
		return "", fmt.Errorf("sign URL: %w", err)
	}
	return signed, nil
}
