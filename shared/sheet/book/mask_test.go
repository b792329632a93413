package book_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/book"
)

// The results equal Excel's display with number formats for identifiers.
func TestMask(t *testing.T) {
	t.Parallel()
	tests := []struct{ code, number, want string }{
		{"00000", "412", "00412"},
		{"00000", "412.0", "00412"},
		{"00000", "411001", "411001"},
		{"00000", "-412", "-00412"},
		{"00000", "412.5", "00413"},
		{"00000", "-412.5", "-00413"},
		{"00000", "412.4999", "00412"},
		{"00000", "999999.5", "1000000"},
		{"00000", "1.001E3", "01001"},
		{"00000", "4E-3", "00000"},
		{"00000", "0", "00000"},
		{"00000;@", "412", "00412"},
		{"00000;-000", "-4", "-004"},
		{"00000;(000)", "-4", "(004)"},
		{"00000;-000;000", "0", "000"},
		{"[Red][$-409]000_)", "4", "004"},
		{"000_ü", "4", "004"},
		{"000-00-0000", "123456789", "123-45-6789"},
		{"000-00-0000", "1234567890", "1234-56-7890"},
		{"000-00-0000", "6789", "000-00-6789"},
		{`000\-00\-0000`, "123456789", "123-45-6789"},
		{"(000) 000-0000", "5551234567", "(555) 123-4567"},
		{`000"."0000"."0000"."00`, "7561234567890", "756.1234.5678.90"},
		{"00 00 00 00 00", "612345678", "06 12 34 56 78"},
		{"##-0000", "12", "-0012"},
		{"##-0000", "123456", "12-3456"},
		{`"ID-"0000`, "42", "ID-0042"},
		{`"№ "000`, "7", "№ 007"},
		{`00\é00`, "1234", "12é34"},
		{"0000 0000 0000 0000", "4.11111111111111E+15", "4111 1111 1111 1110"},
	}
	for _, tt := range tests {
		style := book.ParseFormat(tt.code)
		require.NotNil(t, style.Mask, tt.code)
		require.False(t, style.IsDate(), tt.code)
		got, ok := style.Mask.Append([]byte("kept "), []byte(tt.number))
		require.True(t, ok, "%s of %s", tt.code, tt.number)
		require.Equal(t, "kept "+tt.want, string(got), "%s of %s", tt.code, tt.number)
	}
}

// A number that a mask does not display in digits stays unchanged.
func TestMaskWithoutDigits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ code, number string }{
		{"00000;;", "-4"}, {"00000;;", "0"}, {"00000;0.00", "-4"}, {"000", "1E+300"}, {"000", "NaN"},
	} {
		_, ok := book.ParseFormat(tt.code).Mask.Append(nil, []byte(tt.number))
		require.False(t, ok, "%s of %s", tt.code, tt.number)
	}
	require.NotNil(t, book.ParseFormat(strings.Repeat("0", 64)).Mask)
	require.Nil(t, book.ParseFormat(strings.Repeat("0", 65)).Mask, "long formats have no mask, as every cell would pay for their length")
}

// A number stays a Number if its format only adds zeros, and otherwise includes its displayed
// text.
func TestNumberDisplayText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		code, number string
		kind         sheet.Kind
		shown, value string
	}{
		{"General", "412", sheet.Number, "412", "412"},
		{"00000", "412.0", sheet.Number, "00412", "00412"},
		{"00000", "-412", sheet.Number, "-00412", "-00412"},
		{"00000", "41100", sheet.Number, "41100", "41100"},
		{"00000", "412.5", sheet.Formatted, "00413", "412.5"},
		{"000-00-0000", "123456789", sheet.Formatted, "123-45-6789", "123456789"},
	} {
		b := book.NewBuilder(2, sheet.DefaultLimits())
		b.Begin(1)
		b.Text = append(b.Text, "before"...)
		start := len(b.Text)
		b.Text = append(b.Text, tt.number...)
		c := b.Number(book.ParseFormat(tt.code).Mask, start)
		require.Equal(t, tt.kind, c.Kind, tt)
		require.Equal(t, tt.shown, string(c.DisplayText()), tt)
		require.Equal(t, tt.value, string(c.AsNumber().Bytes), tt)
		require.True(t, strings.HasPrefix(string(b.Text), "before"))
	}
}

func FuzzMask(f *testing.F) {
	f.Add("000-00-0000;@", "123456789")
	f.Add(`[Red](000\) "x"000`, "-4.5E3")
	f.Fuzz(func(t *testing.T, code, number string) {
		if m := book.ParseFormat(code).Mask; m != nil {
			got, _ := m.Append(nil, []byte(number))
			require.LessOrEqual(t, len(got), len(number)+100)
		}
	})
}
