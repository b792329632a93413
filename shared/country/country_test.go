package country_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/country"
)

func TestCodeInManyLanguages(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Germany": "DE", "Deutschland": "DE", "Allemagne": "DE", "Alemania": "DE", "Duitsland": "DE", "Germania": "DE", "Niemcy": "DE", "Alemanha": "DE",
		"Österreich": "AT", "ÖSTERREICH": "AT", "O\u0308sterreich": "AT", "österreich": "AT", "Autriche": "AT", "Oostenrijk": "AT", "Austria": "AT",
		"Côte d’Ivoire": "CI", "Węgry": "HU", "Benim": "BJ", "Suid-Afrika": "ZA", "India": "IN", "Indie": "IN",
	} {
		got, ok := country.Code(name)
		require.True(t, ok, name)
		require.Equal(t, want, got, name)
	}
	for _, name := range []string{"", "Osterreich", "Deutschlan", "Elbonia", "DE", "Europe", "Europa", "World", "276"} {
		got, ok := country.Code(name)
		require.False(t, ok, "%q is recognised as %s", name, got)
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"Germany", "Deutschland", "Allemagne", "Alemania", "Duitsland", "Germania", "Niemcy", "Alemanha"}, country.Names(276)[:8])
	require.Empty(t, country.Names(150), "Europe is not a country")
	require.Empty(t, country.Names(-1))
	for numeric := range int64(1000) {
		for _, name := range country.Names(numeric) {
			_, known := country.Code(name)
			require.True(t, known, "%q is ambiguous", name)
		}
	}
}
