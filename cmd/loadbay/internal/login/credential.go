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

// Credential is what a person got by signing in, and where it is renewed.
type Credential struct {
	oauth2.Token
	ClientID string `json:"client_id"`
	TokenURL string `json:"token_url"`
}

// Text is the credential as it is kept.
func (c *Credential) Text() (string, error) {
	text, err := json.Marshal(c)
	return string(text), err
}

// Parse reads what is kept: ok is false for a token that was given as it is, which nobody
// renews.
func Parse(text string) (c *Credential, ok bool) {
	c = &Credential{}
	return c, json.Unmarshal([]byte(text), c) == nil && c.AccessToken != ""
}

// ErrEnded means that a session cannot be renewed.
var ErrEnded = errors.New("your session has ended; sign in again with: loadbay login")

// Session is a credential that is renewed when it is used. It is safe for concurrent use.
type Session struct {
	mu   sync.Mutex
	held *Credential
	load func() (string, error)
	keep func(string) error
}

// NewSession is a session with a credential: load reads what is kept now, which another
// process may have renewed, and keep keeps what was renewed.
func NewSession(c *Credential, load func() (string, error), keep func(string) error) *Session {
	return &Session{held: c, load: load, keep: keep}
}

// Token returns a token that is valid for a while.
func (s *Session) Token(ctx context.Context) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held.lasts() {
		return s.held.AccessToken, nil
	}
	if text, err := s.load(); err == nil {
		if newer, ok := Parse(text); ok {
			s.held = newer
		}
	}
	if s.held.lasts() {
		return s.held.AccessToken, nil
	}
	if err := s.renew(ctx); err != nil {
		return "", err
	}
	text, err := s.held.Text()
	if err == nil {
		err = s.keep(text)
	}
	return s.held.AccessToken, err
}

func (c *Credential) lasts() bool { return c.Expiry.IsZero() || time.Until(c.Expiry) > soon }

// renew gets a new token for the refresh token, which works once.
func (s *Session) renew(ctx context.Context) error {
	if s.held.RefreshToken == "" {
		return ErrEnded
	}
	ctx = calling(ctx)
	flow := oauth2.Config{ClientID: s.held.ClientID, Endpoint: oauth2.Endpoint{TokenURL: s.held.TokenURL, AuthStyle: oauth2.AuthStyleInParams}}
	token, err := flow.TokenSource(ctx, &oauth2.Token{RefreshToken: s.held.RefreshToken}).Token()
	var refused *oauth2.RetrieveError
	if errors.As(err, &refused) && refused.ErrorCode == "invalid_grant" {
		return ErrEnded
	}
	if err != nil {
		return fmt.Errorf("renew the session: %w", err)
	}
	s.held = &Credential{Token: *token, ClientID: s.held.ClientID, TokenURL: s.held.TokenURL}
	return nil
}
