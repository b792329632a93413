package pglaunch

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// VersionError means that a cluster was created by another major version than that of the server.
type VersionError struct {
	Dir          string // of the cluster
	Data, Server int
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("the data in %s is of PostgreSQL %d, but the server is version %d: move the data with `make upgrade-data` (or `loadbay-local upgrade-data`), or install PostgreSQL %d",
		e.Dir, e.Data, e.Server, e.Data)
}

// errInterrupted means that Upgrade was killed between its last two steps.
var errInterrupted = errors.New("an upgrade of the data was interrupted: run `make upgrade-data` (or `loadbay-local upgrade-data`) again")

// Upgrade moves the cluster in c.Dir to the major version of the server that a new cluster would
// have, and returns both versions, which are equal if nothing had to be done. It copies everything
// with pg_dumpall and psql into a new cluster, so it needs these programs of the old version or a
// newer one, and as much space again. The old cluster is never changed: Upgrade keeps it as data-N,
// where N is its version.
//
// pg_upgrade would be faster, but it comes with few of the installations that this package runs.
func Upgrade(ctx context.Context, c Config) (from, to int, err error) {
	if c, err = c.withDefaults(); err != nil {
		return 0, 0, err
	}
	if from, to, err = upgrade(ctx, c); err != nil {
		return from, to, fmt.Errorf("upgrade the data in %s: %w", c.Dir, err)
	}
	return from, to, nil
}

func upgrade(ctx context.Context, c Config) (from, to int, err error) {
	if from, to, err = finishUpgrade(c); err != nil || from != to {
		return from, to, err
	}
	from, err = clusterVersion(c.dataDir())
	if err != nil {
		return from, from, err
	}
	if from == 0 {
		return 0, 0, errors.New("there is no data")
	}
	target := c.upgradeConfig()
	if err := os.RemoveAll(target.Dir); err != nil { // left by an upgrade that failed
		return from, from, err
	}
	server, err := findBinaries(ctx, target)
	if err != nil {
		return from, from, err
	}
	if server.major == from {
		return from, from, nil
	}
	if server.major < from {
		return from, server.major, fmt.Errorf("PostgreSQL %d cannot read data of version %d: POSTGRES_BIN must name a newer one", server.major, from)
	}
	if _, err := os.Stat(c.previousData(from)); err == nil {
		return from, server.major, fmt.Errorf("%s exists, from an earlier upgrade: delete it first", c.previousData(from))
	}
	if c.BinDir, err = oldBinaries(ctx, c, from); err != nil {
		return from, server.major, err
	}
	clients, err := findClients(ctx, from, server.dir, c.BinDir)
	if err != nil {
		return from, server.major, err
	}
	target.BinDir = server.dir
	c.Progress(fmt.Sprintf("Copying the data of PostgreSQL %d to PostgreSQL %d.", from, server.major))
	if err := copyCluster(ctx, c, target, clients); err != nil {
		return from, server.major, errors.Join(err, os.RemoveAll(target.Dir))
	}
	return finishUpgrade(c)
}

// upgradeConfig is that of the new cluster during an upgrade, on the same file system.
func (c Config) upgradeConfig() Config {
	c.Dir, c.Port = filepath.Join(c.Dir, "upgrade"), 0
	return c
}

// completeFile marks a new cluster that has everything.
func (c Config) completeFile() string { return filepath.Join(c.Dir, "complete") }

// previousData is where an upgrade keeps the cluster of a major version.
func (c Config) previousData(major int) string { return c.dataDir() + "-" + strconv.Itoa(major) }

// finishUpgrade puts a complete new cluster in the place of the old one, which a killed upgrade may
// have moved away already. The versions are equal if there is no complete cluster.
func finishUpgrade(c Config) (from, to int, err error) {
	target := c.upgradeConfig()
	text, err := os.ReadFile(target.completeFile())
	if errors.Is(err, os.ErrNotExist) {
		return 0, 0, nil
	}
	if err == nil {
		from, err = strconv.Atoi(strings.TrimSpace(string(text)))
	}
	if err != nil {
		return 0, 0, fmt.Errorf("read the version of the old data: %w", err)
	}
	held, err := lockDir(c.Dir)
	if err != nil {
		return from, 0, err
	}
	defer func() { _ = held.Close() }()
	if to, err = clusterVersion(target.dataDir()); err != nil {
		return from, to, err
	}
	if to != 0 { // else only the removal is left
		if _, err := os.Stat(c.previousData(from)); errors.Is(err, os.ErrNotExist) {
			if err := os.Rename(c.dataDir(), c.previousData(from)); err != nil {
				return from, to, err
			}
		}
		if err := os.Rename(target.dataDir(), c.dataDir()); err != nil {
			return from, to, err
		}
	} else if to, err = clusterVersion(c.dataDir()); err != nil {
		return from, to, err
	}
	return from, to, os.RemoveAll(target.Dir)
}

// oldBinaries returns the folder of the programs that can run the old cluster.
func oldBinaries(ctx context.Context, c Config, major int) (string, error) {
	b, err := newestInstalled(ctx, major)
	if errors.Is(err, errNotInstalled) {
		b, err = downloadBinaries(ctx, c, major)
	}
	if err != nil {
		return "", fmt.Errorf("PostgreSQL %d, which can read the data, is not installed: %w", major, err)
	}
	return b.dir, nil
}

// findClients returns a folder with pg_dumpall, pg_dump and psql that know the major version: in
// one of the folders, or else where packages install them.
func findClients(ctx context.Context, major int, dirs ...string) (string, error) {
	dirs = append(dirs, findCandidates()...)
	if found, err := exec.LookPath("pg_dumpall"); err == nil {
		dirs = append(dirs, filepath.Dir(found))
	}
	for _, dir := range dirs {
		complete := true
		for _, program := range []string{"pg_dumpall", "pg_dump", "psql"} {
			out, err := exec.CommandContext(ctx, filepath.Join(dir, program), "--version").Output()
			match := versionPattern.FindSubmatch(out)
			if err != nil || match == nil {
				complete = false
				break
			}
			is, err := strconv.Atoi(string(match[1]))
			complete = complete && err == nil && is >= major
		}
		if complete {
			return dir, nil
		}
	}
	return "", fmt.Errorf("pg_dumpall and psql of PostgreSQL %d or newer are not installed (Debian: postgresql-client)", major)
}

// copyCluster copies the cluster of c into a new one.
func copyCluster(ctx context.Context, c, target Config, clients string) (err error) {
	old, err := Start(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, old.Stop(context.WithoutCancel(ctx))) }()
	if err := os.MkdirAll(target.Dir, 0o755); err != nil {
		return err
	}
	// The dump sets the old superuser's password, with which psql has to connect to each database.
	secret, err := readPassword(c.passwordFile())
	if err == nil {
		err = os.WriteFile(target.passwordFile(), []byte(secret+"\n"), 0o600)
	}
	if err != nil {
		return err
	}
	fresh, err := Start(ctx, target)
	if err != nil {
		return err
	}
	if err = dumpInto(ctx, clients, old, fresh); err == nil {
		err = analyzeAll(ctx, fresh)
	}
	// Stopped before it is marked complete, so that everything is on the disk.
	if err = errors.Join(err, fresh.Stop(context.WithoutCancel(ctx))); err != nil {
		return err
	}
	return os.WriteFile(target.completeFile(), []byte(strconv.Itoa(old.binaries.major)+"\n"), 0o600)
}

// clientCommand returns a client program that connects to the server as the superuser.
func clientCommand(ctx context.Context, s *Server, program string, args ...string) *exec.Cmd {
	address := s.base
	secret, _ := address.User.Password()
	address.User = url.User(Superuser)
	cmd := exec.CommandContext(ctx, program, append(args, "--dbname="+address.String())...)
	cmd.Env = append(serverEnv(), "PGPASSWORD="+secret) // arguments are visible to other users
	return cmd
}

// dumpInto pipes everything of one cluster into another. The superuser, who exists, is not created.
func dumpInto(ctx context.Context, clients string, from, to *Server) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	dump := clientCommand(ctx, from, filepath.Join(clients, "pg_dumpall"))
	load := clientCommand(ctx, to, filepath.Join(clients, "psql"), "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--output="+os.DevNull)
	var dumpErrors, loadErrors bytes.Buffer
	dump.Stderr, load.Stderr = &dumpErrors, &loadErrors
	statements, err := dump.StdoutPipe()
	if err != nil {
		return err
	}
	input, err := load.StdinPipe()
	if err != nil {
		return err
	}
	if err := errors.Join(dump.Start(), load.Start()); err != nil {
		return err
	}
	copied := errors.Join(copyStatements(input, statements), input.Close())
	if err := load.Wait(); err != nil {
		cancel() // pg_dumpall may be waiting for a reader
		_ = dump.Wait()
		return fmt.Errorf("psql: %w: %s", err, bytes.TrimSpace(loadErrors.Bytes()))
	}
	if err := dump.Wait(); err != nil {
		return fmt.Errorf("pg_dumpall: %w: %s", err, bytes.TrimSpace(dumpErrors.Bytes()))
	}
	return copied
}

// copyStatements copies a dump, except for the creation of the superuser, which comes before any
// data.
func copyStatements(to io.Writer, from io.Reader) error {
	reader := bufio.NewReaderSize(from, 1<<20)
	for {
		line, err := reader.ReadSlice('\n')
		if string(line) == "CREATE ROLE "+Superuser+";\n" {
			break
		}
		if _, err := to.Write(line); err != nil {
			return err
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
	_, err := io.Copy(to, reader)
	return err
}

// analyzeAll collects statistics, which a dump does not contain.
func analyzeAll(ctx context.Context, s *Server) error {
	conn, err := pgx.Connect(ctx, s.AdminURL(""))
	if err != nil {
		return err
	}
	rows, err := conn.Query(ctx, `SELECT datname FROM pg_database WHERE datallowconn AND NOT datistemplate`)
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err := errors.Join(err, conn.Close(ctx)); err != nil {
		return err
	}
	for _, name := range names {
		if conn, err = pgx.Connect(ctx, s.AdminURL(name)); err != nil {
			return err
		}
		_, err = conn.Exec(ctx, `ANALYZE`)
		if err := errors.Join(err, conn.Close(ctx)); err != nil {
			return fmt.Errorf("analyze %s: %w", name, err)
		}
	}
	return nil
}
