// Package owner configures connections to the database as the owner of its schema, whose password
// RDS stores in Secrets Manager. Only migrations connect in this way.
package owner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/aws/rds"
	"github.com/loadbay/loadbay/shared/aws/rds/rdsca"
	"github.com/loadbay/loadbay/shared/postgres"
)

// Settings configures the connection: a URL with a password (one machine), or the
// database's host and the secret with user and password (AWS).
type Settings struct {
	URL       string `env:"DATABASE_URL"`
	SecretARN string `env:"DATABASE_SECRET_ARN"`
	Server    rds.Server
}

// Validate requires one of the two forms.
func (s *Settings) Validate() error {
	if s.URL == "" && (s.Server.Host == "" || s.SecretARN == "") {
		return errors.New("set DATABASE_URL, or DATABASE_HOST and DATABASE_SECRET_ARN")
	}
	return nil
}

// ConnConfig returns the configuration of a connection as the owner.
func ConnConfig(ctx context.Context, c aws.Config, s Settings) (*pgx.ConnConfig, error) {
	if s.URL != "" {
		return parseAddress(s.URL)
	}
	user, err := credentials(ctx, c, s.SecretARN)
	if err != nil {
		return nil, err
	}
	connection, err := parseAddress(s.Server.Address(user))
	if err != nil {
		return nil, err
	}
	authorities, err := rdsca.Roots()
	if err != nil {
		return nil, err
	}
	postgres.TrustAuthorities(&connection.Config, authorities)
	return connection, nil
}

func parseAddress(address string) (*pgx.ConnConfig, error) {
	c, err := pgx.ParseConfig(address)
	if err != nil { // the error contains the password
		return nil, errors.New("invalid database address")
	}
	return c, nil
}

// credentials returns the owner's name and password, as stored by RDS.
func credentials(ctx context.Context, c aws.Config, secretARN string) (*url.Userinfo, error) {
	out, err := secretsmanager.NewFromConfig(c).GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: &secretARN})
	if err != nil {
		return nil, fmt.Errorf("read database secret: %w", err)
	}
	var secret struct{ Username, Password string }
	if err := json.Unmarshal([]byte(aws.ToString(out.SecretString)), &secret); err != nil {
		return nil, errors.New("database secret does not have the format of RDS")
	}
	return url.UserPassword(secret.Username, secret.Password), nil
}
