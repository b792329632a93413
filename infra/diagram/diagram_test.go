package main

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/statemachine"
)

const docs = "../../docs/architecture"

func TestSVGMatchesText(t *testing.T) {
	t.Parallel()
	require.NoError(t, run(docs+".txt", docs+".svg", true))
	drawing, err := os.Open(docs + ".svg")
	require.NoError(t, err)
	t.Cleanup(func() { _ = drawing.Close() })
	for d := xml.NewDecoder(drawing); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err, "the XML is well-formed")
	}
}

// The diagram contains exactly the deployed parts.
func TestDiagramMatchesBlueprint(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(docs + ".txt")
	require.NoError(t, err)
	p, err := Parse(string(text))
	require.NoError(t, err)
	functions, states := map[string]bool{}, map[string]bool{}
	for _, b := range p.Boxes {
		switch b.Kind {
		case "function":
			functions[b.Title] = true
		case "state":
			states[b.Title] = true
			name, _, _ := strings.Cut(b.Text[0], " ·")
			functions[name] = true
		}
	}
	want := map[string]bool{}
	for _, f := range blueprint.New().Functions {
		want[f.Name] = true
	}
	require.Equal(t, want, functions)

	var machine struct {
		States map[string]struct{ Type string }
	}
	require.NoError(t, json.Unmarshal([]byte(statemachine.Import), &machine))
	want = map[string]bool{}
	for name, s := range machine.States {
		if s.Type == "Task" {
			want[name] = true
		}
	}
	require.Equal(t, want, states)
}

func TestParseErrorNamesLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"circle 1 2":                                  `line 1: unknown element "circle"`,
		"# why\nbox a queue 1":                        "line 2: ",
		"box a cloud 1 2 | A":                         `box a: unknown kind "cloud"`,
		"box a queue 1 2":                             "without a title",
		"box a queue 1 2 | A\nbox a queue 1 2 | B":    "line 2: box a: duplicate",
		"box a queue 1 2 | A\nline a.top -> b.bottom": `"b.bottom" is not a side of a box`,
		"box a queue 1 2 | A\nline a.top a.bottom":    "a line is FROM -> TO",
	} {
		_, err := Parse(text)
		require.ErrorContains(t, err, want, text)
	}
}

func TestCheckRefusesOutdatedSVG(t *testing.T) {
	t.Parallel()
	text, drawing := filepath.Join(t.TempDir(), "a.txt"), filepath.Join(t.TempDir(), "a.svg")
	require.NoError(t, os.WriteFile(text, []byte("canvas 10 10"), 0o600))
	require.NoError(t, run(text, drawing, false))
	require.NoError(t, run(text, drawing, true))
	require.NoError(t, os.WriteFile(text, []byte("canvas 10 11"), 0o600))
	require.ErrorContains(t, run(text, drawing, true), "make picture")
}
