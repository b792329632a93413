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
	require.Regexp(t, `^(\S+\tcompleted\t1\t0\t0\t0\t0\t\S+\.csv\n){3}$`, e.out)
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

// testManifestProfiles applies profiles that a manifest declares, and changes only those that differ.
func (s *shell) testManifestProfiles(t *testing.T) {
	s.writeFile(t, "coded.csv", "Mél,Nom\ncoded@example.org,Coded\n")
	s.writeFile(t, "coded.json", `{"fields": [{"field": "EMAIL", "from": ["Mél"]}, {"field": "NAME", "from": ["Nom"], "transforms": [{"op": "upper"}]}]}`)
	declared := func(more string) {
		s.writeFile(t, "profiles.yaml", `
profiles:
  - {name: Coded, type: USER, mapping: coded.json, headers: [Mél, Nom]`+more+`}
imports:
  - {source: coded.csv, type: USER, mode: upsert, profile: Coded}
`)
	}
	declared("")
	e := s.run(t, "", "plan", "-f", "profiles.yaml")
	require.Equal(t, 5, e.code, e.err)
	require.Contains(t, e.err, "Profile Coded (USER): create")
	require.Contains(t, e.err, "is not planned")
	require.NotContains(t, s.mustRun(t, "profiles", "list"), "Coded")
	s.mustRun(t, "apply", "-f", "profiles.yaml")
	require.Contains(t, s.mustRun(t, "export", "users", "--fields", "email,name", "-o", "-"), "CODED")
	e = s.run(t, "", "plan", "-f", "profiles.yaml")
	require.Zero(t, e.code, e.err)
	e = s.run(t, "", "apply", "-f", "profiles.yaml")
	require.NotContains(t, e.err, "Profile Coded")

	declared(", auto: true")
	e = s.run(t, "", "apply", "-f", "profiles.yaml")
	require.Zero(t, e.code, e.err)
	require.Contains(t, e.err, "Profile Coded (USER): change auto")
	require.Contains(t, s.mustRun(t, "profiles", "show", "Coded"), "version\t2\n")
	s.writeFile(t, "profiles.yaml", "profiles: [{name: Coded, type: USER, haeders: [x]}]")
	e = s.run(t, "", "apply", "-f", "profiles.yaml")
	require.Equal(t, 2, e.code)
	require.Contains(t, e.err, "haeders")
	s.mustRun(t, "profiles", "delete", "Coded", "--yes")
}
