package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/aws-sdk-go-v2/service/sts"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// awsAccount is the account of the credentials in the environment.
type awsAccount struct{ config aws.Config }

func openAWS(ctx context.Context, region string) (*awsAccount, error) {
	c, err := config.LoadDefaultConfig(ctx, config.WithRegion(region))
	if err != nil {
		return nil, fmt.Errorf("AWS configuration: %w", err)
	}
	return &awsAccount{c}, nil
}

func (a *awsAccount) accountID(ctx context.Context) (string, error) {
	out, err := sts.NewFromConfig(a.config).GetCallerIdentity(ctx, &sts.GetCallerIdentityInput{})
	if err != nil {
		return "", err
	}
	return aws.ToString(out.Account), nil
}

// stageExists checks for a function that every deployment has.
func (a *awsAccount) stageExists(ctx context.Context, stage string) (bool, error) {
	name := blueprint.Deployment{Stage: stage}.Function("api")
	_, err := lambda.NewFromConfig(a.config).GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: &name})
	var missing *types.ResourceNotFoundException
	if errors.As(err, &missing) {
		return false, nil
	}
	return err == nil, err
}
