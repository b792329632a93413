// Package stack runs all of Loadbay on one machine: Postgres, the AWS endpoint,
// the functions, their events and the HTTP API, wired according to the blueprint.
// The local program runs it; the demonstration, the benchmark and tests each start
// their own stack on free ports and in a fresh folder.
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

// UsesFile is the file in DataDir that gets a line for each kind of use of a role's
// permissions, allowed or denied (iam.Use).
const UsesFile = "logs/uses.log"

// PostgresDir and ObjectsDir are the folders in DataDir of the database, if the stack starts its
// own server, and of the objects.
const (
	PostgresDir = "postgres"
	ObjectsDir  = "s3"
)

// Config configures a stack. Only DataDir, BinDir and S3Command are required.
type Config struct {
	// DataDir is the folder of all state; it is created if missing. Only one stack can use it at
	// a time.
	DataDir string
	// BinDir contains the compiled functions, <name>/bootstrap.
	BinDir string
	// S3Command starts the child process that serves objects: the running program,
	// with arguments that make it call RunIfChild.
	S3Command []string
	// APIAddr and AWSAddr are the listening addresses, such as 127.0.0.1:8080; "" selects a free
	// port.
	APIAddr, AWSAddr string
	// DatabaseURL is an administrator's URL of an existing server; "" starts a server.
	DatabaseURL string
	// Postgres configures a server started by the stack; the zero value means pglaunch.Bulk.
	Postgres pglaunch.Settings
	// TokenRequired rejects API calls without a token, as an issuer in the settings does (AUTH_ISSUER).
	TokenRequired bool
	// PublicURL is the address at which a TLS proxy on this machine serves the API and the console,
	// such as https://loadbay.example.org; "" for none. It needs an issuer in the settings.
	PublicURL string
	// Origins are the origins that may call the API and use presigned URLs, such as
	// "http://localhost:5173"; without any, no page of another origin may, as on AWS.
	Origins []string
	// Console is the folder of the built console, served together with the API; "" for none.
	// If the folder has no build, the stack runs without a console; see Stack.Console.
	Console string
	// LocalWebhooks permits webhooks to this machine, also without TLS.
	LocalWebhooks bool
	// Setting returns the value of a function variable that operators may set
	// (blueprint.Setting), and whether it is set; nil sets none.
	Setting func(name string) (value string, set bool)
	// LogLevel is the lowest level that functions log: DEBUG, INFO, WARN or ERROR; "" is INFO.
	LogLevel string
	// Seed creates the first organisations through the API at that address, at every
	// start; nil for none.
	Seed func(ctx context.Context, api string) error
	// Blueprint defines what to run; nil is blueprint.New.
	Blueprint *blueprint.Blueprint
	// Definition is the definition of the state machine; "" is the current one. Executions
	// started with an earlier definition keep it, as on AWS.
	Definition string
	// Logger logs the stack's own events; nil writes warnings and errors to DataDir/logs/stack.log.
	Logger *slog.Logger
	// OnNotable receives one short line for each event of an import, warning, error and crash. The
	// details are in DataDir/logs. nil discards them.
	OnNotable io.Writer
	// Progress receives progress messages for a person while the stack starts; nil discards them.
	Progress func(sentence string)
}

func (c Config) withDefaults() (Config, error) {
	if c.DataDir == "" || c.BinDir == "" || len(c.S3Command) == 0 {
		return c, errors.New("DataDir, BinDir and S3Command are required")
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
	if issuer, _ := c.Setting(blueprint.AuthIssuer); issuer != "" {
		c.TokenRequired = true
	} else if c.PublicURL != "" {
		return c, errors.New("PublicURL needs an issuer, because the stack's own provider signs in anybody under any name")
	}
	if err := c.Blueprint.Validate(); err != nil {
		return c, fmt.Errorf("blueprint: %w", err)
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

// path returns the path of a file or folder of the stack's state.
func (c Config) path(name string) string { return filepath.Join(c.DataDir, name) }

// makeFolder creates the data folder. Other users may read it, except for its
// secrets.
func (c Config) makeFolder() error {
	if err := os.MkdirAll(c.path("logs"), 0o755); err != nil {
		return fmt.Errorf("create data folder: %w", err)
	}
	return nil
}
