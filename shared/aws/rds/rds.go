// Package rds opens the database: on AWS with an IAM token for every
// connection, and only if the server has an Amazon certificate; on one machine
// with a URL.
package rds

import (
	"context"
	"errors"
	"net"
	"net/url"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/rds/auth"

	"github.com/loadbay/loadbay/shared/aws/due"
	"github.com/loadbay/loadbay/shared/aws/rds/rdsca"
	"github.com/loadbay/loadbay/shared/postgres"
)

// Settings configures the connection: a URL with a password (one machine), or the
// database's host, user and name (AWS).
type Settings struct {
	URL         string `env:"DATABASE_URL"`
	User        string `env:"DATABASE_USER"`
	Connections int    `env:"DATABASE_CONNECTIONS" default:"2"`
	// ConnectTimeout is longer than a paused database takes to resume, except for functions
	// with waiting callers.
	ConnectTimeout time.Duration `env:"DATABASE_CONNECT_TIMEOUT" default:"45s"`
	// Due is the table with the item to raise before every commit, or "" for functions that
	// leave no work.
	Due    string `env:"DUE_TABLE"`
	Server Server
}

// Server is the location of an RDS database.
type Server struct {
	Host string `env:"DATABASE_HOST"`
	Port string `env:"DATABASE_PORT" default:"5432"`
	Name string `env:"DATABASE_NAME" default:"loadbay"`
}

// Validate requires one of the two forms.
func (s *Settings) Validate() error {
	if s.URL == "" && (s.Server.Host == "" || s.User == "") {
		return errors.New("set DATABASE_URL, or DATABASE_HOST and DATABASE_USER")
	}
	return nil
}

// Open opens the database named in the settings.
func Open(ctx context.Context, c aws.Config, s Settings) (*postgres.DB, error) {
	config := postgres.Config{URL: s.URL, Connections: s.Connections, ConnectTimeout: s.ConnectTimeout}
	if s.Due != "" {
		config.BeforeCommit = due.NewAnnouncer(due.Open(c, s.Due)).Announce
	}
	if s.URL != "" {
		return postgres.Open(ctx, config)
	}
	authorities, err := rdsca.Roots()
	if err != nil {
		return nil, err
	}
	config.URL = s.Server.Address(url.User(s.User))
	config.Authorities = authorities
	// A token is valid for 15 minutes and is generated locally, without a request.
	config.Password = func(ctx context.Context) (string, error) {
		return auth.BuildAuthToken(ctx, net.JoinHostPort(s.Server.Host, s.Server.Port), c.Region, s.User, c.Credentials)
	}
	return postgres.Open(ctx, config)
}

// Address returns the URL for a user of the server. A token or password is sent only to a
// server with an Amazon certificate for that host.
func (s Server) Address(user *url.Userinfo) string {
	u := url.URL{Scheme: "postgres", User: user, Host: net.JoinHostPort(s.Host, s.Port), Path: "/" + s.Name, RawQuery: "sslmode=verify-full"}
	return u.String()
}
