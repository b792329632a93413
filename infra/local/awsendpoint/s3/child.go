package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/versity/versitygw/backend/meta"
	"github.com/versity/versitygw/backend/posix"
	"github.com/versity/versitygw/embedgw"
)

// healthPath returns 200 once the child serves requests. No bucket can have this name.
const healthPath = "/_loadbay/health"

// Limits of versitygw without a useful zero value.
const (
	maxConnections = 4096
	maxRequests    = 2048
	maxParts       = 10_000  // per multipart upload, as on AWS
	maxCopy        = 5 << 30 // bytes per CopyObject, as on AWS
)

// Main runs the child process: it serves the objects of a folder on a socket until its standard
// input ends. args are the folder, the socket's path and the file of the roles' keys.
func Main(args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("local S3 child: want a folder, a socket and a file of keys, have %q", args)
	}
	accounts, err := openAccounts(args[2])
	if err != nil {
		return fmt.Errorf("local S3 child: %w", err)
	}
	dir, err := filepath.Abs(args[0])
	if err != nil {
		return fmt.Errorf("local S3 child: %w", err)
	}
	// Ctrl-C reaches the whole process group; the parent stops its children.
	signal.Ignore(os.Interrupt)
	lock, err := LockFolder(dir)
	if err != nil {
		return fmt.Errorf("local S3 child: %w", err)
	}
	defer lock.Close()
	store, err := openStore(dir)
	if err != nil {
		return fmt.Errorf("local S3 child: %w", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // ends together with the parent
		stop()
	}()
	err = embedgw.RunVersityGW(ctx, store, &embedgw.Config{
		RootUserAccess: AccessKey, RootUserSecret: SecretKey, Region: Region, IAMService: accounts,
		Ports:          []string{args[1]},
		MaxConnections: maxConnections, MaxRequests: maxRequests, MultipartMaxParts: maxParts,
		HealthPath: healthPath, KeepAlive: true, Quiet: true,
	})
	if ctx.Err() != nil {
		// A parent that was killed cannot clean up.
		return errors.Join(removeSocket(args[1]), err)
	}
	return err
}

func removeSocket(path string) error {
	for _, name := range []string{path, filepath.Dir(path)} {
		if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("remove socket: %w", err)
		}
	}
	return nil
}

// LockFolder waits until no child serves the folder: that of a killed parent may still be finishing
// a request. No other child starts until the file is closed.
func LockFolder(dir string) (*os.File, error) {
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	for {
		err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			return lock, err
		}
	}
}

// objectsDir is the folder of the buckets.
const objectsDir = "objects"

// openStore opens the objects. Their metadata is in extended attributes, which are renamed
// atomically with the file, or in a folder next to them if the file system does not support
// attributes. The choice is fixed for each folder.
func openStore(dir string) (*posix.Posix, error) {
	root, metadata := filepath.Join(dir, objectsDir), filepath.Join(dir, "metadata")
	if err := os.MkdirAll(root, 0o755); err != nil {
		return nil, fmt.Errorf("create folder of objects: %w", err)
	}
	options := posix.PosixOpts{CopyObjectThreshold: maxCopy}
	if _, err := os.Stat(metadata); err != nil && checkXattr(root) {
		return posix.New(root, meta.XattrMeta{}, options)
	}
	if err := os.MkdirAll(metadata, 0o755); err != nil {
		return nil, fmt.Errorf("create folder of metadata: %w", err)
	}
	sidecar, err := meta.NewSideCar(metadata)
	if err != nil {
		return nil, fmt.Errorf("open folder of metadata: %w", err)
	}
	options.SideCarDir = metadata
	return posix.New(root, sidecar, options)
}

func checkXattr(dir string) bool {
	probe, err := os.CreateTemp(dir, ".probe-")
	if err != nil {
		return false
	}
	defer os.Remove(probe.Name())
	defer probe.Close()
	return meta.XattrMeta{}.StoreAttribute(probe, "", "", "probe", []byte("1")) == nil
}
