// Command migrate is the Lambda function that brings the database's schema up to date.
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
	Secrets   secrets.Settings
}

func main() { lambdafn.Run(build) }

func build(_ context.Context, fn *lambdafn.Function, c config) (lambdafn.Handler[lambdafn.None, migrate.Output], error) {
	// Its event says nothing that matters: there is one thing to do.
	return func(ctx context.Context, _ lambdafn.None) (migrate.Output, error) {
		connection, err := owner.Connection(ctx, fn.AWS, c.Database)
		if err != nil {
			return migrate.Output{}, fmt.Errorf("migrate: %w", err)
		}
		// A new one each time: whoever has replaced the key runs this function next.
		return migrate.New(connection, c.Passwords, secrets.Open(fn.AWS, c.Secrets), fn.Log).Run(ctx)
	}, nil
}
