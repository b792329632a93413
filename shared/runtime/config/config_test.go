package config_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/runtime/config"
)

type settings struct {
	Bucket  string        `env:"BUCKET,required"`
	Chunk   int           `env:"CHUNK_ROWS" default:"5000"`
	Wait    time.Duration `env:"WAIT" default:"2s"`
	Verbose bool          `env:"VERBOSE"`
	Nested  nested
}

type nested struct {
	URL string `env:"URL,required"`
}

func (s *settings) Validate() error {
	if s.Chunk < 1 {
		return errors.New("CHUNK_ROWS must be positive")
	}
	return nil
}

func env(of map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := of[name]; return v, ok }
}

func TestLoadFillsDefaultsAndNestedStructs(t *testing.T) {
	t.Parallel()
	var s settings
	require.NoError(t, config.Load(&s, env(map[string]string{"BUCKET": "b", "URL": "u", "VERBOSE": "true", "WAIT": "1m"})))
	require.Equal(t, settings{Bucket: "b", Chunk: 5000, Wait: time.Minute, Verbose: true, Nested: nested{URL: "u"}}, s)
}

func TestLoadReportsAllErrors(t *testing.T) {
	t.Parallel()
	var s settings
	err := config.Load(&s, env(map[string]string{"CHUNK_ROWS": "0", "WAIT": "soon"}))
	require.ErrorContains(t, err, "BUCKET is not set")
	require.ErrorContains(t, err, "URL is not set")
	require.ErrorContains(t, err, `WAIT: time: invalid duration "soon"`)
	require.ErrorContains(t, err, "CHUNK_ROWS must be positive")
}

func TestLoadRejectsNonStruct(t *testing.T) {
	t.Parallel()
	require.Error(t, config.Load(new(int), env(nil)))
}
