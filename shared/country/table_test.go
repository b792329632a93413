package country_test

import (
	"flag"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

var update = flag.Bool("update", false, "rewrite the table of names")

// languages of the names, English first.
var languages = []string{"en", "de", "fr", "es", "nl", "it", "pl", "pt", "pt-PT", "af"}

func TestTableMatchesCLDR(t *testing.T) {
	t.Parallel()
	var want strings.Builder
	for numeric := range 1000 {
		region, err := language.EncodeM49(numeric)
		if err != nil || !region.IsCountry() || region.Canonicalize() != region || len(region.String()) != 2 {
			continue
		}
		line := []string{strconv.Itoa(numeric), region.String()}
		for _, tag := range languages {
			name := display.Regions(language.MustParse(tag)).Name(region)
			if name != "" && !slices.Contains(line[2:], name) {
				line = append(line, name)
			}
		}
		want.WriteString(strings.Join(line, "\t") + "\n")
	}
	if *update {
		require.NoError(t, os.WriteFile("names.txt", []byte(want.String()), 0o600))
	}
	table, err := os.ReadFile("names.txt")
	require.NoError(t, err)
	require.Equal(t, want.String(), string(table), "the table is out of date: run `go test ./shared/country -update`")
}
