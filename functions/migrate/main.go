// Command migrate is the Lambda function that migrates the database schema.
package main

import (
	"context"
	"fmt"

	"github.com/loadbay/loadbay/shared/aws/lambdafn"
	"github.com/loadbay/loadbay/shared/aws/rds/owner"
	"github.com/loadbay/loadbay/shared/aws/secrets"
	"github.com/loadbay/loadbay/shared/postgres/schema"
	"github.com/loadbay/loadbay/shared/step/migrate"
)

type config struct {
	Database  owner.Settings
	Passwords schema.Passwords
	Samples   schema.Samples `env:"SAMPLES"`
	Secrets   secrets.Settings
}

func main() { lambdafn.Run(build) }

func build(_ context.Context, fn *lambdafn.Function, c config) (lambdafn.Handler[lambdafn.None, migrate.Output], error) {
	// The event is ignored: the function has only one task.
	return func(ctx context.Context, _ lambdafn.None) (migrate.Output, error) {
		connection, err := owner.ConnConfig(ctx, fn.AWS, c.Database)
		if err != nil {
			return migrate.Output{}, fmt.Errorf("migrate: %w", err)
		}
		// Each run opens the secrets again: this function runs after an operator replaces the key.
		return migrate.New(connection, c.Passwords, c.Samples, secrets.NewWebhookSealer(fn.AWS, c.Secrets), fn.Log).Run(ctx)
	}, nil
}
