package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// testCheck compares the errors that the command finds in files without a database
// with the row errors of imports of these files: same codes, same messages.
func (s *shell) testCheck(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		args []string
		code int
	}{
		"faults.csv":  {"email,name,active,created at,id\none@example.org,One,true,01/02/2026,\nfoo(at)example.org,Two,maybe,x,7\n,Three,true,,\n", []string{"--type", "USER"}, 4},
		"dates.csv":   {"Courriel;Nom;Created at\nk@example.org;K;31/12/2026\nl@example;L;01/02/2026\n", []string{"--type", "USER", "--mapping", "french.json"}, 4},
		"periods.csv": {"name,starts on,ends on\n2031,2031-12-31,2031-01-01\n2032,2032-01-01,2032-12-31\n", []string{"--type", "PERIOD"}, 4},
		"persons.csv": {"First name,Last name,Email,Date of birth,Membership type\nAnn,Ash,,,Masters\nBea,Birch,n/a,2999-01-01,Masters\n", []string{"--type", "MEMBERSHIP"}, 4},
		"order.csv":   {"client id,client reference,recipient name,weight\nC1,R1,Ann,-1\n", []string{"--type", "ORDER"}, 1},
		"clean.csv":   {"email,name\nclean@example.org,Clean\n", []string{"--type", "USER"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s.writeFile(t, "french.json", `{"fields": [{"field": "EMAIL", "from": ["Courriel"]}, {"field": "NAME", "from": ["Nom"], "transforms": [{"op": "upper"}]}]}`)
			s.writeFile(t, name, c.text)
			checked := s.run(t, "", append([]string{"check", name}, c.args...)...)
			sent := append([]string{"import", name, "--yes"}, c.args...)
			if c.args[1] == "MEMBERSHIP" {
				sent = append(sent, "--context-id", "1")
			}
			imported := s.run(t, "", sent...)
			require.Equal(t, c.code, checked.code, checked.err)
			require.Equal(t, imported.code, checked.code, imported.err)
			if c.code == 1 {
				_, why, found := strings.Cut(checked.err, "REQUIRED_COLUMN_MISSING: ")
				require.True(t, found, checked.err)
				require.Contains(t, imported.err, "REQUIRED_COLUMN_MISSING: "+why)
				return
			}
			id, _, _ := strings.Cut(imported.out, "\t")
			require.Equal(t, s.mustRun(t, "errors", id), checked.out)
			require.Equal(t, s.mustRun(t, "errors", id, "--jq", "map(.faults)"), s.run(t, "", append([]string{"check", name, "--jq", "map(.faults)"}, c.args...)...).out)
		})
	}
	t.Run("strict", s.testStrictCheck)
	require.Equal(t, 2, s.run(t, "", "check", "clean.csv").code)
	require.Equal(t, 2, s.run(t, "", "check", "clean.csv", "--type", "NONSENSE").code)
	require.Equal(t, 1, s.run(t, "", "check", "missing.csv", "--type", "USER").code)
}

// testStrictCheck refuses an unused column like the import, on request and by the organisation's
// default.
func (s *shell) testStrictCheck(t *testing.T) {
	s.writeFile(t, "strict.csv", "email,name,shoe\nstrict@example.org,Strict,42\n")
	args := []string{"strict.csv", "--type", "USER"}
	requireUnused := func(more ...string) {
		checked := s.run(t, "", append(append([]string{"check"}, args...), more...)...)
		require.Equal(t, 1, checked.code, checked.err)
		_, why, found := strings.Cut(checked.err, "COLUMN_UNUSED: ")
		require.True(t, found, checked.err)
		imported := s.run(t, "", append(append([]string{"import", "--yes"}, args...), more...)...)
		require.Equal(t, 1, imported.code, imported.err)
		require.Contains(t, imported.err, "COLUMN_UNUSED: "+why)
	}
	require.Contains(t, s.run(t, "", append([]string{"check"}, args...)...).err, "COLUMN_UNUSED")
	requireUnused("--strict")
	s.mustRun(t, "settings", "set", "strict=true")
	requireUnused()
	require.Zero(t, s.run(t, "", append([]string{"check", "--strict=false"}, args...)...).code)
	s.mustRun(t, "settings", "set", "strict=")
}
