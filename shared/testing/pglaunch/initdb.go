package pglaunch

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/loadbay/loadbay/shared/runtime/childproc"
)

// readPassword returns the superuser's password, and creates it the first time.
func readPassword(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err == nil {
		return strings.TrimSpace(string(text)), nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("read the superuser's password: %w", err)
	}
	made := rand.Text()
	// Renamed into place, so that a kill cannot leave a partial password behind.
	if err := os.WriteFile(file+".new", []byte(made+"\n"), 0o600); err != nil {
		return "", fmt.Errorf("save the superuser's password: %w", err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		return "", fmt.Errorf("save the superuser's password: %w", err)
	}
	return made, nil
}

// createCluster runs initdb next to the data folder and renames the result into place, so that a
// kill leaves no partial cluster that looks complete.
func createCluster(ctx context.Context, c Config, b binaries, o *owner, secret string) error {
	fresh := c.dataDir() + ".new"
	if err := stopOrphans(ctx, fresh); err != nil { // left by an initdb of a killed program
		return fmt.Errorf("create the cluster: %w", err)
	}
	if err := os.RemoveAll(fresh); err != nil {
		return fmt.Errorf("create the cluster: %w", err)
	}
	if err := os.Mkdir(fresh, 0o700); err != nil {
		return fmt.Errorf("create the cluster: %w", err)
	}
	secretFile := filepath.Join(c.Dir, "password.initdb")
	if err := os.WriteFile(secretFile, []byte(secret+"\n"), 0o600); err != nil {
		return fmt.Errorf("create the cluster: %w", err)
	}
	defer func() { _ = os.Remove(secretFile) }()
	for _, path := range []string{fresh, secretFile} {
		if err := o.chownAll(path); err != nil {
			return fmt.Errorf("create the cluster: %w", err)
		}
	}

	cmd := exec.Command(b.path("initdb"), initdbArgs(b.major, fresh, secretFile, c.Settings)...)
	cmd.Dir = c.Dir
	cmd.Env = serverEnv()
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	o.apply(cmd)
	if err := childproc.Run(ctx, cmd); err != nil {
		return fmt.Errorf("create the cluster: initdb: %w: %s", err, bytes.TrimSpace(output.Bytes()))
	}
	if err := os.Rename(fresh, c.dataDir()); err != nil {
		return fmt.Errorf("create the cluster: %w", err)
	}
	return nil
}

// initdbArgs requests UTF-8 and code point order, which is the same on every machine and
// independent of the operating system's locales.
func initdbArgs(major int, dataDir, secretFile string, s Settings) []string {
	auth := "scram-sha-256"
	if s.MD5Passwords {
		auth = "md5"
	}
	args := []string{
		"--pgdata=" + dataDir, "--username=" + Superuser, "--pwfile=" + secretFile,
		"--auth=" + auth, "--encoding=UTF8",
	}
	switch {
	case major >= 17:
		args = append(args, "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C")
	case runtime.GOOS == "darwin": // the macOS C library has no C.UTF-8
		args = append(args, "--locale=C")
	default:
		args = append(args, "--locale=C.UTF-8")
	}
	if !s.Durable {
		args = append(args, "--no-sync")
	}
	return args
}

// serverEnv returns a server's complete environment. The caller's PG* variables and locale must
// not affect it.
func serverEnv() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "TZ=UTC"}
}
