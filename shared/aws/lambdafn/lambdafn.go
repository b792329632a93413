// Package lambdafn contains what all Lambda functions share: startup, settings, errors
// shown to callers, and the acknowledgement of message batches. Each function's own
// dependencies are in its main.go, so that its binary links only what it
// uses.
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

	"github.com/loadbay/loadbay/shared/aws/sdkhttp"
	"github.com/loadbay/loadbay/shared/runtime/config"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/runtime/version"
)

// Function contains the dependencies of every function.
type Function struct {
	Log     *slog.Logger
	Metrics *telemetry.Metrics
	// AWS is the SDK's configuration. AWS_ENDPOINT_URL, which the SDK reads itself,
	// selects an endpoint other than AWS.
	AWS aws.Config
}

// Handler handles one event of a function.
type Handler[In, Out any] func(ctx context.Context, in In) (Out, error)

// Builder creates a function's handler when its instance starts, from the settings
// in its environment.
type Builder[Settings, In, Out any] func(ctx context.Context, fn *Function, c Settings) (Handler[In, Out], error)

// None is the input or output of functions without one.
type None struct{}

// telemetrySettings configures the logs and metrics of every function.
type telemetrySettings struct {
	Level     slog.Level `env:"LOG_LEVEL" default:"INFO"`
	Namespace string     `env:"METRICS_NAMESPACE" default:"Loadbay"`
}

// Run is the body of a function's main: it builds the handler and serves events
// until the instance is stopped. If the handler cannot be built, Run logs the reason and
// the instance fails to start.
func Run[Settings, In, Out any](build Builder[Settings, In, Out]) {
	var c telemetrySettings
	if err := config.Load(&c, os.LookupEnv); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fn := &Function{Log: telemetry.NewLogger(os.Stdout, c.Level), Metrics: telemetry.NewMetricsIn(c.Namespace, os.Stdout)}
	fn.Log.Info("function started", "function", lambdacontext.FunctionName, "version", version.String())
	handler, err := buildHandler(context.Background(), fn, build)
	if err != nil {
		fn.Log.Error("function start failed", "error", err)
		os.Exit(1)
	}
	lambda.Start(func(ctx context.Context, in In) (Out, error) {
		ctx = telemetry.Scope(ctx)
		out, err := handler(ctx, in)
		if err != nil {
			return out, toInvokeError(ctx, fn.Log, err)
		}
		return out, nil
	})
}

// buildHandler loads the settings and builds the handler.
func buildHandler[Settings, In, Out any](ctx context.Context, fn *Function, build Builder[Settings, In, Out]) (Handler[In, Out], error) {
	var c Settings
	if err := config.Load(&c, os.LookupEnv); err != nil {
		return nil, err
	}
	var err error
	if fn.AWS, err = awsconfig.LoadDefaultConfig(ctx); err != nil {
		return nil, fmt.Errorf("AWS configuration: %w", err)
	}
	fn.AWS.HTTPClient = sdkhttp.New(fn.AWS.HTTPClient)
	return build(ctx, fn, c)
}

// Transitions returns a recorder that counts and logs the transitions of jobs.
func (f *Function) Transitions() *telemetry.Transitions {
	return telemetry.NewTransitions(f.Log, f.Metrics)
}

// WithoutOutput returns the handler of a step without a result.
func WithoutOutput[In any](run func(context.Context, In) error) Handler[In, None] {
	return func(ctx context.Context, in In) (None, error) { return None{}, run(ctx, in) }
}
