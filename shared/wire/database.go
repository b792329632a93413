package wire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/rds/auth"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/postgres/rdsca"
)

// databaseSettings say how to reach the database: by an address with a password
// (one machine), or by its parts with a token of IAM for every connection (AWS).
type databaseSettings struct {
	URL  string `env:"DATABASE_URL"`
	Host string `env:"DATABASE_HOST"`
	Port string `env:"DATABASE_PORT" default:"5432"`
	Name string `env:"DATABASE_NAME" default:"loadbay"`
	User string `env:"DATABASE_USER"`
	// SecretARN holds the administrator's user and password, for migrate only.
	SecretARN   string `env:"DATABASE_SECRET_ARN"`
	Connections int    `env:"DATABASE_CONNECTIONS" default:"2"`
}

// Validate asks for one of the ways.
func (s *databaseSettings) Validate() error {
	if s.URL == "" && (s.Host == "" || s.User == "" && s.SecretARN == "") {
		return fmt.Errorf("set DATABASE_URL, or DATABASE_HOST and DATABASE_USER")
	}
	return nil
}

func (s *databaseSettings) open(ctx context.Context, c aws.Config) (*postgres.DB, error) {
	if s.URL != "" {
		return postgres.Open(ctx, postgres.Config{URL: s.URL, Connections: s.Connections})
	}
	authorities, err := rdsca.Roots()
	if err != nil {
		return nil, err
	}
	return postgres.Open(ctx, postgres.Config{
		URL:         s.address(url.User(s.User)),
		Connections: s.Connections,
		Authorities: authorities,
		// A token lasts 15 minutes and is made on this machine, without a call.
		Password: func(ctx context.Context) (string, error) {
			return auth.BuildAuthToken(ctx, net.JoinHostPort(s.Host, s.Port), c.Region, s.User, c.Credentials)
		},
	})
}

// address is where RDS is. A token or password is shown to nobody whose
// certificate is not Amazon's for that very host.
func (s *databaseSettings) address(user *url.Userinfo) string {
	u := url.URL{Scheme: "postgres", User: user, Host: net.JoinHostPort(s.Host, s.Port), Path: "/" + s.Name, RawQuery: "sslmode=verify-full"}
	return u.String()
}

// administrator is how migrate connects.
func (s *databaseSettings) administrator(ctx context.Context, c aws.Config) (*pgx.ConnConfig, error) {
	if s.URL != "" {
		return parseAddress(s.URL)
	}
	user, err := s.owner(ctx, c)
	if err != nil {
		return nil, err
	}
	connection, err := parseAddress(s.address(user))
	if err != nil {
		return nil, err
	}
	authorities, err := rdsca.Roots()
	if err != nil {
		return nil, err
	}
	postgres.TrustOnly(&connection.Config, authorities)
	return connection, nil
}

func parseAddress(address string) (*pgx.ConnConfig, error) {
	c, err := pgx.ParseConfig(address)
	if err != nil { // which repeats the password
		return nil, errors.New("the database's address cannot be read")
	}
	return c, nil
}

// owner is the name and password of the schema's owner, as RDS keeps them.
func (s *databaseSettings) owner(ctx context.Context, c aws.Config) (*url.Userinfo, error) {
	out, err := secretsmanager.NewFromConfig(c).GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: &s.SecretARN})
	if err != nil {
		return nil, fmt.Errorf("secret of the database: %w", err)
	}
	var secret struct{ Username, Password string }
	if err := json.Unmarshal([]byte(aws.ToString(out.SecretString)), &secret); err != nil {
		return nil, errors.New("secret of the database: it is not of the form that RDS writes")
	}
	return url.UserPassword(secret.Username, secret.Password), nil
}

// open loads a function's configuration, of which database is a part, and opens
// the database.
func (e *Environment) open(ctx context.Context, into any, database *databaseSettings) (aws.Config, *postgres.DB, error) {
	if err := e.load(into); err != nil {
		return aws.Config{}, nil, err
	}
	c, err := awsConfig(ctx)
	if err != nil {
		return aws.Config{}, nil, err
	}
	db, err := database.open(ctx, c)
	return c, db, err
}
