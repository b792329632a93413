package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/zalando/go-keyring"
)

// keyringService is the service name of this program in the system's keyring.
const keyringService = "loadbay"

// Token returns the token of a context, or "" without one.
func (c *Config) Token(context string) (string, error) {
	token, err := keyring.Get(keyringService, context)
	if err == nil {
		return token, nil
	}
	text, err := os.ReadFile(c.tokenFile(context))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(text), err
}

// SaveToken stores a context's token in the system's keyring or, without a keyring, in a file
// that only its owner may read. It returns the path of that file.
func (c *Config) SaveToken(context, token string) (file string, err error) {
	if keyring.Set(keyringService, context, token) == nil {
		return "", nil
	}
	file = c.tokenFile(context)
	return file, replaceFile(file, []byte(token))
}

// DeleteToken deletes a context's token from the keyring and the file.
func (c *Config) DeleteToken(context string) error {
	_ = keyring.Delete(keyringService, context) // it may be in the file
	if err := os.Remove(c.tokenFile(context)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the token: %w", err)
	}
	return nil
}

func (c *Config) tokenFile(context string) string {
	return filepath.Join(filepath.Dir(c.path), "tokens", context)
}
