package content_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/mapping/content"
)

func TestDetect(t *testing.T) {
	t.Parallel()
	d := content.NewDetector()
	for text, want := range map[string]content.Kind{
		"":                                     0,
		"hello world":                          0,
		"anna@example.org":                     content.Email,
		"anna@localhost":                       0,
		"a@b, c@d":                             0,
		"0192f0c1-2b7a-7c3d-8e4f-5a6b7c8d9e0f": content.UUID,
		"https://example.org/a?b=1":            content.URL,
		"www.example.org":                      content.URL,
		"2024-01-31":                           content.Date,
		"31.1.2024":                            content.Date,
		"12/31/2024":                           content.Date,
		"31 Jan 2024":                          content.Date,
		"2024-01-31 10:20":                     content.Timestamp,
		"+49 30 1234567":                       content.Phone,
		"(030) 555 44 43":                      content.Phone,
		"082 123 4567":                         content.Phone,
		"0821234567":                           content.Phone | content.Integer | content.Decimal,
		"8001015009087":                        content.Integer | content.Decimal,
		"0.12345678":                           content.Decimal,
		"SW1A 1AA":                             content.Postal,
		"1012 AB":                              content.Postal,
		"00-950":                               content.Postal,
		"1250-096":                             content.Postal,
		"01310-100":                            content.Postal,
		"10115":                                content.Integer | content.Decimal,
		"Deutschland":                          content.Country,
		"Pays-Bas":                             content.Country,
		"NL":                                   content.Country,
		"nl":                                   0,
		"Oui":                                  content.Boolean,
		"Nein":                                 content.Boolean,
		"f":                                    0,
		"1":                                    content.Integer | content.Decimal,
		"1,5":                                  content.Decimal,
		"1.234,56":                             content.Decimal,
		"M001":                                 0,
		"18-24":                                0,
		"U18":                                  0,
		"1:02:03":                              0,
	} {
		got := d.Detect([]byte(" " + text + "\u00a0"))
		require.Equal(t, want, got, "%q is detected as %s, not %s", text, want, got)
	}
}

func TestSummary(t *testing.T) {
	t.Parallel()
	c := content.NewColumns(3)
	for i := range 10 {
		c.Add(0, fmt.Appendf(nil, "p%d@example.org", i%4), 0)
		c.Add(1, []byte(" "), 0)
	}
	c.Add(0, []byte("none"), 0)
	s := c.Summary(0)
	require.Equal(t, int64(11), s.Filled)
	require.Equal(t, int64(5), s.Distinct)
	require.False(t, s.AtLeast)
	require.Equal(t, content.Email, s.Kind)
	require.InDelta(t, 10.0/11, s.Share, 1e-9)
	require.Equal(t, []string{"p0@example.org", "none", "p1@example.org"}, s.Samples(3), "samples differ in form")
	require.InDelta(t, 1.0/11, s.ShareOfWords(func(s string) bool { return s == "none" }), 1e-9)
	require.Equal(t, s, c.Summary(0), "reading the samples does not change the summary")
	require.Zero(t, c.Summary(1).Filled)
	require.Equal(t, content.Unknown, c.Summary(1).Kind.String())
}

// Above the number of values that are counted exactly, a sample represents all.
func TestSummaryIsSampledAboveDistinctLimit(t *testing.T) {
	t.Parallel()
	c := content.NewColumns(1)
	const rows = 200_000
	for i := range rows {
		text := fmt.Appendf(nil, "%d", i)
		if i >= rows/2 {
			text = fmt.Appendf(nil, "p%d@example.org", i)
		}
		c.Add(0, text, 0)
	}
	s := c.Summary(0)
	require.Equal(t, int64(rows), s.Filled)
	require.True(t, s.AtLeast)
	require.Equal(t, int64(500), s.Distinct)
	require.InDelta(t, 0.5, s.ShareOf(content.Email), 0.01)
	require.InDelta(t, 0.5, s.ShareOf(content.Integer), 0.01)
}

func BenchmarkAdd(b *testing.B) {
	for name, value := range map[string]func(int) []byte{
		"few distinct values":  func(i int) []byte { return []byte([]string{"Senior", "Junior", "Master"}[i%3]) },
		"many distinct values": func(i int) []byte { return fmt.Appendf(nil, "Person %d", i) },
		"days":                 func(i int) []byte { return fmt.Appendf(nil, "2024-01-%02d", 1+i%28) },
	} {
		values := make([][]byte, 4096)
		for i := range values {
			values[i] = value(i)
		}
		b.Run(name, func(b *testing.B) {
			c := content.NewColumns(1)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				c.Add(0, values[i%len(values)], 0)
			}
		})
	}
}
