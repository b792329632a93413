package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/sheet/charset/internal/model"
)

// TestModelIsUpToDate holds model.bin equal to what would be counted now.
func TestModelIsUpToDate(t *testing.T) {
	t.Parallel()
	want := countAll()
	want.BuildIndex()
	require.Equal(t, want, model.Default(), "run: go generate ./shared/sheet/charset/internal/model")
}
