package conceptlist_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/mapping/concept/conceptlist"
)

func TestConceptsAreSorted(t *testing.T) {
	t.Parallel()
	var names []string
	for _, c := range conceptlist.All() {
		names = append(names, c.Name)
		require.Contains(t, []conceptlist.Values{
			conceptlist.Text, conceptlist.Number, conceptlist.Date, conceptlist.Flag, conceptlist.Email, conceptlist.Phone, conceptlist.Country,
			conceptlist.URL, conceptlist.Any,
		}, c.Values, c.Name)
		for _, related := range c.Related {
			require.True(t, conceptlist.Valid(related), "%s: %s", c.Name, related)
			require.NotEqual(t, c.Name, related)
		}
	}
	require.Equal(t, slices.Compact(slices.Sorted(slices.Values(names))), names)
	require.Equal(t, slices.Compact(slices.Sorted(slices.Values(conceptlist.Roles))), conceptlist.Roles)
}

func TestValid(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"person.givenName": true, "receiver:address.city": true, "party": true,
		"": false, ":": false, ":person.givenName": false, "person": false, "receiver:": false, "stranger:address.city": false, "Person.givenName": false,
		strings.Repeat("a:", 3) + "party": false,
	} {
		require.Equal(t, want, conceptlist.Valid(text), text)
	}
}
