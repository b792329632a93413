package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/sheet/charset/internal/model"
)

// TestModelIsUpToDate checks that model.bin equals the newly generated model.
func TestModelIsUpToDate(t *testing.T) {
	t.Parallel()
	want := countAll()
	want.BuildIndex()
	require.Equal(t, want, model.Default(), "the model is out of date: run go generate ./shared/sheet/charset/internal/model")
}
