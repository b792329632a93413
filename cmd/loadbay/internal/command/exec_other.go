//go:build !unix

package command

import "errors"

// execProgram fails: the program exists for Linux and macOS only.
func execProgram(string, []string, []string) error {
	return errors.New("loadbay dev requires Linux or macOS; on Windows, run it in WSL")
}
