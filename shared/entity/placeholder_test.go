package entity_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
)

func TestIsPlaceholder(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"ditto", "Idem", "″", "〃", "N/A", "n/a", "N.A.", "na", "#N/A", "-", "--", "–", "—", ".", "?", "none", "None", " none ", "NULL", "nil", "0", "00", "0000000000000", "000-00-0000", "x", "XXX",
		"unknown", "TBC", "not applicable", "keine", "k.A.", "Unbekannt", "entfällt", "ENTFÄLLT", "aucun", "s/o", "Néant", "ninguno", "S/N", "no aplica",
		"geen", "n.v.t.", "onbekend", "nenhum", "não tem", "nessuno", "n.d.",
	} {
		require.True(t, entity.IsPlaceholder([]byte(text)), text)
	}
	for _, text := range []string{
		"8501015009087", "A1", "1", "10", "0001", "M00000000", "X123", "NA123456", "K-1", "12E45", "none of these is a placeholder, however long it may be",
		"ada@x.org", "日本",
	} {
		require.False(t, entity.IsPlaceholder([]byte(text)), text)
	}
}

func TestHasLostDigits(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"8.50101E+12", "8,50101E+12", "8.50101e12", "8E+12", "85.1E+11"} {
		require.True(t, entity.HasLostDigits([]byte(text)), text)
	}
	for _, text := range []string{"8501010000000", "12E45", "E12", "8.5", "A8.5E+12", "8.5E-12", "", "8.50101E+12 (passport)"} {
		require.False(t, entity.HasLostDigits([]byte(text)), text)
	}
}
