package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// embedded is the folder of third-party files, with their licences, that the functions contain
// in addition to Go modules.
const embedded = "shared/httpapi/reference"

// platforms are the platforms of a release: some modules are used on only one of them.
var platforms = []string{"linux", "darwin", "windows"}

// collectLicences returns the licences and notices of Go, of every module that the functions
// and the command-line programs contain, sorted by path, and of the other embedded
// files.
func collectLicences(functions []string) ([]byte, error) {
	args := []string{"list", "-deps", "-tags", "lambda.norpc", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}", "./cmd/loadbay", "./cmd/loadbay-local"}
	for _, function := range functions {
		args = append(args, "./functions/"+function)
	}
	var lines []string
	for _, system := range platforms {
		modules, err := command("env", append([]string{"GOOS=" + system, "CGO_ENABLED=0", "go"}, args...)...)
		if err != nil {
			return nil, err
		}
		lines = append(lines, strings.Split(modules, "\n")...)
	}
	root, err := command("go", "env", "GOVERSION", "GOROOT")
	if err != nil {
		return nil, err
	}
	lines = append(lines, "go "+strings.ReplaceAll(root, "\n", " "))
	slices.Sort(lines)
	var out bytes.Buffer
	for _, line := range slices.Compact(lines) {
		words := strings.Fields(line)
		if len(words) != 3 {
			continue // a standard library package, or a blank line
		}
		if err := addLicences(&out, words[0]+" "+words[1], words[2]); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), addLicences(&out, "redoc", embedded)
}

// addLicences adds the licence files of a module's folder; it fails if there are none. The
// licence of a repository covers its nested modules.
func addLicences(out *bytes.Buffer, module, folder string) error {
	var files []string
	for _, pattern := range []string{"LICEN[CS]E*", "NOTICE*"} {
		found, err := filepath.Glob(filepath.Join(folder, pattern))
		if err != nil {
			return err
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		return fmt.Errorf("no licence of %s in %s", module, folder)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "==== %s: %s\n\n%s\n", module, filepath.Base(file), bytes.TrimSpace(text))
	}
	return nil
}

func command(name string, args ...string) (string, error) {
	output, err := exec.Command(name, args...).Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, args[0], err)
	}
	return strings.TrimSpace(string(output)), nil
}
