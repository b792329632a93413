package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/zalando/go-keyring"

	"github.com/loadbay/loadbay/cmd/loadbay/internal/config"
)

// newEnvironment returns a machine without configuration and without a keyring.
func newEnvironment(t *testing.T) config.Environment {
	t.Helper()
	keyring.MockInitWithError(keyring.ErrUnsupportedPlatform)
	return config.Environment{File: filepath.Join(t.TempDir(), "settings", "config.json")}
}

func loadConfig(t *testing.T, e config.Environment) *config.Config {
	t.Helper()
	c, err := config.Load(e)
	require.NoError(t, err)
	return c
}

func TestContextsAreSaved(t *testing.T) {
	e := newEnvironment(t)
	c := loadConfig(t, e)
	_, err := c.Resolve("", "", "")
	require.ErrorContains(t, err, "no installation selected")

	require.ErrorContains(t, c.Set("../test", config.Context{}), "not a valid name of an installation")
	require.NoError(t, c.Set("test", config.Context{URL: "https://loadbay.example.org"}))
	require.NoError(t, c.Save())
	info, err := os.Stat(e.File)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())

	c = loadConfig(t, e)
	target, err := c.Resolve("", "", "")
	require.NoError(t, err)
	require.Equal(t, config.Target{Context: "test", URL: "https://loadbay.example.org"}, target)
	_, err = c.Resolve("prod", "", "")
	require.ErrorContains(t, err, `no installation "prod"`)
}

func TestResolvePrecedence(t *testing.T) {
	e := newEnvironment(t)
	e.URL, e.Token = "http://environment", "from the environment"
	c := loadConfig(t, e)
	require.NoError(t, c.Set("test", config.Context{URL: "http://context"}))
	for _, want := range []struct {
		context, url, token string
		target              config.Target
	}{
		{"", "", "", config.Target{URL: "http://environment", Token: "from the environment"}},
		{"", "http://flag", "flag", config.Target{URL: "http://flag", Token: "flag"}},
		{"test", "", "", config.Target{Context: "test", URL: "http://context"}},
	} {
		got, err := c.Resolve(want.context, want.url, want.token)
		require.NoError(t, err)
		require.Equal(t, want.target, got)
	}
}

func TestTokensWithoutKeyringUsePrivateFile(t *testing.T) {
	c := loadConfig(t, newEnvironment(t))
	require.NoError(t, c.Set("test", config.Context{URL: "http://context"}))
	file, err := c.SaveToken("test", "secret")
	require.NoError(t, err)
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	target, err := c.Resolve("test", "", "")
	require.NoError(t, err)
	require.Equal(t, "secret", target.Token)
	require.NoError(t, c.DeleteToken("test"))
	require.NoError(t, c.DeleteToken("test"))
	target, err = c.Resolve("test", "", "")
	require.NoError(t, err)
	require.Empty(t, target.Token)
}

func TestTokensUseKeyring(t *testing.T) {
	c := loadConfig(t, newEnvironment(t))
	require.NoError(t, c.Set("test", config.Context{URL: "http://context"}))
	keyring.MockInit()
	file, err := c.SaveToken("test", "secret")
	require.NoError(t, err)
	require.Empty(t, file)
	target, err := c.Resolve("test", "", "")
	require.NoError(t, err)
	require.Equal(t, "secret", target.Token)
	require.NoError(t, c.DeleteToken("test"))
}
