package command

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// openFile opens a file and returns its name. Standard input ("-"), pipes and devices are copied to
// a file first, because the size has to be known before the upload.
func (a *app) openFile(path, name string) (*os.File, string, error) {
	if path == "-" {
		return spool(a.streams.In, "standard input", name)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, "", err
	}
	info, err := file.Stat()
	switch {
	case err != nil:
		return nil, "", errors.Join(err, file.Close())
	case info.IsDir():
		return nil, "", errors.Join(fmt.Errorf("%s is a folder: name the files in it, or import new files with --watch", path), file.Close())
	case info.Mode().IsRegular():
		return file, cmp.Or(name, filepath.Base(path)), nil
	}
	defer file.Close()
	return spool(file, path, name)
}

// readText reads a file of at most so many bytes, or standard input ("-").
func (a *app) readText(path string, maxBytes int64) ([]byte, error) {
	in := a.streams.In
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		in = file
	}
	text, err := io.ReadAll(io.LimitReader(in, maxBytes+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read %s: %w", path, err)
	case int64(len(text)) > maxBytes:
		return nil, usageError{fmt.Errorf("%s has more than %d bytes", path, maxBytes)}
	}
	return text, nil
}

// spool copies a stream to a file without a name, which is deleted when it is closed.
func spool(from io.Reader, path, name string) (*os.File, string, error) {
	file, err := os.CreateTemp("", "loadbay-*")
	if err != nil {
		return nil, "", err
	}
	if err := os.Remove(file.Name()); err != nil { // the space is released when the file is closed
		return nil, "", errors.Join(err, file.Close())
	}
	if _, err := io.Copy(file, from); err != nil {
		return nil, "", fmt.Errorf("read %s: %w", path, errors.Join(err, file.Close()))
	}
	return file, cmp.Or(name, "input"+extension(file)), nil
}

// extension returns the extension for the content of a stream without a name: the content decides
// how it is read, but a file needs a name.
func extension(file io.ReaderAt) string {
	begin := make([]byte, 4)
	n, _ := file.ReadAt(begin, 0)
	begin = begin[:n]
	switch {
	case bytes.HasPrefix(begin, []byte("PK")):
		return ".xlsx"
	case bytes.HasPrefix(begin, []byte("\xd0\xcf\x11\xe0")):
		return ".xls"
	case bytes.HasPrefix(begin, []byte("{")):
		return ".ndjson"
	default:
		return ".csv"
	}
}
