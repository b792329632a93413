package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/zalando/go-keyring"
)

// keyringService is under what name the system's keyring knows this program.
const keyringService = "loadbay"

// Token is that of a context; "" where there is none.
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

// SaveToken keeps a context's token in the system's keyring, or, where there is none, in a
// file that nobody else may read, whose path it returns.
func (c *Config) SaveToken(context, token string) (file string, err error) {
	if keyring.Set(keyringService, context, token) == nil {
		return "", nil
	}
	file = c.tokenFile(context)
	return file, replaceFile(file, []byte(token))
}

// DeleteToken forgets a context's token, wherever it is.
func (c *Config) DeleteToken(context string) error {
	_ = keyring.Delete(keyringService, context) // it may be in the file
	if err := os.Remove(c.tokenFile(context)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget the token: %w", err)
	}
	return nil
}

func (c *Config) tokenFile(context string) string {
	return filepath.Join(filepath.Dir(c.path), "tokens", context)
}
