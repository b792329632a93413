// Package provision creates the blueprint's resources at any AWS endpoint, with the
// calls that CloudFormation would make: the bucket, the queues, the table, the
// functions and the state machine. It is for tests against endpoints that start
// empty; AWS itself is provisioned by infra/cdk.
//
// Tested by infra/tests/anywhere: endpoints that start empty, if one is available.
package provision

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// functionRole is the role that services assume at endpoints without permission checks.
const functionRole = "arn:aws:iam::000000000000:role/loadbay"

// Resources contains the addresses of the created resources.
type Resources struct {
	Bucket, Table, EventBus, Secret string
	// StateMachine is the ARN of the state machine.
	StateMachine string
	// Queues maps names to URLs, QueueARNs maps names to ARNs.
	Queues, QueueARNs map[string]string
	// FunctionURLs are the URLs of the functions that stream.
	FunctionURLs map[string]string
}

// Provisioner creates resources at one endpoint.
type Provisioner struct {
	blueprint *blueprint.Blueprint
	objects   *s3.Client
	queues    *sqs.Client
	tables    *dynamodb.Client
	machines  *sfn.Client
	events    *eventbridge.Client
	functions *lambda.Client
	secrets   *secretsmanager.Client
}

// New returns a provisioner of the blueprint at the endpoint of the configuration.
// The blueprint contains the names of the resources there (blueprint.At).
func New(c aws.Config, b *blueprint.Blueprint) *Provisioner {
	return &Provisioner{
		blueprint: b,
		objects:   s3.NewFromConfig(c, func(o *s3.Options) { o.UsePathStyle = true }),
		queues:    sqs.NewFromConfig(c), tables: dynamodb.NewFromConfig(c), machines: sfn.NewFromConfig(c),
		events: eventbridge.NewFromConfig(c), functions: lambda.NewFromConfig(c), secrets: secretsmanager.NewFromConfig(c),
	}
}

// CreateStorage creates the resources with which functions are configured: the bucket, the
// queues, the table, the event bus and the secret.
func (p *Provisioner) CreateStorage(ctx context.Context) (*Resources, error) {
	r := &Resources{Queues: map[string]string{}, QueueARNs: map[string]string{}, FunctionURLs: map[string]string{}}
	for _, create := range []func(context.Context, *Resources) error{p.createBucket, p.createQueues, p.createTable, p.createBus, p.createSecret} {
		if err := create(ctx, r); err != nil {
			return nil, fmt.Errorf("provision: %w", err)
		}
	}
	return r, nil
}

// Environment returns the values of a function's variables. Settings have their
// defaults.
func (r *Resources) Environment(f blueprint.Function) (map[string]string, error) {
	variables := make(map[string]string, len(f.Env))
	for _, e := range f.Env {
		if e.Ref == blueprint.Setting {
			continue
		}
		value, err := r.envValue(e)
		if err != nil {
			return nil, err
		}
		variables[e.Name] = value
	}
	return variables, nil
}

// envValue returns the value of a variable.
func (r *Resources) envValue(e blueprint.Env) (string, error) {
	switch e.Ref {
	case "":
		return e.Value, nil
	case blueprint.BucketName:
		return r.Bucket, nil
	case blueprint.TableName:
		return r.Table, nil
	case blueprint.StateMachineARN:
		return r.StateMachine, nil
	case blueprint.QueueURL:
		return r.Queues[e.RefName], nil
	case blueprint.EventBusName:
		return r.EventBus, nil
	case blueprint.SecretName:
		return r.Secret, nil
	case blueprint.FunctionName:
		return blueprint.LocalDeployment().Function(e.RefName), nil
	case blueprint.FunctionURL:
		return r.FunctionURLs[e.RefName], nil
	default:
		return "", fmt.Errorf("variable %s: %s is not supported here", e.Name, e.Ref)
	}
}
