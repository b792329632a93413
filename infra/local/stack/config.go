// Package stack is all of Loadbay on one machine: Postgres, the AWS endpoint,
// the functions, their events and the HTTP API, wired as the blueprint says.
// The local program runs it; the demonstration, the benchmark and tests start
// one of their own on free ports and a fresh folder.
package stack

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/statemachine"
	"github.com/loadbay/loadbay/shared/testing/pglaunch"
)

// UsesFile is the file in DataDir that gets a line for each kind of use that a role makes of its
// permissions, or is refused (iam.Use).
const UsesFile = "logs/uses.log"

// Config says where a stack lives. Only DataDir, BinDir and S3Command have to be set.
type Config struct {
	// DataDir is the folder of all state, made if missing. One stack uses it at a time.
	DataDir string
	// BinDir holds the compiled functions, <name>/bootstrap.
	BinDir string
	// S3Command starts the child process that serves objects: this very program,
	// with arguments that make it call RunIfChild.
	S3Command []string
	// APIAddr and AWSAddr are what to listen on, as 127.0.0.1:8080; "" takes a free port.
	APIAddr, AWSAddr string
	// DatabaseURL is an administrator's URL of a server to use; "" runs one.
	DatabaseURL string
	// Postgres are the settings of a server that is run; zero is pglaunch.Bulk.
	Postgres pglaunch.Settings
	// TokenRequired refuses API calls without a token.
	TokenRequired bool
	// Origins are those whose pages may call the API and use signed addresses, as
	// "http://localhost:5173"; without any, no page of another origin may, as on AWS.
	Origins []string
	// Console is the folder of the built console, to be served with the API; "" for none.
	// Without a build in it the stack runs without a console: Stack.Console says which.
	Console string
	// LocalWebhooks permits webhooks on this machine, also without TLS.
	LocalWebhooks bool
	// Setting returns what is set for a variable of the functions that whoever runs
	// them may set (blueprint.Setting), and whether it is; nil sets none.
	Setting func(name string) (value string, set bool)
	// LogLevel is what functions log from: DEBUG, INFO, WARN or ERROR; "" is INFO.
	LogLevel string
	// Seed makes the first organisations through the API at that address, at every
	// start; nil for none.
	Seed func(ctx context.Context, api string) error
	// Blueprint is what to run; nil is blueprint.New.
	Blueprint *blueprint.Blueprint
	// Definition is that of the state machine; "" is today's. What an earlier one has
	// begun keeps to it, here as on AWS.
	Definition string
	// Logger logs what the stack itself does; nil discards that.
	Logger *slog.Logger
	// Notable receives the functions' lines that a person should see: warnings,
	// errors, and what is no JSON. All lines are in DataDir/logs. nil discards them.
	OnNotable io.Writer
	// Progress receives sentences for a person while the stack starts; nil discards them.
	Progress func(sentence string)
}

func (c Config) withDefaults() (Config, error) {
	if c.DataDir == "" || c.BinDir == "" || len(c.S3Command) == 0 {
		return c, errors.New("DataDir, BinDir and S3Command are needed")
	}
	var err error
	if c.DataDir, err = filepath.Abs(c.DataDir); err != nil {
		return c, fmt.Errorf("data folder: %w", err)
	}
	if c.Blueprint == nil {
		c.Blueprint = blueprint.New()
	}
	c.Definition = cmp.Or(c.Definition, statemachine.Import)
	if c.Setting == nil {
		c.Setting = func(string) (string, bool) { return "", false }
	}
	if err := c.Blueprint.Validate(); err != nil {
		return c, fmt.Errorf("blueprint: %w", err)
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.OnNotable == nil {
		c.OnNotable = io.Discard
	}
	if c.Progress == nil {
		c.Progress = func(string) {}
	}
	for _, address := range []*string{&c.APIAddr, &c.AWSAddr} {
		if *address == "" {
			*address = "127.0.0.1:0"
		}
	}
	if c.LogLevel == "" {
		c.LogLevel = slog.LevelInfo.String()
	}
	return c, nil
}

// path is a file or folder of the stack's state.
func (c Config) path(name string) string { return filepath.Join(c.DataDir, name) }

// makeFolder makes the data folder. Others may look into it, but not at what
// is secret in it.
func (c Config) makeFolder() error {
	if err := os.MkdirAll(c.path("logs"), 0o755); err != nil {
		return fmt.Errorf("make the data folder: %w", err)
	}
	return nil
}
