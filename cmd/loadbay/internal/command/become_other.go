//go:build !unix

package command

import "errors"

// become would run a program that there is for Linux and macOS only.
func become(string, []string, []string) error {
	return errors.New("loadbay dev needs Linux or macOS; on Windows it runs in WSL")
}
