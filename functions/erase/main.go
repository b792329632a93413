// Command erase is the Lambda function that continues the erasure of persons after the request, and
// deletes organisations.
package main

import (
	"context"

	"github.com/loadbay/loadbay/shared/aws/coordination"
	"github.com/loadbay/loadbay/shared/aws/lambdafn"
	"github.com/loadbay/loadbay/shared/aws/objectstore"
	"github.com/loadbay/loadbay/shared/aws/rds"
	"github.com/loadbay/loadbay/shared/aws/workflow"
	"github.com/loadbay/loadbay/shared/changes/erasure"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/organisation/deletion"
)

type config struct {
	Database rds.Settings
	Bucket   objectstore.Settings
	Table    coordination.Settings
	Workflow workflow.Settings
	Deletion deletion.Config
}

// event refers to a person, or to a whole organisation: see job.DeletionRef.
type event struct {
	job.ErasureRef
	WholeOrganisation bool `json:"wholeOrganisation"`
}

func main() { lambdafn.Run(build) }

func build(ctx context.Context, fn *lambdafn.Function, c config) (lambdafn.Handler[event, lambdafn.None], error) {
	db, err := rds.Open(ctx, fn.AWS, c.Database)
	if err != nil {
		return nil, err
	}
	erasures, err := erasure.New(db, catalog.New().Types(), fn.Log)
	if err != nil {
		return nil, err
	}
	erasures = erasures.WithDeclared(catalog.New().WithDeclared(db))
	deletions, err := deletion.NewRunner(db, objectstore.Open(fn.AWS, c.Bucket), coordination.Open(fn.AWS, c.Table, db.Now),
		workflow.Open(fn.AWS, c.Workflow), c.Deletion, fn.Log)
	if err != nil {
		return nil, err
	}
	return lambdafn.WithoutOutput(func(ctx context.Context, e event) error {
		if e.WholeOrganisation {
			return deletions.Run(ctx, e.OrganisationID)
		}
		return erasures.Resume(ctx, e.ErasureRef)
	}), nil
}
