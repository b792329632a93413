package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// writeArchives returns an archive for each folder in from: a .zip for Windows, recognised by
// the folder's name, and a .tar.gz for other platforms. Each archive contains one folder with
// the files of that folder in from, except hidden ones, and the files in common. writeArchives
// fails if no program of a folder carries the version.
func writeArchives(version, from string, common map[string][]byte) (map[string][]byte, error) {
	folders, err := os.ReadDir(from)
	if err != nil {
		return nil, fmt.Errorf("archives: %w", err)
	}
	files := make(map[string][]byte, len(folders))
	for _, folder := range folders {
		name, ending, pack := folder.Name(), ".tar.gz", newTar
		if strings.Contains(name, "-windows-") {
			ending, pack = ".zip", newZip
		}
		entries, err := readEntries(version, os.DirFS(filepath.Join(from, name)), common)
		if err != nil {
			return nil, fmt.Errorf("archive of %s: %w", name, err)
		}
		if files[name+ending], err = pack(name, entries); err != nil {
			return nil, fmt.Errorf("archive of %s: %w", name, err)
		}
	}
	return files, nil
}

// archiveEntry is a file of an archive; its name is relative to the archive's folder.
type archiveEntry struct {
	name    string
	mode    fs.FileMode
	content []byte
}

// readEntries reads a folder, sorted by name.
func readEntries(version string, folder fs.FS, common map[string][]byte) ([]archiveEntry, error) {
	var entries []archiveEntry
	stamped := false
	err := fs.WalkDir(folder, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		content, err := fs.ReadFile(folder, name)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		e := archiveEntry{name: name, mode: 0o644, content: content}
		if info.Mode()&0o100 != 0 {
			e.mode = 0o755
			stamped = stamped || bytes.Contains(content, []byte(version))
		}
		entries = append(entries, e)
		return nil
	})
	if err == nil && !stamped {
		err = fmt.Errorf("no program has the version %s", version)
	}
	for _, name := range slices.Sorted(maps.Keys(common)) {
		entries = append(entries, archiveEntry{name: name, mode: 0o644, content: common[name]})
	}
	return entries, err
}

// newTar returns an archive for Linux and macOS.
func newTar(folder string, entries []archiveEntry) ([]byte, error) {
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	for _, e := range entries {
		header := &tar.Header{Name: path.Join(folder, e.name), Mode: int64(e.mode), Size: int64(len(e.content)), ModTime: epoch, Format: tar.FormatPAX}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.content); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// newZip returns an archive for Windows or for Lambda.
func newZip(folder string, entries []archiveEntry) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, e := range entries {
		header := &zip.FileHeader{Name: path.Join(folder, e.name), Method: zip.Deflate, Modified: epoch}
		header.SetMode(e.mode)
		file, err := w.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := file.Write(e.content); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
