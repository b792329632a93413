package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/s3"
	"github.com/loadbay/loadbay/infra/local/seed"
	"github.com/loadbay/loadbay/infra/local/stack"
	"github.com/loadbay/loadbay/shared/runtime/config"
	"github.com/loadbay/loadbay/shared/runtime/version"
)

// settings are read from the environment.
type settings struct {
	APIAddr     string     `env:"API_ADDR" default:"127.0.0.1:8080"`
	AWSAddr     string     `env:"AWS_ADDR" default:"127.0.0.1:4566"`
	DataDir     string     `env:"DATA_DIR" default:".loadbay"`
	BinDir      string     `env:"BIN_DIR"`
	DatabaseURL string     `env:"DATABASE_URL"`
	LocalAuth   string     `env:"LOCAL_AUTH"`
	AuthIssuer  string     `env:"AUTH_ISSUER"`
	PublicURL   string     `env:"PUBLIC_URL"`
	Webhooks    string     `env:"LOCAL_WEBHOOKS"`
	CORSOrigins string     `env:"CORS_ORIGINS"`
	ConsoleDir  string     `env:"CONSOLE_DIR"`
	LogLevel    slog.Level `env:"LOG_LEVEL" default:"INFO"`
}

// corsOrigins splits the comma-separated origins.
func (s *settings) corsOrigins() []string {
	return strings.FieldsFunc(s.CORSOrigins, func(r rune) bool { return r == ',' || r == ' ' })
}

// Validate rejects misspelt values; a misspelt LOCAL_AUTH would leave the API open. It also rejects
// addresses that other machines reach: anybody gets a token of the local stack for any organisation,
// and its AWS keys are fixed.
func (s *settings) Validate() error {
	for _, address := range []struct{ variable, value string }{{"API_ADDR", s.APIAddr}, {"AWS_ADDR", s.AWSAddr}} {
		if !isLoopback(address.value) {
			return fmt.Errorf("%s is %q, but the local stack gives anybody a token for any organisation: use an address of this machine, such as 127.0.0.1:8080, and reach it from another machine through SSH, or through a TLS proxy with PUBLIC_URL (docs/one-server.md)", address.variable, address.value)
		}
	}
	if s.LocalAuth != "" && s.LocalAuth != "required" {
		return fmt.Errorf(`LOCAL_AUTH is %q; it must be "required" or empty`, s.LocalAuth)
	}
	if err := s.validatePublicURL(); err != nil {
		return err
	}
	if s.Webhooks != "" && s.Webhooks != "allowed" {
		return fmt.Errorf(`LOCAL_WEBHOOKS is %q; it must be "allowed" or empty`, s.Webhooks)
	}
	return nil
}

// validatePublicURL rejects addresses that are not those of a TLS proxy in front of a stack with an
// issuer.
func (s *settings) validatePublicURL() error {
	if s.PublicURL == "" {
		return nil
	}
	u, err := url.Parse(s.PublicURL)
	if err != nil || u.Scheme != "https" || u.Host == "" || s.PublicURL != "https://"+u.Host {
		return fmt.Errorf("PUBLIC_URL is %q; it must be the address of the TLS proxy without a path, such as https://loadbay.example.org", s.PublicURL)
	}
	if s.AuthIssuer == "" {
		return errors.New("PUBLIC_URL needs AUTH_ISSUER, because the stack's own provider signs in anybody under any name (docs/one-server.md)")
	}
	return nil
}

// isLoopback reports whether only this machine reaches a listening address.
func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return true // listening fails with a better message
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return host == "localhost"
	}
	return ip.Unmap().IsLoopback()
}

// run starts a stack and runs it until ctx is done or the stack fails.
func run(ctx context.Context, out io.Writer) error {
	var s settings
	if err := config.Load(&s, os.LookupEnv); err != nil {
		return err
	}
	child, err := stack.ChildCommand()
	if err != nil {
		return err
	}
	begun := time.Now()
	running, err := stack.Start(ctx, stack.Config{
		DataDir: s.DataDir, BinDir: functionsDir(s.BinDir), S3Command: child, Seed: s.seed(), PublicURL: s.PublicURL,
		APIAddr: s.APIAddr, AWSAddr: s.AWSAddr, DatabaseURL: s.DatabaseURL, Console: consoleDir(s.ConsoleDir),
		Setting: os.LookupEnv, Origins: s.corsOrigins(),
		TokenRequired: s.LocalAuth != "", LocalWebhooks: s.Webhooks != "", LogLevel: s.LogLevel.String(),
		OnNotable: os.Stderr,
		Progress:  func(sentence string) { printLine(out, sentence) },
	})
	if err != nil {
		return err
	}
	printSummary(out, running, s, time.Since(begun))
	select {
	case <-ctx.Done():
	case err = <-running.Failed():
	}
	printLine(out, "Stopping.")
	// The signal that cancelled ctx must not cancel the graceful shutdown.
	return errors.Join(err, running.Stop(context.WithoutCancel(ctx)))
}

// seed returns the function that creates sample organisations. With an issuer there are none: its
// people must not share an organisation with ids that an issuer may have given to others.
func (s *settings) seed() func(context.Context, string) error {
	if s.AuthIssuer != "" {
		return nil
	}
	return seed.Run
}

func printSummary(out io.Writer, running *stack.Stack, s settings, took time.Duration) {
	where := running.APIURL
	if !running.Console {
		where = "not built; build it with `make console` (requires Node.js)"
	}
	printLine(out, fmt.Sprintf(`Loadbay %s is running (started in %.1f s).

  Console     %s
  HTTP API    %s (reference: %s/docs)
%s              metrics: %s/metrics
  AWS         aws --endpoint-url %s s3 ls
              AWS_DEFAULT_REGION=%s AWS_ACCESS_KEY_ID=%s AWS_SECRET_ACCESS_KEY=%s
  Postgres    psql "$(cat %s)"
  State       %s (function logs in logs/)

Stop with Ctrl-C.`,
		version.String(), took.Seconds(), where, running.APIURL, running.APIURL, signInLines(running.APIURL, s), running.APIURL, running.AWSURL,
		s3.Region, s3.AccessKey, s3.SecretKey, filepath.Join(s.DataDir, stack.URLFile), s.DataDir))
}

// signInLines returns the lines of the summary about tokens.
func signInLines(api string, s settings) string {
	if s.AuthIssuer == "" {
		return fmt.Sprintf(`              token of another organisation: curl '%s/local/token?organisation=2'
              operator token for /api/admin: curl '%s/local/token?scope=admin'
`, api, api)
	}
	lines := "              sign-in: " + s.AuthIssuer + "\n"
	if s.PublicURL != "" {
		lines += "              public address: " + s.PublicURL + "\n"
	}
	return lines
}

// printLine prints a line for a person and ignores write errors.
func printLine(out io.Writer, sentence string) { _, _ = fmt.Fprintln(out, sentence) }
