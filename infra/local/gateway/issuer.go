package gateway

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// The issuer and the audience of local tokens.
const (
	IssuerName = "https://issuer.loadbay.local"
	Audience   = "loadbay"
)

// Claims are a token's claims as a function sees them: all are strings.
type Claims map[string]string

// Issuer signs and verifies local tokens (ES256).
type Issuer struct{ key *ecdsa.PrivateKey }

// NewIssuer reads the key in the file, or makes one (mode 0600).
func NewIssuer(file string) (*Issuer, error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return makeIssuer(file)
	}
	if err != nil {
		return nil, fmt.Errorf("read the key for tokens: %w", err)
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("read the key for tokens: %s holds none; delete it to get a new one", file)
	}
	key, err := x509.ParseECPrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("read the key for tokens: %w", err)
	}
	return &Issuer{key: key}, nil
}

func makeIssuer(file string) (*Issuer, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a key for tokens: %w", err)
	}
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("make a key for tokens: %w", err)
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der})
	// Renamed into place, so that a kill leaves a whole key or none.
	if err := os.WriteFile(file+".new", text, 0o600); err != nil {
		return nil, fmt.Errorf("keep the key for tokens: %w", err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		return nil, fmt.Errorf("keep the key for tokens: %w", err)
	}
	return &Issuer{key: key}, nil
}

// Sign returns a token with these claims, valid from now for that long.
func (i *Issuer) Sign(c Claims, valid time.Duration) (string, error) {
	now := time.Now()
	claims := jwt.MapClaims{"iss": IssuerName, "aud": Audience, "iat": now.Unix(), "exp": now.Add(valid).Unix()}
	for name, value := range c {
		claims[name] = value
	}
	token, err := jwt.NewWithClaims(jwt.SigningMethodES256, claims).SignedString(i.key)
	if err != nil {
		return "", fmt.Errorf("sign a token: %w", err)
	}
	return token, nil
}

// Verify returns the claims of a token that this issuer signed and that is
// valid now.
func (i *Issuer) Verify(token string) (Claims, error) {
	claims := jwt.MapClaims{}
	_, err := jwt.ParseWithClaims(token, claims, func(*jwt.Token) (any, error) { return &i.key.PublicKey, nil },
		jwt.WithValidMethods([]string{jwt.SigningMethodES256.Alg()}),
		jwt.WithIssuer(IssuerName), jwt.WithAudience(Audience), jwt.WithExpirationRequired(), jwt.WithJSONNumber())
	if errors.Is(err, jwt.ErrTokenExpired) {
		return nil, errors.New("the token has expired")
	}
	if err != nil {
		return nil, errors.New("the token is not valid")
	}
	claimSet := make(Claims, len(claims))
	for name, value := range claims {
		claimSet[name] = fmt.Sprint(value) // a list comes as "[a b]", from API Gateway too
	}
	return claimSet, nil
}
