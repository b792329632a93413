package gateway

import (
	"context"
	"crypto"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// Times of the issuer's keys: after keysLifetime they are fetched again, and for a token with an
// unknown key not before keysPause has passed.
const (
	keysLifetime = time.Hour
	keysPause    = 30 * time.Second
)

// maxDocument limits the documents of an issuer, in bytes.
const maxDocument = 1 << 20

// algorithms are the accepted signatures. Secrets shared with the issuer are not accepted.
var algorithms = []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"}

// RemoteConfig names an OpenID Connect issuer and its accepted tokens.
type RemoteConfig struct {
	// Issuer is the issuer's address, exactly as in the claim iss.
	Issuer string
	// Audience is the required audience.
	Audience string
	// Clients are the clients whose tokens are accepted if they have no claim aud, but client_id.
	Clients []string
	// Client makes the requests.
	Client *http.Client
}

// RemoteIssuer verifies the tokens of an OpenID Connect issuer, as API Gateway's JWT authorizer does.
type RemoteIssuer struct {
	config  RemoteConfig
	keysURL string
	origins []string

	fetching sync.Mutex // held while the keys are fetched
	tried    time.Time  // the last fetch, also a failed one

	mu      sync.Mutex
	keys    map[string]crypto.PublicKey
	fetched time.Time
}

// discovery is the part of a discovery document that is used (OpenID Connect Discovery 1.0,
// section 3).
type discovery struct {
	Issuer        string `json:"issuer"`
	Authorization string `json:"authorization_endpoint"`
	Token         string `json:"token_endpoint"`
	Keys          string `json:"jwks_uri"`
}

// NewRemoteIssuer reads the issuer's discovery document and its keys.
func NewRemoteIssuer(ctx context.Context, c RemoteConfig) (*RemoteIssuer, error) {
	if c.Audience == "" || c.Client == nil {
		return nil, errors.New("remote issuer: Audience and Client are needed")
	}
	if err := checkIssuerURL(c.Issuer); err != nil {
		return nil, fmt.Errorf("issuer %s: %w", c.Issuer, err)
	}
	i := &RemoteIssuer{config: c}
	var d discovery
	if err := i.get(ctx, strings.TrimSuffix(c.Issuer, "/")+"/.well-known/openid-configuration", &d); err != nil {
		return nil, fmt.Errorf("issuer %s: read its discovery document: %w", c.Issuer, err)
	}
	if d.Issuer != c.Issuer {
		return nil, fmt.Errorf("issuer %s: its discovery document names the issuer %q; use that name", c.Issuer, d.Issuer)
	}
	for _, address := range []string{c.Issuer, d.Authorization, d.Token, d.Keys} {
		if err := checkIssuerURL(address); err != nil {
			return nil, fmt.Errorf("issuer %s: address %q in its discovery document: %w", c.Issuer, address, err)
		}
	}
	i.keysURL = d.Keys
	for _, address := range []string{c.Issuer, d.Token} {
		parsed, _ := url.Parse(address) // checked before
		if origin := parsed.Scheme + "://" + parsed.Host; !slices.Contains(i.origins, origin) {
			i.origins = append(i.origins, origin)
		}
	}
	if err := i.fetchKeys(ctx); err != nil {
		return nil, fmt.Errorf("issuer %s: %w", c.Issuer, err)
	}
	return i, nil
}

// checkIssuerURL requires TLS, except on this machine.
func checkIssuerURL(address string) error {
	parsed, err := url.Parse(address)
	switch {
	case err != nil:
		return err
	case parsed.Host == "":
		return errors.New("it is not a URL")
	case parsed.Scheme == "https", parsed.Scheme == "http" && isOwnHost(hostname(parsed.Host), "localhost"):
		return nil
	}
	return errors.New("it does not use https")
}

// Origins are the origins to which a browser sends requests during a sign-in.
func (i *RemoteIssuer) Origins() []string { return i.origins }

// Verify implements Verifier.
func (i *RemoteIssuer) Verify(ctx context.Context, token string) (Claims, error) {
	claims := jwt.MapClaims{}
	var unavailable error
	_, err := jwt.ParseWithClaims(token, claims, func(t *jwt.Token) (any, error) {
		key, err := i.key(ctx, t)
		unavailable = err
		return key, err
	}, jwt.WithValidMethods(algorithms), jwt.WithIssuer(i.config.Issuer), jwt.WithExpirationRequired(), jwt.WithJSONNumber())
	if unavailable != nil {
		return nil, unavailable
	}
	if err == nil && !i.isForUs(claims) {
		err = jwt.ErrTokenInvalidAudience
	}
	return verifiedClaims(claims, err)
}

// isForUs reports whether a token was issued for this installation. Cognito's access tokens name a
// client instead of an audience.
func (i *RemoteIssuer) isForUs(claims jwt.MapClaims) bool {
	if _, has := claims["aud"]; has {
		audience, err := claims.GetAudience()
		return err == nil && slices.Contains(audience, i.config.Audience)
	}
	client, _ := claims["client_id"].(string)
	return client != "" && (client == i.config.Audience || slices.Contains(i.config.Clients, client))
}

// errUnknownKey means that the issuer has no such key.
var errUnknownKey = errors.New("the token is not valid")

// key returns the key that signed a token. It fetches the keys again if they are old, or if the
// key is unknown because the issuer has changed its keys. Tokens with a known key do not wait for
// that.
func (i *RemoteIssuer) key(ctx context.Context, token *jwt.Token) (crypto.PublicKey, error) {
	id, _ := token.Header["kid"].(string)
	key, current := i.find(id)
	if current {
		return key, nil
	}
	if key == nil {
		i.fetching.Lock()
	} else if !i.fetching.TryLock() {
		return key, nil
	}
	defer i.fetching.Unlock()
	// Another request may have fetched them, and too many tokens with invented keys must not cause
	// too many requests.
	if found, current := i.find(id); current || time.Since(i.tried) < keysPause {
		return requireKey(found)
	}
	// The next request needs the keys as well, if this one is cancelled.
	if err := i.fetchKeys(context.WithoutCancel(ctx)); err != nil && key == nil {
		return nil, errors.New("the keys of the issuer cannot be fetched")
	}
	key, _ = i.find(id)
	return requireKey(key)
}

func requireKey(key crypto.PublicKey) (crypto.PublicKey, error) {
	if key == nil {
		return nil, errUnknownKey
	}
	return key, nil
}

// find returns the key with an id, or nil, and whether it is current. A token without an id is
// signed by the issuer's only key.
func (i *RemoteIssuer) find(id string) (key crypto.PublicKey, current bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	key = i.keys[id]
	if id == "" && len(i.keys) == 1 {
		for _, only := range i.keys {
			key = only
		}
	}
	return key, key != nil && time.Since(i.fetched) < keysLifetime
}

// fetchKeys replaces the keys, or returns an error and leaves them. The caller holds fetching, or is
// the only one.
func (i *RemoteIssuer) fetchKeys(ctx context.Context) error {
	i.tried = time.Now()
	var set struct {
		Keys []webKey `json:"keys"`
	}
	if err := i.get(ctx, i.keysURL, &set); err != nil {
		return fmt.Errorf("read its keys: %w", err)
	}
	keys := make(map[string]crypto.PublicKey, len(set.Keys))
	for _, k := range set.Keys {
		if key, ok := k.public(); ok {
			keys[k.ID] = key
		}
	}
	if len(keys) == 0 {
		return errors.New("read its keys: there is no key for signatures with RSA or ECDSA")
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.keys, i.fetched = keys, time.Now()
	return nil
}

func (i *RemoteIssuer) get(ctx context.Context, address string, document any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return err
	}
	response, err := i.config.Client.Do(r)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s responded with %s", address, response.Status)
	}
	return json.NewDecoder(io.LimitReader(response.Body, maxDocument)).Decode(document)
}
