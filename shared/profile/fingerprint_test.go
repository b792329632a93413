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
		"other order":                    {"Größe", "First name", ""},
		"one column fewer":               {"First name", "Größe"},
		"one column more":                {"First name", "Größe", "", ""},
		"other unit":                     {"First name", "Größe (cm)", ""},
		"other boundary between columns": {"First nameGröße", "", ""},
	} {
		require.NotEqual(t, want, profile.Fingerprint(headers), name)
	}
	require.Empty(t, profile.Fingerprint(nil), "profiles without headers have no fingerprint")
}

func TestScore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		profile, file []string
		want          float64
	}{
		"equal headers":           {[]string{"a", "b"}, []string{"B", "a "}, 1},
		"no common headers":       {[]string{"a", "b"}, []string{"c"}, 0},
		"three of four in common": {[]string{"a", "b", "c", "d"}, []string{"a", "b", "c", "x"}, 0.75},
		"duplicates count twice":  {[]string{"a", "a"}, []string{"a", "b"}, 0.5},
		"no known headers":        {nil, []string{"a"}, 0},
		"no headers":              {nil, nil, 0},
	} {
		require.InDelta(t, c.want, profile.Score(c.profile, c.file), 1e-9, name)
	}
}
