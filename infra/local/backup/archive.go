package backup

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/pkg/xattr"

	"github.com/loadbay/loadbay/infra/local/stack"
)

// attributeRecord is the beginning of the tar records of extended attributes, as GNU tar and
// bsdtar write them. The metadata of objects is in attributes that begin with attributePrefix.
const (
	attributeRecord = "SCHILY.xattr."
	attributePrefix = "user."
)

// temporaryFiles are left out of a backup: they belong to one run of the stack.
func temporaryFiles() []string {
	postgres := stack.PostgresDir
	return []string{
		"tmp", "lock", stack.APIFile, stack.AWSFile, stack.URLFile, stack.ObjectsDir + "/lock", postgres + "/lock",
		postgres + "/postgres.log", postgres + "/postgres.log.1", postgres + "/data/postmaster.opts",
	}
}

// pack writes an archive of dir and returns its number of files.
func pack(ctx context.Context, dir string, w io.Writer) (files int, err error) {
	compressed, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return 0, err
	}
	archive := tar.NewWriter(compressed)
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err := errors.Join(err, ctx.Err()); err != nil || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		switch {
		case slices.Contains(temporaryFiles(), filepath.ToSlash(name)) && entry.IsDir():
			return filepath.SkipDir
		case slices.Contains(temporaryFiles(), filepath.ToSlash(name)):
			return nil
		case entry.Type().IsRegular():
			files++
		case !entry.IsDir():
			return fmt.Errorf("%s is neither a file nor a folder, and cannot be backed up", path)
		}
		return packEntry(archive, path, name)
	})
	if err != nil {
		return files, err
	}
	return files, errors.Join(archive.Close(), compressed.Close())
}

func packEntry(archive *tar.Writer, path, name string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	header, err := tar.FileInfoHeader(info, "")
	if err != nil {
		return err
	}
	header.Name, header.Format = filepath.ToSlash(name), tar.FormatPAX
	header.Uid, header.Gid, header.Uname, header.Gname = 0, 0, "", "" // the stack changes owners at its start
	if header.PAXRecords, err = readAttributes(path); err != nil {
		return err
	}
	if info.IsDir() {
		header.Name += "/"
		return archive.WriteHeader(header)
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // only read
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	_, err = io.Copy(archive, file)
	return err
}

// readAttributes returns the extended attributes of a file as tar records. File systems
// without attributes have none.
func readAttributes(path string) (map[string]string, error) {
	names, err := xattr.LList(path)
	if errors.Is(err, syscall.ENOTSUP) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	records := map[string]string{}
	for _, name := range names {
		if !strings.HasPrefix(name, attributePrefix) {
			continue
		}
		value, err := xattr.LGet(path, name)
		if err != nil {
			return nil, err
		}
		records[attributeRecord+name] = string(value)
	}
	return records, nil
}

// unpack writes the entries of an archive below dir.
func unpack(ctx context.Context, r io.Reader, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	compressed, err := gzip.NewReader(contextReader{ctx, r})
	if err != nil {
		return err
	}
	archive := tar.NewReader(compressed)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !filepath.IsLocal(header.Name) {
			return fmt.Errorf("the archive has the entry %q, which is outside of its folder", header.Name)
		}
		if err := unpackEntry(archive, header, filepath.Join(dir, header.Name)); err != nil {
			return err
		}
	}
}

func unpackEntry(archive io.Reader, header *tar.Header, path string) error {
	mode := header.FileInfo().Mode().Perm()
	var err error
	switch header.Typeflag {
	case tar.TypeDir:
		err = os.Mkdir(path, mode)
	case tar.TypeReg:
		err = writeFile(path, archive, mode)
	default:
		err = fmt.Errorf("the archive has the entry %q, which is neither a file nor a folder", header.Name)
	}
	if err != nil {
		return err
	}
	for name, value := range header.PAXRecords {
		attribute, ok := strings.CutPrefix(name, attributeRecord)
		if !ok {
			continue
		}
		if err := xattr.LSet(path, attribute, []byte(value)); err != nil {
			return fmt.Errorf("the backup needs a file system with extended attributes: %w", err)
		}
	}
	// The umask may have removed permissions that PostgreSQL requires.
	if err := os.Chmod(path, mode); err != nil || header.Typeflag == tar.TypeDir {
		return err
	}
	return os.Chtimes(path, header.ModTime, header.ModTime)
}

func writeFile(path string, content io.Reader, mode os.FileMode) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode|0o200)
	if err != nil {
		return err
	}
	if _, err = io.Copy(file, content); err == nil {
		err = file.Sync() // before the folder is renamed
	}
	return errors.Join(err, file.Close())
}
