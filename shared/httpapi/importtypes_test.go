package httpapi_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/console/reader/preview"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/mapping/content"
)

// The API describes for each type everything that imports know about headers, so that a client can
// match a file's columns in advance with the same result.
func TestTypesDescribeHeaders(t *testing.T) {
	t.Parallel()
	b := setup(t)
	answered := b.do(t, get("/api/import-types"))
	require.Equal(t, 200, answered.Code)
	var types []struct {
		Name string `json:"name"`
		preview.Type
	}
	require.NoError(t, json.Unmarshal(answered.Body.Bytes(), &types))
	require.NotEmpty(t, types)
	for _, listed := range types {
		kind, ok := catalog.New().ByName(listed.Name)
		require.True(t, ok)
		declared, got := kind.Declaration(), listed.Dictionary()
		require.Len(t, got.Targets, len(declared.Fields))
		for i, f := range declared.Fields {
			words := slices.Clone(f.Enum)
			for _, synonym := range f.Synonyms {
				words = append(words, synonym.Word)
			}
			target := got.Targets[i]
			require.ElementsMatch(t, slices.Concat(f.Aliases, f.TranslatedAliases, []string{f.Column}), target.Aliases, f.Name)
			require.ElementsMatch(t, words, target.Values, f.Name)
			require.Equal(t, []any{f.Name, f.Title, f.Required, f.Pattern}, []any{target.Name, target.Title, target.Required, target.Pattern})
			require.EqualValues(t, f.Kind, target.Kind, "both kinds have the same order")
			require.Equal(t, contents[f.Content], target.Content)
		}
		require.ElementsMatch(t, declared.Subjects, got.Subjects)
	}
}

// contents maps the contents of fields to those of the matcher.
var contents = map[entity.Content]content.Kind{entity.PhoneNumbers: content.Phone, entity.CountryNames: content.Country}
