// Package backup copies the state of a stopped local stack to a folder and back: the database,
// the objects with their metadata, the queues, the executions, the keys and the logs. Nothing
// changes the state in the meantime, so the copy is of one moment, also after a crash.
//
// Tested by infra/tests/faults: backups of stacks that were killed during imports.
package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/s3"
	"github.com/loadbay/loadbay/infra/local/stack"
	"github.com/loadbay/loadbay/shared/runtime/version"
	"github.com/loadbay/loadbay/shared/testing/pglaunch"
)

// Files of a backup. The description is written last: a backup without it is incomplete.
const (
	archiveFile     = "state.tar.gz"
	descriptionFile = "backup.json"
)

// Description describes a backup.
type Description struct {
	Version   string    `json:"version"` // of the program that created it
	CreatedAt time.Time `json:"createdAt"`
	Files     int       `json:"files"`
	Size      int64     `json:"size"`   // of the archive, in bytes
	SHA256    string    `json:"sha256"` // of the archive, in hexadecimal
}

// Create writes a backup of the stack in dataDir to the folder to, which must be empty or not
// exist. It fails if the stack is running. ctx cancels it.
func Create(ctx context.Context, dataDir, to string) (Description, error) {
	d, err := create(ctx, dataDir, to)
	if err != nil {
		return d, fmt.Errorf("back up %s: %w", dataDir, err)
	}
	return d, nil
}

func create(ctx context.Context, dataDir, to string) (Description, error) {
	d := Description{Version: version.String(), CreatedAt: time.Now().UTC().Truncate(time.Second)}
	if _, err := os.Stat(filepath.Join(dataDir, stack.PostgresDir, "data", "PG_VERSION")); err != nil {
		return d, errors.New("the folder has no database: set DATA_DIR to the folder of a stack that starts its own PostgreSQL")
	}
	unlock, err := lock(ctx, dataDir)
	if err != nil {
		return d, err
	}
	defer unlock()
	if err := requireEmpty(to); err != nil {
		return d, err
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return d, err
	}
	if err := writeArchive(ctx, dataDir, to, &d); err != nil {
		// What remains has no description, and so cannot be mistaken for a backup.
		return d, errors.Join(err, os.Remove(filepath.Join(to, archiveFile)))
	}
	return d, writeDescription(to, d)
}

// lock keeps a stack from starting in dataDir, and waits for the end of what a killed one left
// running.
func lock(ctx context.Context, dataDir string) (unlock func(), err error) {
	held, err := stack.LockFolder(dataDir)
	if err != nil {
		return nil, err
	}
	database, err := pglaunch.Lock(ctx, filepath.Join(dataDir, stack.PostgresDir))
	if err != nil {
		_ = held.Close()
		return nil, err
	}
	objects, err := s3.LockFolder(filepath.Join(dataDir, stack.ObjectsDir))
	if err != nil {
		_, _ = database.Close(), held.Close()
		return nil, err
	}
	// Nothing was written to the files.
	return func() { _, _, _ = objects.Close(), database.Close(), held.Close() }, nil
}

// requireEmpty reports a folder that has files.
func requireEmpty(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("%s is not empty: use another folder", dir)
	}
	return err
}

// archiveWriter counts and hashes an archive.
type archiveWriter struct {
	file *os.File
	sum  hash.Hash
	size int64
}

// Write implements io.Writer.
func (w *archiveWriter) Write(p []byte) (int, error) {
	n, err := w.file.Write(p)
	_, _ = w.sum.Write(p[:n]) // never fails
	w.size += int64(n)
	return n, err
}

func writeArchive(ctx context.Context, dataDir, to string, d *Description) error {
	file, err := os.OpenFile(filepath.Join(to, archiveFile), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	w := &archiveWriter{file: file, sum: sha256.New()}
	if d.Files, err = pack(ctx, dataDir, w); err == nil {
		err = file.Sync()
	}
	d.Size, d.SHA256 = w.size, hex.EncodeToString(w.sum.Sum(nil))
	return errors.Join(err, file.Close())
}

func writeDescription(to string, d Description) error {
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(to, descriptionFile)
	if err := os.WriteFile(path+".new", append(text, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// Restore writes the backup in the folder from to dataDir, which must be empty or not exist.
// It checks the whole archive before it writes anything.
func Restore(ctx context.Context, from, dataDir string) (Description, error) {
	d, err := restore(ctx, from, dataDir)
	if err != nil {
		return d, fmt.Errorf("restore %s: %w", from, err)
	}
	return d, nil
}

func restore(ctx context.Context, from, dataDir string) (Description, error) {
	d, err := readDescription(from)
	if err != nil {
		return d, err
	}
	if err := requireEmpty(dataDir); err != nil {
		return d, err
	}
	file, err := os.Open(filepath.Join(from, archiveFile))
	if err != nil {
		return d, err
	}
	defer func() { _ = file.Close() }() // only read
	if err := verify(ctx, file, d); err != nil {
		return d, err
	}
	// Renamed when complete, so that no stack starts with a part of the state.
	partial := filepath.Clean(dataDir) + ".restoring"
	if err := os.RemoveAll(partial); err != nil {
		return d, err
	}
	if err := unpack(ctx, file, partial); err != nil {
		return d, errors.Join(err, os.RemoveAll(partial))
	}
	if err := os.Remove(dataDir); err != nil && !errors.Is(err, os.ErrNotExist) {
		return d, err
	}
	return d, os.Rename(partial, dataDir)
}

func readDescription(from string) (Description, error) {
	var d Description
	text, err := os.ReadFile(filepath.Join(from, descriptionFile))
	if errors.Is(err, os.ErrNotExist) {
		return d, fmt.Errorf("the folder has no complete backup: %s is missing", descriptionFile)
	}
	if err == nil {
		err = json.Unmarshal(text, &d)
	}
	return d, err
}

// verify compares the archive with its description and rewinds it.
func verify(ctx context.Context, file *os.File, d Description) error {
	sum := sha256.New()
	size, err := io.Copy(sum, contextReader{ctx, file})
	if err != nil {
		return err
	}
	if size != d.Size || hex.EncodeToString(sum.Sum(nil)) != d.SHA256 {
		return fmt.Errorf("%s is damaged: it differs from its checksum", archiveFile)
	}
	_, err = file.Seek(0, io.SeekStart)
	return err
}

// contextReader fails once its context is done.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

// Read implements io.Reader.
func (r contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}
