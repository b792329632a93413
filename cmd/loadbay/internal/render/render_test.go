package render_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/terminal"
)

type animal struct {
	Name string  `json:"name"`
	Legs int     `json:"legs"`
	Note *string `json:"note,omitempty"`
}

func TestFormatJSON(t *testing.T) {
	t.Parallel()
	animals := []animal{{Name: "<cat>", Legs: 4}, {Name: "hen", Legs: 2}}
	for name, c := range map[string]struct {
		format render.Format
		want   string
	}{
		"fields":                {render.Format{Fields: []string{"name", "note"}}, "[\n  {\n    \"name\": \"<cat>\",\n    \"note\": null\n  },\n  {\n    \"name\": \"hen\",\n    \"note\": null\n  }\n]\n"},
		"jq":                    {render.Format{JQ: ".[] | select(.legs == 2).name"}, "hen\n"},
		"JSON filtered with jq": {render.Format{JQ: "map(.legs)"}, "[4,2]\n"},
		"template":              {render.Format{Template: `{{range .}}{{.name}} {{.legs}};{{end}}`}, "<cat> 4;hen 2;"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			require.True(t, c.format.JSON())
			require.NoError(t, c.format.Write(&out, animals))
			require.Equal(t, c.want, out.String())
		})
	}
}

func TestInvalidFormatsAreRejected(t *testing.T) {
	t.Parallel()
	for want, format := range map[string]render.Format{
		`unknown field "wings"; available fields: legs, name, note`: {Fields: []string{"wings"}},
		"--jq: unexpected EOF":                  {JQ: ".["},
		"--jq: cannot iterate over: number (4)": {JQ: ".legs[]"},
		"--template: template: :1":              {Template: "{{"},
	} {
		require.ErrorContains(t, format.Write(&bytes.Buffer{}, animal{Legs: 4}), want)
	}
}

func TestTablePrint(t *testing.T) {
	t.Parallel()
	table := render.Table{Header: []string{"NAME", "LEGS"}}
	table.Add("cat", 4)
	table.Add("鶏\x1b[31m\n", 2)
	var out bytes.Buffer
	require.NoError(t, table.Print(&terminal.Streams{Out: &out}))
	require.Equal(t, "cat\t4\n鶏·[31m \t2\n", out.String())
	out.Reset()
	require.NoError(t, table.Print(&terminal.Streams{Out: &out, OutIsTerminal: true}))
	require.Equal(t, "NAME      LEGS\ncat       4\n鶏·[31m   2\n", out.String())
}

// A narrow terminal leaves optional columns out, wraps the last column, and lists what does not fit.
func TestTableFitsTerminal(t *testing.T) {
	t.Parallel()
	table := render.Table{Header: []string{"ID", "STATE", "LABEL", "MESSAGE"}, Optional: []string{"LABEL"}}
	table.Add("0123456789abcdef", "completed", "nightly", "one two three four five")
	for width, want := range map[int]string{
		80: "ID                STATE      LABEL    MESSAGE\n0123456789abcdef  completed  nightly  one two three four five\n",
		50: "ID                STATE      MESSAGE\n0123456789abcdef  completed  one two three four\n                             five\n",
		30: "ID       0123456789abcdef\nSTATE    completed\nMESSAGE  one two three four\n         five\n",
	} {
		var out bytes.Buffer
		require.NoError(t, table.PrintTo(&out, width))
		require.Equal(t, want, out.String(), width)
	}
}
