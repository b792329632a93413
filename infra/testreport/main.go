// Command testreport reads the output of `go test -json` and prints it as go test does, and at the end
// the tests that were not run, with their reasons, which go test keeps to itself.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	failed, err := report(os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testreport:", err)
	}
	if failed || err != nil {
		os.Exit(1)
	}
}

// event is a line of `go test -json`: see `go doc test2json`.
type event struct {
	Action, Package, Test, Output string
}

// report reports whether a test or a package failed.
func report(in io.Reader, out io.Writer) (failed bool, err error) {
	var notRun []string
	outputs := make(map[[2]string][]string) // of the tests that are running
	lines := bufio.NewReader(in)
	for {
		line, readErr := lines.ReadBytes('\n')
		if readErr != nil && readErr != io.EOF {
			return failed, readErr
		}
		var e event
		if json.Unmarshal(line, &e) != nil {
			fmt.Fprintf(out, "%s", line) // of the go command itself
		}
		key := [2]string{e.Package, e.Test}
		switch e.Action {
		case "build-output":
			fmt.Fprint(out, e.Output)
		case "output":
			if e.Test != "" {
				outputs[key] = append(outputs[key], e.Output)
			} else if e.Output != "PASS\n" && !strings.HasSuffix(e.Output, "[no test files]\n") {
				fmt.Fprint(out, e.Output)
			}
		case "fail":
			failed = true
			printAll(out, outputs[key])
			delete(outputs, key)
		case "skip":
			if e.Test != "" {
				notRun = append(notRun, fmt.Sprintf("  %s %s: %s", e.Package, e.Test, reason(outputs[key])))
			}
			delete(outputs, key)
		case "pass":
			delete(outputs, key)
		}
		if readErr == io.EOF {
			break
		}
	}
	for _, output := range outputs { // of tests that a crash has ended
		failed = true
		printAll(out, output)
	}
	if len(notRun) > 0 {
		fmt.Fprintf(out, "not run: %d tests\n%s\n", len(notRun), strings.Join(notRun, "\n"))
	}
	return failed, nil
}

// printAll prints the output of a test without the lines about its progress.
func printAll(out io.Writer, output []string) {
	for _, line := range output {
		if !strings.HasPrefix(line, "=== ") {
			fmt.Fprint(out, line)
		}
	}
}

// reason returns what a test logged before it was skipped, without the place.
func reason(output []string) string {
	for i := len(output) - 1; i >= 0; i-- {
		line := strings.TrimSpace(output[i])
		if strings.HasPrefix(line, "=== ") || strings.HasPrefix(line, "--- ") {
			continue
		}
		if _, text, placed := strings.Cut(line, ": "); placed {
			line = text
		}
		return strings.TrimPrefix(line, "skipped: ")
	}
	return "no reason given"
}
