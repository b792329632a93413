package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// program is the name of the executable that Lambda's provided runtimes start.
const program = "bootstrap"

// epoch is the time of every file in an archive: the earliest that zip supports.
var epoch = time.Date(1980, time.January, 1, 0, 0, 0, 0, time.UTC)

// writeZips returns <function>.zip for each function, containing <function>/bootstrap from
// the folder from. It fails if a program does not carry the version.
func writeZips(version, from string, functions []string) (map[string][]byte, error) {
	files := make(map[string][]byte, len(functions))
	for _, function := range functions {
		content, err := zipProgram(version, filepath.Join(from, function, program))
		if err != nil {
			return nil, fmt.Errorf("pack %s: %w", function, err)
		}
		files[function+".zip"] = content
	}
	return files, nil
}

// writeRelease creates the folder to with the files and checksums.txt, in the format of
// sha256sum.
func writeRelease(to string, files map[string][]byte) error {
	if err := errors.Join(os.RemoveAll(to), os.MkdirAll(to, 0o755)); err != nil {
		return fmt.Errorf("create empty folder: %w", err)
	}
	var sums bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(files[name]), name)
		if err := os.WriteFile(filepath.Join(to, name), files[name], 0o644); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	if err := os.WriteFile(filepath.Join(to, "checksums.txt"), sums.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write the checksums: %w", err)
	}
	return nil
}

// zipProgram returns the zip of one program.
func zipProgram(version, path string) ([]byte, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if !bytes.Contains(content, []byte(version)) {
		return nil, fmt.Errorf("%s does not have the version %s", path, version)
	}
	return newZip("", []archiveEntry{{name: program, mode: 0o755, content: content}})
}
