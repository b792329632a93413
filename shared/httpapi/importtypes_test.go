package httpapi_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/head"
	"github.com/loadbay/loadbay/shared/step/analyze"
)

// The API says of each type all that an import of it knows about headers: who looks at a
// file before it is sent comes to the same.
func TestTypesSayWhatHeadersCanMean(t *testing.T) {
	t.Parallel()
	b := setup(t)
	answered := b.do(t, get("/api/import-types"))
	require.Equal(t, 200, answered.Code)
	var types []struct {
		Name string `json:"name"`
		head.Type
	}
	require.NoError(t, json.Unmarshal(answered.Body.Bytes(), &types))
	require.NotEmpty(t, types)
	for _, said := range types {
		kind, ok := catalog.New().ByName(said.Name)
		require.True(t, ok)
		want, got := analyze.Dictionary(kind.Declaration()), said.Dictionary()
		require.Len(t, got.Targets, len(want.Targets))
		for i := range want.Targets {
			require.ElementsMatch(t, want.Targets[i].Aliases, got.Targets[i].Aliases, want.Targets[i].Name)
			want.Targets[i].Aliases, got.Targets[i].Aliases = nil, nil
			require.ElementsMatch(t, want.Targets[i].Values, got.Targets[i].Values)
			want.Targets[i].Values, got.Targets[i].Values = nil, nil
			require.Equal(t, want.Targets[i], got.Targets[i])
		}
		require.ElementsMatch(t, want.Subjects, got.Subjects)
	}
}
