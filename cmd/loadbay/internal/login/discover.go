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

// maxMetadata is the maximum size of a discovery document, in bytes.
const maxMetadata = 1 << 20

// endpoints are read from a discovery document.
type endpoints struct {
	Issuer        string `json:"issuer"`
	Authorization string `json:"authorization_endpoint"`
	Token         string `json:"token_endpoint"`
	Device        string `json:"device_authorization_endpoint"` // empty if the issuer does not support codes
}

// discover reads the endpoints of an issuer (OpenID Connect Discovery 1.0, section 4).
func discover(ctx context.Context, issuer string) (e endpoints, err error) {
	address := strings.TrimSuffix(issuer, "/") + "/.well-known/openid-configuration"
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return e, fmt.Errorf("discover sign-in at %s: %w", issuer, err)
	}
	response, err := (&http.Client{Timeout: requestTimeout}).Do(request)
	if err != nil {
		return e, fmt.Errorf("discover sign-in: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return e, fmt.Errorf("discover sign-in at %s: %s", issuer, response.Status)
	}
	if err := json.NewDecoder(io.LimitReader(response.Body, maxMetadata)).Decode(&e); err != nil {
		return e, fmt.Errorf("read response of %s: %w", issuer, err)
	}
	if e.Issuer != issuer {
		return e, fmt.Errorf("%s identifies itself as %q", issuer, e.Issuer)
	}
	used := []string{e.Authorization, e.Token}
	if e.Device != "" {
		used = append(used, e.Device)
	}
	for _, endpoint := range used {
		if !isPrivateURL(endpoint) {
			return e, fmt.Errorf("%s has an endpoint without https: %q", issuer, endpoint)
		}
	}
	return e, nil
}

// isPrivateURL reports whether requests to an address are protected from eavesdropping: by TLS,
// or because the address is on this machine.
func isPrivateURL(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	host := u.Hostname()
	return u.Scheme == "https" && host != "" || u.Scheme == "http" && (host == "127.0.0.1" || host == "localhost" || host == "::1")
}
