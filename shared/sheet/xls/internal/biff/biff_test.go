package biff_test

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet/xls/internal/biff"
)

// record returns a record with the pieces as its body.
func record(id uint16, pieces ...string) string {
	body := strings.Join(pieces, "")
	head := binary.LittleEndian.AppendUint16(nil, id)
	return string(binary.LittleEndian.AppendUint16(head, uint16(len(body)))) + body
}

const counts = "\xff\xff\xff\xff\xff\xff\xff\xff" // counts of an SST, which are not trusted

// table reads the first record of the stream as a table of strings.
func table(stream string) (*biff.Strings, error) {
	r, ok, err := biff.NewReader([]byte(stream), 0).Next()
	if err != nil || !ok {
		return nil, err
	}
	return biff.NewStrings([]byte(stream), r)
}

func TestStrings(t *testing.T) {
	t.Parallel()
	const cont = biff.Continue
	tests := map[string]struct {
		stream string
		want   []string
	}{
		"none":          {record(biff.SST, counts), nil},
		"two widths":    {record(biff.SST, counts, "\x02\x00\x00\xe9a", "\x01\x00\x01\x03\x26"), []string{"éa", "☃"}},
		"empty ones":    {record(biff.SST, counts, "\x00\x00\x00", "\x00\x00\x01", "\x01\x00\x00x"), []string{"", "", "x"}},
		"rich":          {record(biff.SST, counts, "\x01\x00\x08\x02\x00x12345678", "\x01\x00\x00y"), []string{"x", "y"}},
		"phonetic":      {record(biff.SST, counts, "\x01\x00\x04\x03\x00\x00\x00xabc", "\x01\x00\x00y"), []string{"x", "y"}},
		"both, wide":    {record(biff.SST, counts, "\x01\x00\x0d\x01\x00\x02\x00\x00\x00\x03\x261234ab", "\x01\x00\x00y"), []string{"☃", "y"}},
		"between":       {record(biff.SST, counts, "\x01\x00\x00x") + record(cont, "\x01\x00\x00y"), []string{"x", "y"}},
		"split":         {record(biff.SST, counts, "\x04\x00\x00ab") + record(cont, "\x00cd", "\x01\x00\x00y"), []string{"abcd", "y"}},
		"split, wider":  {record(biff.SST, counts, "\x03\x00\x00ab") + record(cont, "\x01\x03\x26"), []string{"ab☃"}},
		"split, closer": {record(biff.SST, counts, "\x03\x00\x01\x03\x26") + record(cont, "\x00bc"), []string{"☃bc"}},
		"split pair":    {record(biff.SST, counts, "\x02\x00\x01\x3d\xd8") + record(cont, "\x01\x00\xde"), []string{"😀"}},
		"thrice":        {record(biff.SST, counts, "\x03\x00\x00a") + record(cont, "\x00b") + record(cont, "\x00c"), []string{"abc"}},
		"split runs":    {record(biff.SST, counts, "\x01\x00\x08\x01\x00x12") + record(cont, "34", "\x01\x00\x00y"), []string{"x", "y"}},
		"empty record":  {record(biff.SST, counts) + record(cont) + record(cont, "\x01\x00\x00x"), []string{"x"}},
		"half a pair":   {record(biff.SST, counts, "\x02\x00\x01\x3d\xd8a\x00", "\x01\x00\x01\x00\xde"), []string{"\ufffda", "\ufffd"}},
		"others follow": {record(biff.SST, counts, "\x01\x00\x00x") + record(biff.EOF) + record(cont, "\x01\x00\x00y"), []string{"x"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := table(tt.stream)
			require.NoError(t, err)
			for i, want := range tt.want {
				got, err := s.Append([]byte(">"), uint32(i))
				require.NoError(t, err)
				require.Equal(t, ">"+want, string(got))
			}
			_, err = s.Append(nil, uint32(len(tt.want)))
			require.Equal(t, problem.FileCorrupt, problem.CodeOf(err))
		})
	}
}

func TestDamagedStrings(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"counts cut":          record(biff.SST, counts[:7]),
		"head cut":            record(biff.SST, counts, "\x01\x00"),
		"characters cut":      record(biff.SST, counts, "\x03\x00\x00ab"),
		"half a character":    record(biff.SST, counts, "\x02\x00\x01\x03\x26\x03") + record(biff.Continue, "\x01\x26"),
		"flag cut":            record(biff.SST, counts, "\x03\x00\x00ab") + record(biff.Continue),
		"runs cut":            record(biff.SST, counts, "\x01\x00\x08\x09\x00x1234"),
		"run count cut":       record(biff.SST, counts, "\x01\x00\x08\x09"),
		"phonetic cut":        record(biff.SST, counts, "\x01\x00\x04\x09\x00\x00\x00x"),
		"phonetic absurd":     record(biff.SST, counts, "\x01\x00\x04\xff\xff\xff\xffx"),
		"phonetic length cut": record(biff.SST, counts, "\x01\x00\x04\xff\xff"),
		"record cut":          record(biff.SST, counts, "\x03\x00\x00ab") + record(biff.Continue, "\x00xxxxx")[:6],
	}
	for name, stream := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := table(stream)
			require.Equal(t, problem.FileCorrupt, problem.CodeOf(err), "%v", err)
		})
	}
}

func TestNoStrings(t *testing.T) {
	t.Parallel()
	var s *biff.Strings
	_, err := s.Append(nil, 0)
	require.Equal(t, problem.FileCorrupt, problem.CodeOf(err))
}

func TestRK(t *testing.T) {
	t.Parallel()
	for bits, want := range map[uint32]float64{
		0x00000002:                               0,
		1234<<2 | 2:                              1234,
		1234<<2 | 3:                              12.34,
		0xfffffffe:                               -1,
		0x80000002:                               -1 << 29,
		0x7ffffffe:                               1<<29 - 1,
		uint32(math.Float64bits(-2.5) >> 32):     -2.5,
		uint32(math.Float64bits(1e100)>>32) &^ 3: math.Float64frombits(math.Float64bits(1e100) >> 34 << 34),
		uint32(math.Float64bits(12345678)>>32)&^3 | 1: math.Float64frombits(math.Float64bits(12345678)>>34<<34) / 100,
	} {
		require.Equal(t, want, biff.RKFloat(binary.LittleEndian.AppendUint32(nil, bits)), "%#x", bits)
	}
}

func TestAppendFloat(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]string{
		0: "0", 1: "1", -12.5: "-12.5", 0.1: "0.1", 19.99: "19.99", 1e15: "1000000000000000",
		123456789012345680000: "1.2345678901234568E+20", 1e21: "1E+21", 0.0000001: "0.0000001", 1.5e-8: "1.5E-08",
	} {
		require.Equal(t, want, string(biff.AppendFloat(nil, v)))
	}
}
