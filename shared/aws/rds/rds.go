// Package rds opens the database: on AWS with a token of IAM for every
// connection, and only where the server's certificate is Amazon's; on one machine
// by an address.
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

// Settings say how to reach the database: by an address with a password (one
// machine), or by its parts (AWS).
type Settings struct {
	URL         string `env:"DATABASE_URL"`
	User        string `env:"DATABASE_USER"`
	Connections int    `env:"DATABASE_CONNECTIONS" default:"2"`
	// ConnectTimeout outlasts the time that a database takes to come back from its sleep,
	// unless somebody waits for an answer.
	ConnectTimeout time.Duration `env:"DATABASE_CONNECT_TIMEOUT" default:"45s"`
	// Due is the table with the item that is raised before every commit, or "" for who
	// leaves no work.
	Due    string `env:"DUE_TABLE"`
	Server Server
}

// Server is where a database of RDS is.
type Server struct {
	Host string `env:"DATABASE_HOST"`
	Port string `env:"DATABASE_PORT" default:"5432"`
	Name string `env:"DATABASE_NAME" default:"loadbay"`
}

// Validate asks for one of the ways.
func (s *Settings) Validate() error {
	if s.URL == "" && (s.Server.Host == "" || s.User == "") {
		return errors.New("set DATABASE_URL, or DATABASE_HOST and DATABASE_USER")
	}
	return nil
}

// Open opens the database that the settings name.
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
	// A token lasts 15 minutes and is made on this machine, without a call.
	config.Password = func(ctx context.Context) (string, error) {
		return auth.BuildAuthToken(ctx, net.JoinHostPort(s.Server.Host, s.Server.Port), c.Region, s.User, c.Credentials)
	}
	return postgres.Open(ctx, config)
}

// Address is the URL at which a user reaches the server. A token or password is
// sent only to a server whose certificate is Amazon's for that host.
func (s Server) Address(user *url.Userinfo) string {
	u := url.URL{Scheme: "postgres", User: user, Host: net.JoinHostPort(s.Host, s.Port), Path: "/" + s.Name, RawQuery: "sslmode=verify-full"}
	return u.String()
}
