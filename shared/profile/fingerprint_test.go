package profile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/profile"
)

func TestFingerprintIgnoresCaseAndSpace(t *testing.T) {
	t.Parallel()
	want := profile.Fingerprint([]string{"First name", "Größe", ""})
	require.Len(t, want, 64)
	require.Equal(t, want, profile.Fingerprint([]string{" first  NAME", "Gro\u0308SSE", " "}))
	for name, headers := range map[string][]string{
		"another order":     {"Größe", "First name", ""},
		"one less":          {"First name", "Größe"},
		"one more":          {"First name", "Größe", "", ""},
		"another unit":      {"First name", "Größe (cm)", ""},
		"divided elsewhere": {"First nameGröße", "", ""},
	} {
		require.NotEqual(t, want, profile.Fingerprint(headers), name)
	}
	require.Empty(t, profile.Fingerprint(nil), "of which there may be many profiles")
}

func TestScore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		profile, file []string
		want          float64
	}{
		"the same":           {[]string{"a", "b"}, []string{"B", "a "}, 1},
		"none in common":     {[]string{"a", "b"}, []string{"c"}, 0},
		"three of four":      {[]string{"a", "b", "c", "d"}, []string{"a", "b", "c", "x"}, 0.75},
		"twice counts twice": {[]string{"a", "a"}, []string{"a", "b"}, 0.5},
		"nothing known":      {nil, []string{"a"}, 0},
		"nothing at all":     {nil, nil, 0},
	} {
		require.InDelta(t, c.want, profile.Score(c.profile, c.file), 1e-9, name)
	}
}
