package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// program is the name that Lambda's provided runtimes start.
const program = "bootstrap"

// epoch is the time of every file in a zip: the earliest that the format knows.
var epoch = time.Date(1980, time.January, 1, 0, 0, 0, 0, time.UTC)

// Pack writes the folder to: <function>.zip for the <function>/bootstrap in the
// folder from of each of the functions, and checksums.txt, as sha256sum checks
// it. It refuses a program that does not carry the version.
func Pack(version, from, to string, functions []string) error {
	if err := errors.Join(os.RemoveAll(to), os.MkdirAll(to, 0o755)); err != nil {
		return fmt.Errorf("make an empty folder: %w", err)
	}
	var sums strings.Builder
	for _, function := range slices.Sorted(slices.Values(functions)) {
		name := function + ".zip"
		content, err := packed(version, filepath.Join(from, function, program))
		if err != nil {
			return fmt.Errorf("pack %s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(to, name), content, 0o644); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(content), name)
	}
	if err := os.WriteFile(filepath.Join(to, "checksums.txt"), []byte(sums.String()), 0o644); err != nil {
		return fmt.Errorf("write the checksums: %w", err)
	}
	return nil
}

// packed returns the zip of one program.
func packed(version, path string) ([]byte, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if !bytes.Contains(content, []byte(version)) {
		return nil, fmt.Errorf("%s is not stamped %s", path, version)
	}
	header := &zip.FileHeader{Name: program, Method: zip.Deflate, Modified: epoch}
	header.SetMode(0o755)
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	file, err := w.CreateHeader(header)
	if err != nil {
		return nil, err
	}
	if _, err := file.Write(content); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}
