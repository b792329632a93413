package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/loadbay/loadbay/infra/bench"
	"github.com/loadbay/loadbay/infra/demo"
	"github.com/loadbay/loadbay/infra/load"
	"github.com/loadbay/loadbay/infra/local/seed"
	"github.com/loadbay/loadbay/infra/local/stack"
	"github.com/loadbay/loadbay/shared/runtime/config"
)

// stackSettings locates the data of a temporary stack.
type stackSettings struct {
	DataDir     string `env:"DATA_DIR"`
	BinDir      string `env:"BIN_DIR"`
	DatabaseURL string `env:"DATABASE_URL"`
}

// newStackConfig returns the configuration of a stack on free ports, in a new folder unless the
// environment names one.
func newStackConfig(kind string) (stack.Config, error) {
	var s stackSettings
	if err := config.Load(&s, os.LookupEnv); err != nil {
		return stack.Config{}, err
	}
	child, err := stack.ChildCommand()
	if err != nil {
		return stack.Config{}, err
	}
	if s.DataDir == "" {
		if s.DataDir, err = os.MkdirTemp("", "loadbay-"+kind+"-"); err != nil {
			return stack.Config{}, fmt.Errorf("create folder: %w", err)
		}
	}
	return stack.Config{
		DataDir: s.DataDir, BinDir: functionsDir(s.BinDir), S3Command: child, Seed: seed.Run, DatabaseURL: s.DatabaseURL,
		Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}, nil
}

func runDemo(ctx context.Context, out io.Writer) error {
	c, err := newStackConfig("demo")
	if err != nil {
		return err
	}
	return demo.Run(ctx, c, out)
}

func runBench(ctx context.Context, out io.Writer) error {
	return runWithStack(ctx, "bench", bench.Run, out)
}

func runLoad(ctx context.Context, out io.Writer) error {
	return runWithStack(ctx, "load", load.Run, out)
}

func runFair(ctx context.Context, out io.Writer) error {
	return runWithStack(ctx, "fair", load.RunFair, out)
}

// runWithStack runs a command that needs a fresh stack, configured from the environment.
func runWithStack[C any](ctx context.Context, kind string, run func(context.Context, stack.Config, C, io.Writer) error, out io.Writer) error {
	var cfg C
	if err := config.Load(&cfg, os.LookupEnv); err != nil {
		return err
	}
	c, err := newStackConfig(kind)
	if err != nil {
		return err
	}
	if err := run(ctx, c, cfg, out); err != nil {
		return err
	}
	// The folder holds nothing worth keeping.
	return os.RemoveAll(c.DataDir)
}
