package gateway

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/loadbay/loadbay/infra/local/lambdahost"
)

// signature is the key that signs requests of functions' addresses.
type signature struct{ access, secret string }

// maxSigned is how long a signature of IAM is good at most.
const maxSigned = 5 * time.Minute

// verify holds the signature in the query of a request without a body (Signature
// Version 4) against the one that the key gives.
func (s signature) verify(r *http.Request) error {
	query := r.URL.Query()
	signedAt, err := time.Parse("20060102T150405Z", query.Get("X-Amz-Date"))
	if err != nil {
		return errors.New("the query carries no signature")
	}
	valid, err := strconv.Atoi(query.Get("X-Amz-Expires"))
	if err != nil || time.Duration(valid)*time.Second > maxSigned {
		return fmt.Errorf("a signature is valid for %s at most", maxSigned)
	}
	if age := time.Since(signedAt); age > time.Duration(valid)*time.Second || age < -maxSigned {
		return errors.New("the signature has expired")
	}
	want, err := s.sign(r.Context(), r, query, signedAt)
	if err != nil {
		return err
	}
	if subtle.ConstantTimeCompare([]byte(want), []byte(query.Get("X-Amz-Signature"))) != 1 {
		return errors.New("the signature does not match")
	}
	return nil
}

// sign returns the signature of the request at that time.
func (s signature) sign(ctx context.Context, r *http.Request, query url.Values, when time.Time) (string, error) {
	unsigned := url.Values{}
	for name, values := range query {
		switch name {
		case "X-Amz-Signature", "X-Amz-Algorithm", "X-Amz-Credential", "X-Amz-Date", "X-Amz-SignedHeaders":
		default:
			unsigned[name] = values
		}
	}
	again := &http.Request{Method: r.Method, Host: r.Host, Header: http.Header{}, URL: &url.URL{
		Scheme: "http", Host: r.Host, Path: r.URL.Path, RawQuery: unsigned.Encode(),
	}}
	empty := sha256.Sum256(nil)
	signed, _, err := v4.NewSigner().PresignHTTP(ctx, aws.Credentials{AccessKeyID: s.access, SecretAccessKey: s.secret},
		again, hex.EncodeToString(empty[:]), "lambda", lambdahost.Region, when)
	if err != nil {
		return "", fmt.Errorf("sign: %w", err)
	}
	address, err := url.Parse(signed)
	if err != nil {
		return "", fmt.Errorf("sign: %w", err)
	}
	return address.Query().Get("X-Amz-Signature"), nil
}
