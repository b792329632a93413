// Package config stores the installations that a person works with, each as a named context,
// and their tokens.
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

// Context is one installation and one organisation.
type Context struct {
	URL string `json:"url"`
}

// Config is the configuration file with all contexts.
type Config struct {
	Current  string             `json:"current,omitempty"`
	Contexts map[string]Context `json:"contexts"`

	path        string
	environment Environment
}

// Load reads the file; a missing file is an empty configuration.
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

// configPath returns the path of the file.
func configPath(environment Environment) (string, error) {
	if environment.File != "" {
		return environment.File, nil
	}
	folder, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("find the configuration folder (or set LOADBAY_CONFIG): %w", err)
	}
	return filepath.Join(folder, "loadbay", "config.json"), nil
}

// Save writes the file atomically, readable only by its owner.
func (c *Config) Save() error {
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	return replaceFile(c.path, append(text, '\n'))
}

// replaceFile replaces a file atomically: readers see either the old or the new text.
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

// namePattern limits context names, because they are file names, too.
var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Set adds or changes a context; the first one becomes the current one.
func (c *Config) Set(name string, context Context) error {
	if !namePattern.MatchString(name) {
		return fmt.Errorf("%q is not a valid name of an installation: use up to 64 letters, digits, points, hyphens and underscores", name)
	}
	c.Contexts[name] = context
	c.Current = cmp.Or(c.Current, name)
	return nil
}

// Names returns the names of the contexts in order.
func (c *Config) Names() []string { return slices.Sorted(maps.Keys(c.Contexts)) }
