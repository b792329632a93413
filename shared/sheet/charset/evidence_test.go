package charset

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/charmap"
)

// TestEvidenceIsBounded: in a large file with accents in every row, a row near the end contains a
// letter that does not occur before.
func TestEvidenceIsBounded(t *testing.T) {
	t.Parallel()
	file := strings.Repeat("1;Zo\xEB;K\xF6ln\n", 500_000) + "2;\xA3ukasz W\xB9s;\x8Cwidnica\n" + strings.Repeat("1;Zo\xEB;K\xF6ln\n", 500_000)
	var found Evidence
	found.Add([]byte(file))
	require.LessOrEqual(t, len(found.lines), newByteLimit+2*window)
	require.Contains(t, string(found.lines), "\xA3ukasz")
	require.EqualValues(t, 2_000_003, found.InvalidBytes)
	require.Equal(t, "windows-1250", found.Detect().Name)
}

// TestLongLines: cutting long lines must not cut characters.
func TestLongLines(t *testing.T) {
	t.Parallel()
	for shift := range 4 {
		var found Evidence
		found.Add([]byte(strings.Repeat("x", shift) + strings.Repeat("\xCF\xD5\xC3\xFB, \xB3\xC7\xCA\xD0,", 20_000)))
		require.LessOrEqual(t, len(found.lines), newByteLimit+2*window)
		require.Equal(t, "gb18030", found.Detect().Name)
	}
}

func TestWarnings(t *testing.T) {
	t.Parallel()
	one := func(text string) Detection {
		file, err := charmap.Windows1250.NewEncoder().String(text)
		require.NoError(t, err)
		var found Evidence
		found.Add([]byte(file))
		return found.Detect()
	}
	require.Empty(t, one("Imię;Nazwisko\nŁukasz;Wąs\nJoanna;Gęś\nŻaneta;Ćwik\n").Warnings())

	v := one("id;name\n1;Ibš\n")
	require.True(t, v.Unsure)
	require.Len(t, v.Warnings(), 1)
	for _, part := range []string{"ENCODING_UNSURE: ", v.Name, v.Alternative, v.Word, v.AlternativeWord} {
		require.NotEmpty(t, part)
		require.Contains(t, v.Warnings()[0], part)
	}
	long := one("id;name\n1;" + strings.Repeat("x", 5000) + "š\n")
	for _, w := range long.Warnings() {
		require.Less(t, len(w), 500)
	}
}

// TestStatedEncodingOfUTF8File: the file is UTF-8 although the caller states another encoding.
func TestStatedEncodingOfUTF8File(t *testing.T) {
	t.Parallel()
	var found Evidence
	found.Add([]byte("id;name\n1;Müller\n"))
	warnings := found.CheckStated("windows-1252").Warnings()
	require.Len(t, warnings, 1)
	require.Contains(t, warnings[0], `"MÃ¼ller"; as utf-8, it would be "Müller"`)
	require.Empty(t, found.CheckStated("utf-8").Warnings())
}

// TestLongUTF8Cells: cells without ASCII characters that exceed the window are cut without
// invalid bytes.
func TestLongUTF8Cells(t *testing.T) {
	t.Parallel()
	for shift := range 3 {
		var found Evidence
		found.Add([]byte("id\n" + strings.Repeat("x", shift) + strings.Repeat("绍兴", 1000) + "\n"))
		require.EqualValues(t, 2000, found.ValidRunes)
		require.Zero(t, found.InvalidBytes)
	}
}
