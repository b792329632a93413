package text

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// TestLateAccents: large files are ASCII except for one row in any position. One decision applies
// to the whole file, before any row is read.
func TestLateAccents(t *testing.T) {
	t.Parallel()
	const last = 199_999 // the first MiB ends at about row 131,000
	for _, tt := range []struct {
		accents, encoding, reads string
		rows                     []int
	}{
		{"\xA3ukasz W\xB9s \x8Cwidnica", "windows-1250", "Łukasz Wąs Świdnica", []int{50_000, 131_060, last}},
		{"J\xFCrgen M\xFCller K\xF6ln", "windows-1252", "Jürgen Müller Köln", []int{150_000}},
		{"\xC7\xE2\xE5\xE7\xE4\xE0", "windows-1251", "Звезда", []int{150_000}},
		{"Jürgen", "utf-8", "Jürgen", []int{150_000}},
	} {
		for _, row := range tt.rows {
			in := "id,name\n" + strings.Repeat("1,Smith\n", row) + "2," + tt.accents + "\n" + strings.Repeat("3,Jones\n", last-row)
			d, err := Detect(context.Background(), bytesSource(in), sheet.Options{}, sheet.DefaultLimits())
			require.NoError(t, err)
			require.Equal(t, tt.encoding, d.Encoding, "row %d", row)
			rows, err := Open(context.Background(), bytesSource(in), d, sheet.DefaultLimits())
			require.NoError(t, err)
			read := false
			for rows.Next() {
				read = read || string(rows.Row().Cells[1].Bytes) == tt.reads
			}
			require.NoError(t, rows.Err())
			require.True(t, read, tt.reads)
			_, err = Cut(context.Background(), bytesSource(in), d, 5000, sheet.DefaultLimits(), sheet.Observer{}, func(context.Context, sheet.Chunk, []byte) error { return nil })
			require.NoError(t, err)
		}
	}
}

// TestUnsureEncoding: two encodings decode some letters differently, and there are too few of
// them to decide.
func TestUnsureEncoding(t *testing.T) {
	t.Parallel()
	d, err := Detect(context.Background(), bytesSource("id,name\n1,Ibr\x9A\n"), sheet.Options{}, sheet.DefaultLimits())
	require.NoError(t, err)
	require.Len(t, d.Warnings, 1)
	require.Contains(t, d.Warnings[0], "ENCODING_UNSURE: read as "+d.Encoding+", with the word \"Ibr")

	stated := sheet.Options{Encoding: "CP 1250"}
	d, err = Detect(context.Background(), bytesSource("id,name\n1,Ibr\x9A\n"), stated, sheet.DefaultLimits())
	require.NoError(t, err)
	require.Equal(t, "windows-1250", d.Encoding)
	require.Empty(t, d.Warnings)

	d, err = Detect(context.Background(), bytesSource("id,name\n1,Müller\n"), stated, sheet.DefaultLimits())
	require.NoError(t, err)
	require.Equal(t, "windows-1250", d.Encoding, "a stated encoding is used")
	require.Contains(t, strings.Join(d.Warnings, ""), `as utf-8, it would be "Müller"`)
}

// TestInvalidByteInUTF8: one character of a UTF-8 text is invalid. Decoding the text as Windows-1252
// would garble all others.
func TestInvalidByteInUTF8(t *testing.T) {
	t.Parallel()
	_, err := Detect(context.Background(), bytesSource("id,name\n1,Müller\n2,Zoë\n3,M\xFCller\n"), sheet.Options{}, sheet.DefaultLimits())
	require.Equal(t, problem.EncodingInvalid, problem.CodeOf(err))
	require.ErrorContains(t, err, "Row 4")
}

// TestCharactersAcrossBlocks reads multibyte characters that cross the end of a block.
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

func TestTruncatedFinalCharacter(t *testing.T) {
	t.Parallel()
	in := "id,name\n" + strings.Repeat("1,Zoë\n", 10) + "2,Zo\xC3"
	d, err := Detect(context.Background(), bytesSource(in), sheet.Options{HeaderRow: 1, Encoding: "utf-8"}, sheet.DefaultLimits())
	if err == nil {
		_, err = Cut(context.Background(), bytesSource(in), d, 5, sheet.DefaultLimits(), sheet.Observer{}, func(context.Context, sheet.Chunk, []byte) error { return nil })
	}
	require.Equal(t, problem.EncodingInvalid, problem.CodeOf(err))
}

// TestStatedEncodingOfLargeUTF8File: the sampled beginning ends inside a character.
func TestStatedEncodingOfLargeUTF8File(t *testing.T) {
	t.Parallel()
	for shift := range 2 {
		in := "id,name\n" + strings.Repeat("x", shift) + strings.Repeat("1,éé\n", 300_000)
		d, err := Detect(context.Background(), bytesSource(in), sheet.Options{Encoding: "windows-1252"}, sheet.DefaultLimits())
		require.NoError(t, err)
		require.Len(t, d.Warnings, 1)
	}
}

// The assumed encoding applies only if the letters do not decide.
func TestAssumedEncoding(t *testing.T) {
	t.Parallel()
	polish := sheet.Options{Assume: sheet.Assumptions{Encoding: "windows-1250"}}
	d, err := Detect(context.Background(), bytesSource("id,name\n1,Ibr\x9A\n"), polish, sheet.DefaultLimits())
	require.NoError(t, err)
	require.Equal(t, "windows-1250", d.Encoding)
	require.Empty(t, d.Warnings)
	d, err = Detect(context.Background(), bytesSource("id,name\n1,Zoë\n"), polish, sheet.DefaultLimits())
	require.NoError(t, err)
	require.Equal(t, "utf-8", d.Encoding)
	d, err = Detect(context.Background(), bytesSource("id,name\n1,Zo\xEB\n2,Fran\xE7ois\n3,Andr\xE9\n4,Hel\xE8ne\n5,Beno\xEEt\n6,Am\xE9lie\n"), sheet.Options{Assume: sheet.Assumptions{Encoding: "koi8-r"}}, sheet.DefaultLimits())
	require.NoError(t, err)
	require.NotEqual(t, "koi8-r", d.Encoding, "the letters outweigh the assumption")
}
