package text

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/sheet"
)

// TestDelimiterIsGuessed: the contents of cells do not affect the detected delimiter.
func TestDelimiterIsGuessed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		in, delimiter, quote string
		width                int
	}{
		"wrapped in pipes":                          {"|a|,|b|\n|1|,|x,y|\n|2|,|z|\n", ",", "|", 2},
		"wrapped in pipes, separated by semicolons": {"|id|;|name|;|town|\n|1|;|Smith|;|Bath|\n", ";", "|", 3},
		"separated by pipes":                        {"a|b|c\n1|2|3\n", "|", `"`, 3},
		"wrapped in and separated by pipes":         {"| a | b |\n| Smith, Jo | 2 |\n| Miller, Al | 3 |\n", "|", `"`, 4},
		"semicolons in comments":                    {"id,name,comment\n1,Ann,came late; paid\n2,Bob,ill; excused\n3,Cid,new; no card\n", ",", `"`, 3},
		"semicolons and commas in comments":         {"id,name,comment\n1,Ann,came late, again; paid\n2,Bob,ill; excused\n3,Cid,new, young; no card\n4,Dan,ok; paid\n", ",", `"`, 3},
		"one column of prose":                       {"comment\nGood; would buy again\nBroken; sent back\nToo small\n", "", `"`, 1},
		"one column of prose with commas":           {"comment\nGood, cheap; would buy again\nBroken; sent back, twice\nToo small\n", "", `"`, 1},
		"decimal commas":                            {"name;sum\nA;1,5\nB;2,5\nC;3,25\n", ";", `"`, 2},
		"spaces after delimiters":                   {"id, name, town\n1, Smith, Bath\n2, Jones, York\n", ",", `"`, 3},
		"title above the header":                    {"Report of May, 2024\nid; name; town\n1; Smith; Bath\n2; Jones; York\n", ";", `"`, 3},
		"title above the header, no spaces":         {"Report\nid;name\n1;Smith\n2;Jones\n", ";", `"`, 2},
		"tabs and commas":                           {"id\tname\n1\tSmith, Jo\n2\tMiller, Al\n", "\t", `"`, 2},
		"quoted prose":                              {"id;text\n1;\"a, b, c\"\n2;\"d, e\"\n", ";", `"`, 2},
		"one column":                                {"name\nSmith\nJones\n", ",", `"`, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := Detect(context.Background(), bytesSource(tt.in), sheet.Options{}, sheet.DefaultLimits())
			require.NoError(t, err)
			if tt.delimiter != "" {
				require.Equal(t, tt.delimiter, d.Delimiter)
			}
			require.Equal(t, tt.quote, d.Quote)
			require.Len(t, d.Header, tt.width)
			rows, err := Open(context.Background(), bytesSource(tt.in), d, sheet.DefaultLimits())
			require.NoError(t, err)
			for rows.Next() {
				if name != "semicolons and commas in comments" { // its rows have errors
					require.Empty(t, rows.Row().ErrorCode, "row %d", rows.Row().Number)
				}
			}
			require.NoError(t, rows.Err())
		})
	}
}
