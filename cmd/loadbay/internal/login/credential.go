package login

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/oauth2"
)

// Credential is the result of a sign-in, with the address that renews it.
type Credential struct {
	oauth2.Token
	ClientID string `json:"client_id"`
	TokenURL string `json:"token_url"`
}

// Encode returns the credential in the format in which it is saved.
func (c *Credential) Encode() (string, error) {
	text, err := json.Marshal(c)
	return string(text), err
}

// DecodeCredential parses a saved credential. ok is false for a plain token, which cannot be
// renewed.
func DecodeCredential(text string) (c *Credential, ok bool) {
	c = &Credential{}
	return c, json.Unmarshal([]byte(text), c) == nil && c.AccessToken != ""
}

// ErrSessionExpired means that a session cannot be renewed.
var ErrSessionExpired = errors.New("your session has ended; sign in again with: loadbay login")

// Session renews a credential when it is used. It is safe for concurrent use.
type Session struct {
	mu         sync.Mutex
	credential *Credential
	load       func() (string, error)
	save       func(string) error
}

// NewSession returns a session. load reads the saved credential, which another process may have
// renewed; keep saves a renewed one.
func NewSession(c *Credential, load func() (string, error), keep func(string) error) *Session {
	return &Session{credential: c, load: load, save: keep}
}

// Token returns a token that remains valid for a while.
func (s *Session) Token(ctx context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.credential.isValid() {
		return s.credential.AccessToken, nil
	}
	if text, err := s.load(); err == nil {
		if newer, ok := DecodeCredential(text); ok {
			s.credential = newer
		}
	}
	if s.credential.isValid() {
		return s.credential.AccessToken, nil
	}
	if err := s.renew(ctx); err != nil {
		return "", err
	}
	text, err := s.credential.Encode()
	if err == nil {
		err = s.save(text)
	}
	return s.credential.AccessToken, err
}

func (c *Credential) isValid() bool { return c.Expiry.IsZero() || time.Until(c.Expiry) > renewBefore }

// renew exchanges the refresh token, which can be used once, for a new token.
func (s *Session) renew(ctx context.Context) error {
	if s.credential.RefreshToken == "" {
		return ErrSessionExpired
	}
	ctx = withTimeout(ctx)
	flow := oauth2.Config{ClientID: s.credential.ClientID, Endpoint: oauth2.Endpoint{TokenURL: s.credential.TokenURL, AuthStyle: oauth2.AuthStyleInParams}}
	token, err := flow.TokenSource(ctx, &oauth2.Token{RefreshToken: s.credential.RefreshToken}).Token()
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) && refused.ErrorCode == "invalid_grant" {
		return ErrSessionExpired
	}
	if err != nil {
		return fmt.Errorf("renew the session: %w", err)
	}
	s.credential = &Credential{Token: *token, ClientID: s.credential.ClientID, TokenURL: s.credential.TokenURL}
	return nil
}
