package country_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

var update = flag.Bool("update", false, "write names.txt anew")

// languages are those of the names. A name that means different countries in two of
// them means none.
var languages = []string{"en", "de", "fr", "es", "nl", "it", "pl", "pt", "pt-PT", "af"}

func TestTheNamesAreThoseOfTheCLDR(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for numeric := range 1000 {
		region, err := language.EncodeM49(numeric)
		if err != nil || !region.IsCountry() || region.Canonicalize() != region || len(region.String()) != 2 {
			continue
		}
		var names []string
		for _, tag := range languages {
			if name := display.Regions(language.MustParse(tag)).Name(region); name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
		if names == nil {
			continue
		}
		fmt.Fprintf(&b, "%d\t%s\t%s\n", numeric, region, strings.Join(names, "\t"))
	}
	if *update {
		require.NoError(t, os.WriteFile("names.txt", []byte(b.String()), 0o644))
	}
	table, err := os.ReadFile("names.txt")
	require.NoError(t, err)
	require.Equal(t, b.String(), string(table), "go test ./shared/country -update writes it anew")
}
