// Package wire makes functions out of their parts: from the environment a
// configuration, from that clients and adapters, from those the function's step.
// It is the only package that knows all the others; one file a function.
package wire

import (
	"context"
	"fmt"
	"log/slog"
	"os"

	"github.com/aws/aws-lambda-go/lambda"

	"github.com/loadbay/loadbay/shared/config"
	"github.com/loadbay/loadbay/shared/telemetry"
)

// Environment is what every function has.
type Environment struct {
	Log     *slog.Logger
	Metrics *telemetry.Metrics
	lookup  func(string) (string, bool)
}

// Handler answers one event of a function.
type Handler[In, Out any] func(ctx context.Context, in In) (Out, error)

// Builder makes a function's handler when its instance starts.
type Builder[In, Out any] func(ctx context.Context, env *Environment) (Handler[In, Out], error)

// Run is the body of a function's main: it builds the handler and serves events
// until the instance is stopped. A function that cannot be built says why, and
// its instance fails to start.
func Run[In, Out any](build Builder[In, Out]) {
	env, err := NewEnvironment(os.LookupEnv)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	handler, err := build(context.Background(), env)
	if err != nil {
		env.Log.Error("the function cannot start", "error", err)
		os.Exit(1)
	}
	lambda.Start(func(ctx context.Context, in In) (Out, error) {
		ctx = telemetry.Scope(ctx)
		out, err := handler(ctx, in)
		if err != nil {
			return out, asInvokeError(ctx, env.Log, err)
		}
		return out, nil
	})
}

// NewEnvironment reads what every function has from the environment.
func NewEnvironment(lookup func(string) (string, bool)) (*Environment, error) {
	var c struct {
		Level slog.Level `env:"LOG_LEVEL" default:"INFO"`
	}
	if err := config.Load(&c, lookup); err != nil {
		return nil, err
	}
	return &Environment{
		Log:     telemetry.NewLogger(os.Stdout, c.Level),
		Metrics: telemetry.NewMetrics(os.Stdout),
		lookup:  lookup,
	}, nil
}

// load fills a function's configuration.
func (e *Environment) load(into any) error { return config.Load(into, e.lookup) }

// Nothing is the input or output of functions that have none.
type Nothing struct{}
