//go:build !unix

package command

import "errors"

// execProgram would run a program that there is for Linux and macOS only.
func execProgram(string, []string, []string) error {
	return errors.New("loadbay dev needs Linux or macOS; on Windows it runs in WSL")
}
