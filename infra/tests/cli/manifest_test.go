package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// testManifest plans the declarations of a file, as a pipeline does, applies them, and then
// finds nothing left to do.
func (s *shell) testManifest(t *testing.T) {
	require.NoError(t, os.MkdirAll(filepath.Join(s.dir, "declared"), 0o700))
	s.writeFile(t, "declared/a-people.csv", "email,name\nabe@example.org,Abe\n")
	s.writeFile(t, "declared/b-people.csv", "email,name\nbo@example.org,Bo\n")
	s.writeFile(t, "declared/mapped.csv", "Mél,Nom\ncleo@example.org,Cleo\n")
	s.writeFile(t, "declared/mapping.json", `{"fields": [{"field": "EMAIL", "from": ["Mél"]}, {"field": "NAME", "from": ["Nom"]}]}`)
	s.writeFile(t, "declared/imports.yaml", `
imports:
  - source: "*-people.csv"
    type: USER
    mode: upsert
    label: people
  - source: mapped.csv
    type: USER
    mode: upsert
    mapping: mapping.json
    maxErrors: 2%
    options: {dateOrder: dmy}
    guards: {created: 100, updated: 99%}
`)
	e := s.run(t, "", "plan", "-f", "declared/imports.yaml")
	require.Equal(t, 5, e.code, e.err)
	require.Zero(t, s.run(t, "", "imports", "list", "--jq", `[.[] | select(.label == "people" and .status == "COMPLETED")] | length | if . == 0 then empty else error end`).code, "plan does not import")
	e = s.run(t, "", "apply", "-f", "declared/imports.yaml")
	require.Zero(t, e.code, e.err)
	require.Regexp(t, `^(\S+\tcompleted\t1\t0\t0\t0\t0\n){3}$`, e.out)
	require.Zero(t, s.run(t, "", "plan", "-f", "declared/imports.yaml").code, "nothing is left to apply")
	s.writeFile(t, "declared/b-people.csv", "email,name\nnonsense,Bo\n")
	require.Equal(t, 4, s.run(t, "", "apply", "-f", "declared/imports.yaml").code)

	for text, want := range map[string]string{
		"imports: [{source: mapped.csv}]":                           "import 1: type is missing",
		"imports: [{source: gone.csv, type: USER}]":                 "file gone.csv not found",
		"imports: [{source: mapped.csv, type: USER, mood: upsert}]": "mood",
		"imports: [{source: mapped.csv, type: USER, plan: true}]":   "plan is not allowed",
		"imports: []":  "contains no imports",
		"imported: []": "imported",
		"imports: [{source: https://127.0.0.1/x.csv, type: USER}]":                 "not in a public network",
		"imports: [{source: mapped.csv, type: USER, mapping: not-there.json}]":     "not-there.json",
		"imports: [{source: mapped.csv, type: USER, contextId: 7, mode: perhaps}]": "mode",
	} {
		s.writeFile(t, "declared/wrong.yaml", text)
		e := s.run(t, "", "apply", "-f", "declared/wrong.yaml")
		require.Contains(t, []int{1, 2}, e.code, text)
		require.Contains(t, e.err, want, text)
	}
	require.Equal(t, 2, s.run(t, "", "apply", "-f", "declared/imports.yaml", "01a1f9e7-1bde-7bf8-ac8c-500f93581dd4").code)
}
