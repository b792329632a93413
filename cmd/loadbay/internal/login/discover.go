package login

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// maxMetadata bounds a discovery document, in bytes.
const maxMetadata = 1 << 20

// endpoints are what a discovery document says.
type endpoints struct {
	Issuer        string `json:"issuer"`
	Authorization string `json:"authorization_endpoint"`
	Token         string `json:"token_endpoint"`
	Device        string `json:"device_authorization_endpoint"` // empty: it gives no codes
}

// discover asks an issuer for its endpoints (OpenID Connect Discovery 1.0, section 4).
func discover(ctx context.Context, issuer string) (e endpoints, err error) {
	address := strings.TrimSuffix(issuer, "/") + "/.well-known/openid-configuration"
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return e, fmt.Errorf("ask %s how to sign in: %w", issuer, err)
	}
	response, err := (&http.Client{Timeout: requestTimeout}).Do(request)
	if err != nil {
		return e, fmt.Errorf("ask the issuer how to sign in: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return e, fmt.Errorf("ask %s how to sign in: %s", issuer, response.Status)
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, maxMetadata)).Decode(&e); err != nil {
		return e, fmt.Errorf("read what %s says: %w", issuer, err)
	}
	if e.Issuer != issuer {
		return e, fmt.Errorf("%s says that it is %q", issuer, e.Issuer)
	}
	used := []string{e.Authorization, e.Token}
	if e.Device != "" {
		used = append(used, e.Device)
	}
	for _, endpoint := range used {
		if !isPrivateURL(endpoint) {
			return e, fmt.Errorf("%s has an endpoint that is not https: %q", issuer, endpoint)
		}
	}
	return e, nil
}

// isPrivateURL reports whether nobody listens on the way to an address: by TLS, or because it
// is on this machine.
func isPrivateURL(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := u.Hostname()
	return u.Scheme == "https" && host != "" || u.Scheme == "http" && (host == "127.0.0.1" || host == "localhost" || host == "::1")
}
