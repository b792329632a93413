package text

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// TestAccentsThatComeLate is about a large file whose beginning is ASCII: its
// encoding is detected from samples of the rest.
func TestAccentsThatComeLate(t *testing.T) {
	t.Parallel()
	plain, accents := strings.Repeat("1,Smith\n", 400_000), strings.Repeat("1,M\xFCller\n", 100_000)
	d, err := Detect(context.Background(), bytesSource("id,name\n"+plain+accents), sheet.Options{}, sheet.DefaultLimits())
	require.NoError(t, err)
	require.Equal(t, windows1252, d.Encoding)
}

// TestStrayByte is about one broken character in a text that is UTF-8: reading it
// as Windows-1252 would garble all others.
func TestStrayByte(t *testing.T) {
	t.Parallel()
	_, err := Detect(context.Background(), bytesSource("id,name\n1,Müller\n2,Zoë\n3,M\xFCller\n"), sheet.Options{}, sheet.DefaultLimits())
	require.Equal(t, problem.EncodingInvalid, problem.CodeOf(err))
	require.ErrorContains(t, err, "Row 4")
}

// TestCharactersAcrossBlocks reads characters of several bytes that the end of a
// block cuts.
func TestCharactersAcrossBlocks(t *testing.T) {
	t.Parallel()
	for shift := range 4 {
		in := "id,name\n" + strings.Repeat("x", shift) + strings.Repeat("1,€𝄞ü\n", 100_000)
		d, err := Detect(context.Background(), bytesSource(in), sheet.Options{}, sheet.DefaultLimits())
		require.NoError(t, err)
		rows, err := Open(context.Background(), bytesSource(in), d, sheet.DefaultLimits())
		require.NoError(t, err)
		for rows.Next() {
		}
		require.NoError(t, rows.Err())
		require.EqualValues(t, 100_000, rows.Counts().Rows)
	}
}

func TestCutCharacterAtTheEnd(t *testing.T) {
	t.Parallel()
	in := "id,name\n" + strings.Repeat("1,Zoë\n", 10) + "2,Zo\xC3"
	d, err := Detect(context.Background(), bytesSource(in), sheet.Options{HeaderRow: 1, Encoding: "utf-8"}, sheet.DefaultLimits())
	if err == nil {
		_, err = Cut(context.Background(), bytesSource(in), d, 5, sheet.DefaultLimits(), func(context.Context, sheet.Chunk, []byte) error { return nil })
	}
	require.Equal(t, problem.EncodingInvalid, problem.CodeOf(err))
}
