package changeset_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/changeset"
)

func textPtr(s string) *string { return &s }

// sampleChanges returns a change of each kind, with awkward values.
func sampleChanges() []changeset.Change {
	return []changeset.Change{
		{Row: 7, Table: "users", ID: "3f0c", Op: changeset.Created, Hash: -1, Hashed: []string{"id", "name"}},
		{
			Row: 5, Table: "users", ID: "77", Op: changeset.Updated, Columns: []string{"name", "role"},
			Before: []*string{textPtr("Ann"), nil}, After: []*string{nil, textPtr("")}, PrevJob: 9, PrevRow: 1 << 40,
		},
		{Row: 6, Table: "users", ID: "78", Op: changeset.Updated, PrevJob: 9, PrevRow: 3},
		{
			Row: 0, Table: "persons", ID: "5", Op: changeset.Deleted, Columns: []string{"id", "first_name"},
			Before: []*string{textPtr("5"), textPtr("line\nline \x00 \xff \"quoted\"")}, PrevJob: 2, PrevRow: 8,
		},
		{Row: 8, Table: "users", ID: "6f0c2a1e-9b7d-4c3f-8e21-0d5a4b3c2f10", Op: changeset.Updated, PrevJob: 9, PrevRow: 4},
		{Row: 8, Table: "users", ID: "6F0C2A1E-9b7d-4c3f-8e21-0d5a4b3c2f10", Op: changeset.Updated, PrevJob: 9, PrevRow: 4},
		{Row: 8, Table: "users", ID: "6f0c2a1e-9b7d-4c3f-8e21-0d5a4b3c2f1g", Op: changeset.Updated, PrevJob: 9, PrevRow: 4},
		{Row: 8, Table: "users", ID: "79", Op: changeset.Created, Columns: []string{"name"}, After: []*string{textPtr("Zoë")}, Hash: 42},
	}
}

func TestEncodeDecodeRoundTrip(t *testing.T) {
	t.Parallel()
	for _, changes := range [][]changeset.Change{{}, sampleChanges(), append(sampleChanges(), sampleChanges()...)} {
		part, err := new(changeset.Encoder).Encode(changes)
		require.NoError(t, err)
		got, err := changeset.Decode(part)
		require.NoError(t, err)
		require.Equal(t, changes, got)
	}
	require.Equal(t, changeset.Counts{Created: 2, Updated: 5, Deleted: 1}, changeset.Count(sampleChanges()))
}

func TestEncodeRejectsInvalidChanges(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*changeset.Change){
		"unknown operation":          func(c *changeset.Change) { c.Op = 9 },
		"missing value":              func(c *changeset.Change) { c.After = c.After[:1] },
		"insert with before values":  func(c *changeset.Change) { c.Op = changeset.Created },
		"update with a hash":         func(c *changeset.Change) { c.Hash = 1 },
		"update with hashed columns": func(c *changeset.Change) { c.Hashed = []string{"name"} },
		"negative row number":        func(c *changeset.Change) { c.Row = -1 },
		"no table":                   func(c *changeset.Change) { c.Table = "" },
		"column name too long":       func(c *changeset.Change) { c.Columns[0] = strings.Repeat("x", changeset.MaxNameBytes+1) },
		"too many columns": func(c *changeset.Change) {
			c.Columns = make([]string, changeset.MaxColumns+1)
			c.Before, c.After = make([]*string, len(c.Columns)), make([]*string, len(c.Columns))
		},
	} {
		c := sampleChanges()[1]
		spoil(&c)
		_, err := new(changeset.Encoder).Encode([]changeset.Change{c})
		require.Error(t, err, name)
	}
	_, err := new(changeset.Encoder).Encode(make([]changeset.Change, changeset.MaxChanges+1))
	require.ErrorContains(t, err, "more than")
}

func TestDecodeRejectsDamagedParts(t *testing.T) {
	t.Parallel()
	whole, err := new(changeset.Encoder).Encode(sampleChanges())
	require.NoError(t, err)
	z, err := zstd.NewReader(nil)
	require.NoError(t, err)
	plain, err := z.DecodeAll(whole[1:], nil)
	require.NoError(t, err)
	for n := range plain {
		_, err := changeset.Decode(compressedPart(t, plain[:n]))
		require.Error(t, err, "the first %d bytes alone are rejected", n)
	}
	_, err = changeset.Decode(compressedPart(t, append(plain, 0)))
	require.ErrorContains(t, err, "unexpected data")
	_, err = changeset.Decode(append([]byte{1}, whole[1:]...))
	require.ErrorContains(t, err, "version")
	_, err = changeset.Decode(compressedPart(t, make([]byte, changeset.MaxBytes+1)))
	require.ErrorIs(t, err, zstd.ErrDecoderSizeExceeded)
}

// compressedPart returns a part with the plain content.
func compressedPart(t testing.TB, plain []byte) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	return z.EncodeAll(plain, []byte{2})
}

func TestSplitBoundsParts(t *testing.T) {
	t.Parallel()
	many := make([]changeset.Change, 12_001)
	for i := range many {
		many[i] = changeset.Change{Row: int64(i), Table: "users", ID: "1", Op: changeset.Updated}
	}
	long := changeset.Change{Table: "users", ID: "2", Op: changeset.Created, Columns: []string{"name"}, After: []*string{textPtr(strings.Repeat("x", 5<<20))}}
	many[3], many[4] = long, long
	var all []changeset.Change
	var sizes []int
	for _, part := range changeset.Split(many) {
		all, sizes = append(all, part...), append(sizes, len(part))
	}
	require.Equal(t, many, all)
	require.Equal(t, []int{3, 1, 1, 5000, 5000, 1996}, sizes)
	require.Empty(t, changeset.Split(nil))
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte{0})
	for _, changes := range [][]changeset.Change{{}, sampleChanges()} {
		part, err := new(changeset.Encoder).Encode(changes)
		require.NoError(f, err)
		z, err := zstd.NewReader(nil)
		require.NoError(f, err)
		plain, err := z.DecodeAll(part[1:], nil)
		require.NoError(f, err)
		f.Add(plain)
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, plain []byte) {
		changes, err := changeset.Decode(z.EncodeAll(plain, []byte{2}))
		if err != nil {
			return
		}
		part, err := new(changeset.Encoder).Encode(changes)
		require.NoError(t, err)
		again, err := changeset.Decode(part)
		require.NoError(t, err)
		require.Equal(t, changes, again)
	})
}

// Parts that one Encoder encodes concurrently do not affect each other.
func TestEncoderConcurrentUse(t *testing.T) {
	t.Parallel()
	var encoder changeset.Encoder
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for i := range 20 {
				changes := slices.Repeat(sampleChanges(), n*i)
				part, err := encoder.Encode(changes)
				assert.NoError(t, err)
				got, err := changeset.Decode(part)
				assert.NoError(t, err)
				assert.Len(t, got, len(changes))
				assert.True(t, len(changes) == 0 || assert.ObjectsAreEqual(changes, got))
			}
		})
	}
	all.Wait()
}
