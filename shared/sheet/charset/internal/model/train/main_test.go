package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/sheet/charset/internal/model"
)

// TestModelIsCounted holds model.bin equal to what would be counted now.
func TestModelIsCounted(t *testing.T) {
	t.Parallel()
	want := count()
	want.Prepare()
	require.Equal(t, want, model.Kept(), "run: go generate ./shared/sheet/charset/internal/model")
}
