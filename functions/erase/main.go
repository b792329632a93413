// Command erase is the Lambda function that continues the erasure of persons after the request.
package main

import (
	"context"

	"github.com/loadbay/loadbay/shared/aws/lambdafn"
	"github.com/loadbay/loadbay/shared/aws/rds"
	"github.com/loadbay/loadbay/shared/changes/erasure"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
)

type config struct {
	Database rds.Settings
}

func main() { lambdafn.Run(build) }

func build(ctx context.Context, fn *lambdafn.Function, c config) (lambdafn.Handler[job.ErasureRef, lambdafn.None], error) {
	db, err := rds.Open(ctx, fn.AWS, c.Database)
	if err != nil {
		return nil, err
	}
	erasures, err := erasure.New(db, catalog.New().Types(), fn.Log)
	if err != nil {
		return nil, err
	}
	return lambdafn.WithoutOutput(erasures.WithDeclared(catalog.New().WithDeclared(db)).Resume), nil
}
