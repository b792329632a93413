// Package lambdafn is what the Lambda functions have in common: how they start,
// where their settings come from, what their callers see of an error, and how
// batches of messages are acknowledged. What a function consists of is in its own
// main.go, so that its binary links only what it uses.
package lambdafn

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
	"github.com/aws/aws-sdk-go-v2/aws"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"

	"github.com/loadbay/loadbay/shared/config"
	"github.com/loadbay/loadbay/shared/telemetry"
	"github.com/loadbay/loadbay/shared/version"
)

// Function is what every function has.
type Function struct {
	Log     *slog.Logger
	Metrics *telemetry.Metrics
	lookup  func(string) (string, bool)
}

// Handler handles one event of a function.
type Handler[In, Out any] func(ctx context.Context, in In) (Out, error)

// Builder makes a function's handler when its instance starts.
type Builder[In, Out any] func(ctx context.Context, fn *Function) (Handler[In, Out], error)

// None is the input or output of functions that have none.
type None struct{}

// Run is the body of a function's main: it builds the handler and serves events
// until the instance is stopped. A function that cannot be built says why, and
// its instance fails to start.
func Run[In, Out any](build Builder[In, Out]) {
	fn, err := newFunction(os.LookupEnv)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fn.Log.Info("the function starts", "function", lambdacontext.FunctionName, "version", version.String())
	handler, err := build(context.Background(), fn)
	if err != nil {
		fn.Log.Error("the function cannot start", "error", err)
		os.Exit(1)
	}
	lambda.Start(func(ctx context.Context, in In) (Out, error) {
		ctx = telemetry.Scope(ctx)
		out, err := handler(ctx, in)
		if err != nil {
			return out, asInvokeError(ctx, fn.Log, err)
		}
		return out, nil
	})
}

// newFunction reads what every function has from the environment.
func newFunction(lookup func(string) (string, bool)) (*Function, error) {
	var c struct {
		Level slog.Level `env:"LOG_LEVEL" default:"INFO"`
	}
	if err := config.Load(&c, lookup); err != nil {
		return nil, err
	}
	return &Function{
		Log:     telemetry.NewLogger(os.Stdout, c.Level),
		Metrics: telemetry.NewMetrics(os.Stdout),
		lookup:  lookup,
	}, nil
}

// Load fills a function's settings from the environment and returns the SDK's.
// AWS_ENDPOINT_URL, which the SDK reads itself, points it at another endpoint
// than AWS.
func (f *Function) Load(ctx context.Context, target any) (aws.Config, error) {
	if err := config.Load(target, f.lookup); err != nil {
		return aws.Config{}, err
	}
	c, err := awsconfig.LoadDefaultConfig(ctx)
	if err != nil {
		return aws.Config{}, fmt.Errorf("AWS configuration: %w", err)
	}
	return c, nil
}

// Transitions returns a recorder that counts and logs the transitions of jobs.
func (f *Function) Transitions() *telemetry.Transitions {
	return telemetry.NewTransitions(f.Log, f.Metrics)
}

// WithoutOutput is the handler of a step that returns nothing.
func WithoutOutput[In any](run func(context.Context, In) error) Handler[In, None] {
	return func(ctx context.Context, in In) (None, error) { return None{}, run(ctx, in) }
}
