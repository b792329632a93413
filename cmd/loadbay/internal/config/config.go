// Package config keeps which installations of Loadbay a person works with, each as a
// context with a name, and the tokens for them.
package config

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

// Context is one installation, as one organisation.
type Context struct {
	URL string `json:"url"`
}

// Config is the file of the contexts.
type Config struct {
	Current  string             `json:"current,omitempty"`
	Contexts map[string]Context `json:"contexts"`

	path        string
	environment Environment
}

// Load reads the file; without one, nothing is configured yet.
func Load(environment Environment) (*Config, error) {
	path, err := configPath(environment)
	if err != nil {
		return nil, err
	}
	c := &Config{Contexts: map[string]Context{}, path: path, environment: environment}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the contexts: %w", err)
	}
	if err := json.Unmarshal(text, c); err != nil {
		return nil, fmt.Errorf("read the contexts in %s: %w", path, err)
	}
	return c, nil
}

// configPath is where the file is.
func configPath(environment Environment) (string, error) {
	if environment.File != "" {
		return environment.File, nil
	}
	folder, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("find the folder of settings (or set LOADBAY_CONFIG): %w", err)
	}
	return filepath.Join(folder, "loadbay", "config.json"), nil
}

// Save writes the file, which nobody else may read, as a whole or not at all.
func (c *Config) Save() error {
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	return replaceFile(c.path, append(text, '\n'))
}

// replaceFile writes a file of which readers see the old or the new text.
func replaceFile(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".new-*") // 0600
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, errors.Join(err, os.Remove(file.Name())))
	}
	return nil
}

// namePattern is what a context may be called: its name is that of a file, too.
var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Set adds a context, or changes it; the first one is the current one.
func (c *Config) Set(name string, context Context) error {
	if !namePattern.MatchString(name) {
		return fmt.Errorf("%q cannot be the name of a context: letters, digits, points, hyphens and underscores, up to 64", name)
	}
	c.Contexts[name] = context
	c.Current = cmp.Or(c.Current, name)
	return nil
}

// Names are those of the contexts, in their order.
func (c *Config) Names() []string { return slices.Sorted(maps.Keys(c.Contexts)) }
