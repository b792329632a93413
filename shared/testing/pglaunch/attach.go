package pglaunch

import (
	"context"
	"fmt"
	"net/url"
	"strings"
)

// Attach returns the server of an administrator's URL, as in DATABASE_URL, that was started by
// another program. Stop leaves it running.
func Attach(ctx context.Context, administrator string) (*Server, error) {
	base, err := url.Parse(administrator)
	if err != nil || !strings.HasPrefix(base.Scheme, "postgres") || base.Host == "" {
		// The parser's error would repeat the password.
		return nil, fmt.Errorf("DATABASE_URL is not of the form postgres://user:password@host:port/database")
	}
	if err := Ping(ctx, administrator); err != nil {
		return nil, fmt.Errorf("use the server of DATABASE_URL: %w", err)
	}
	return &Server{base: *base}, nil
}

// AdminURL returns the administrator's connection URL for a database; "" is the initial one:
// "postgres", or the one passed to Attach.
func (s *Server) AdminURL(database string) string {
	u := s.base
	if database != "" {
		u.Path = "/" + database
	}
	return u.String()
}

// URL returns a role's connection URL for a database, with "" as in AdminURL.
func (s *Server) URL(role, password, database string) string {
	u := s.base
	u.User = url.UserPassword(role, password)
	if database != "" {
		u.Path = "/" + database
	}
	return u.String()
}
