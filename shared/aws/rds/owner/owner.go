// Package owner reaches the database as the owner of its schema, whose password
// RDS keeps in Secrets Manager: for migrations only.
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

// Settings say how to reach the database: by an address with a password (one
// machine), or by its parts and the secret that holds user and password (AWS).
type Settings struct {
	URL       string `env:"DATABASE_URL"`
	SecretARN string `env:"DATABASE_SECRET_ARN"`
	Server    rds.Server
}

// Validate asks for one of the ways.
func (s *Settings) Validate() error {
	if s.URL == "" && (s.Server.Host == "" || s.SecretARN == "") {
		return errors.New("set DATABASE_URL, or DATABASE_HOST and DATABASE_SECRET_ARN")
	}
	return nil
}

// Connection is how to connect as the owner.
func Connection(ctx context.Context, c aws.Config, s Settings) (*pgx.ConnConfig, error) {
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
	if err != nil { // which repeats the password
		return nil, errors.New("the database's address cannot be read")
	}
	return c, nil
}

// credentials are the owner's name and password, as RDS keeps them.
func credentials(ctx context.Context, c aws.Config, secretARN string) (*url.Userinfo, error) {
	out, err := secretsmanager.NewFromConfig(c).GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: &secretARN})
	if err != nil {
		return nil, fmt.Errorf("secret of the database: %w", err)
	}
	var secret struct{ Username, Password string }
	if err := json.Unmarshal([]byte(aws.ToString(out.SecretString)), &secret); err != nil {
		return nil, errors.New("secret of the database: it is not of the form that RDS writes")
	}
	return url.UserPassword(secret.Username, secret.Password), nil
}
