// Package signedurl signs addresses of a Lambda function for callers that have no
// credentials of AWS. Whoever has such an address may make the one request that it
// says, for a short while; nothing of its query can be changed.
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

// lifetime is how long an address is good: as long as IAM accepts a signature of
// most services.
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
		return nil, fmt.Errorf("address of a function: %q is no URL", address)
	}
	return &Signer{address: u, region: c.Region, credentials: c.Credentials, now: time.Now}, nil
}

// Sign returns the address of a GET with that query, without any request.
func (s *Signer) Sign(ctx context.Context, query url.Values) (string, error) {
	credentials, err := s.credentials.Retrieve(ctx)
	if err != nil {
		return "", fmt.Errorf("sign an address: %w", err)
	}
	address := *s.address
	full := url.Values{"X-Amz-Expires": {strconv.Itoa(int(lifetime.Seconds()))}}
	for name, values := range query {
		full[name] = values
	}
	address.RawQuery = full.Encode()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return "", fmt.Errorf("sign an address: %w", err)
	}
	nothing := sha256.Sum256(nil)
	signed, _, err := v4.NewSigner().PresignHTTP(ctx, credentials, r, hex.EncodeToString(nothing[:]), "lambda", s.region, s.now())
	if err != nil {
		return "", fmt.Errorf("sign an address: %w", err)
	}
	return signed, nil
}
