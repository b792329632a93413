package iam

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
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// The maximum clock difference of a signature, and the maximum lifetime of a signed address, for
// services other than S3.
const (
	maxSkew   = 15 * time.Minute
	maxSigned = 5 * time.Minute
)

const (
	algorithm  = "AWS4-HMAC-SHA256"
	timeLayout = "20060102T150405Z"
)

// signature contains the parts of a request's signature.
type signature struct {
	access, region, service string
	headers                 []string // signed headers
	value                   string
	at                      time.Time
}

var errUnsigned = errors.New("the request has no signature")

// accessKeyOf returns the access key in the header or the query of a signed request.
func accessKeyOf(r *http.Request) string {
	credential := r.URL.Query().Get("X-Amz-Credential")
	if s, err := headerSignature(r); err == nil {
		return s.access
	}
	access, _, _ := strings.Cut(credential, "/")
	return access
}

// headerSignature parses the header Authorization.
func headerSignature(r *http.Request) (signature, error) {
	rest, ok := strings.CutPrefix(r.Header.Get("Authorization"), algorithm)
	if !ok {
		return signature{}, errUnsigned
	}
	fields := map[string]string{}
	for field := range strings.SplitSeq(rest, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		fields[name] = value
	}
	s := signature{headers: strings.Split(fields["SignedHeaders"], ";"), value: fields["Signature"]}
	var err error
	if s.at, err = time.Parse(timeLayout, r.Header.Get("X-Amz-Date")); err != nil {
		return signature{}, errors.New("the signature has no time")
	}
	return s, s.scope(fields["Credential"])
}

// scope parses "<access key>/<date>/<region>/<service>/aws4_request".
func (s *signature) scope(credential string) error {
	parts := strings.Split(credential, "/")
	if len(parts) != 5 {
		return errors.New("the signature's credential is malformed")
	}
	s.access, s.region, s.service = parts[0], parts[2], parts[3]
	return nil
}

// verifyHeader verifies the signature in a request's header with the secret of its access key,
// and returns that key.
func verifyHeader(r *http.Request, payload []byte, secret func(accessKey string) string) (accessKey string, err error) {
	s, err := headerSignature(r)
	if err != nil {
		return "", err
	}
	if skew := time.Since(s.at); skew > maxSkew || skew < -maxSkew {
		return "", errors.New("the signature has expired")
	}
	again := &http.Request{Method: r.Method, Host: r.Host, URL: requestURL(r, r.URL.RawQuery), Header: http.Header{}}
	for _, name := range s.headers {
		switch name {
		case "host":
		case "content-length":
			again.ContentLength = r.ContentLength
		default:
			again.Header[http.CanonicalHeaderKey(name)] = r.Header.Values(name)
		}
	}
	credentials := aws.Credentials{AccessKeyID: s.access, SecretAccessKey: secret(s.access)}
	if err := v4.NewSigner().SignHTTP(r.Context(), credentials, again, sha256Hex(payload), s.service, s.region, s.at); err != nil {
		return "", fmt.Errorf("sign: %w", err)
	}
	want, err := headerSignature(again)
	if err != nil {
		return "", err
	}
	return s.access, checkEqual(want.value, s.value)
}

// verifyQuery verifies the signature in the query of a request without a body.
func verifyQuery(r *http.Request, secret func(accessKey string) string) (accessKey string, err error) {
	query := r.URL.Query()
	var s signature
	if s.at, err = time.Parse(timeLayout, query.Get("X-Amz-Date")); err != nil {
		return "", errUnsigned
	}
	if err := s.scope(query.Get("X-Amz-Credential")); err != nil {
		return "", err
	}
	valid, err := strconv.Atoi(query.Get("X-Amz-Expires"))
	if err != nil || time.Duration(valid)*time.Second > maxSigned {
		return "", fmt.Errorf("a signature is valid for %s at most", maxSigned)
	}
	if age := time.Since(s.at); age > time.Duration(valid)*time.Second || age < -maxSigned {
		return "", errors.New("the signature has expired")
	}
	have := query.Get("X-Amz-Signature")
	want, err := s.sign(r.Context(), r, query, secret(s.access))
	if err != nil {
		return "", err
	}
	return s.access, checkEqual(want, have)
}

// sign returns the signature of a request, after removing the signature's own parameters from
// query.
func (s signature) sign(ctx context.Context, r *http.Request, query url.Values, secret string) (string, error) {
	for _, name := range []string{"Signature", "Algorithm", "Credential", "Date", "SignedHeaders"} {
		query.Del("X-Amz-" + name)
	}
	again := &http.Request{Method: r.Method, Host: r.Host, Header: http.Header{}, URL: requestURL(r, query.Encode())}
	credentials := aws.Credentials{AccessKeyID: s.access, SecretAccessKey: secret}
	signed, _, err := v4.NewSigner().PresignHTTP(ctx, credentials, again, sha256Hex(nil), s.service, s.region, s.at)
	if err != nil {
		return "", fmt.Errorf("sign: %w", err)
	}
	address, err := url.Parse(signed)
	if err != nil {
		return "", fmt.Errorf("sign: %w", err)
	}
	return address.Query().Get("X-Amz-Signature"), nil
}

func requestURL(r *http.Request, query string) *url.URL {
	return &url.URL{Scheme: "http", Host: r.Host, Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: query}
}

func sha256Hex(payload []byte) string {
	sum := sha256.Sum256(payload)
	return hex.EncodeToString(sum[:])
}

func checkEqual(want, have string) error {
	if subtle.ConstantTimeCompare([]byte(want), []byte(have)) != 1 {
		return errors.New("the signature does not match")
	}
	return nil
}
