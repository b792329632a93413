package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// wrongRows has three kinds of row errors, one of them twice.
const wrongRows = "email,name,role,active\nuna@example.org,Una,edit,true\nvic(at)example.org,Vic,,true\nwim(at)example.org,Wim,,true\nxia@example.org,Xia,,maybe\n"

// testCorrections lists the rows of an import, corrects failed rows one by one and in groups,
// and retries them.
func (s *shell) testCorrections(t *testing.T) {
	s.writeFile(t, "wrong.csv", wrongRows)
	e := s.run(t, "", "import", "wrong.csv", "--type", "USER", "--yes")
	require.Equal(t, 4, e.code, e.err)
	id, _, _ := strings.Cut(e.out, "\t")
	require.Regexp(t, `^3\tERROR\tvic\(at\)example.org\tVic\t\ttrue\tEMAIL: .*\n$`, s.mustRun(t, "rows", id, "--field", "email", "--limit", "1"))
	require.Contains(t, s.mustRun(t, "rows", id, "--summary"), "EMAIL\tCELL_EMAIL\tERROR\t2\n")
	require.Equal(t, "5\n", s.mustRun(t, "rows", id, "--outcome", "error", "--code", "cell_boolean", "--jq", ".[].rowNumber"))
	require.Equal(t, "[3,4,5]\n", s.mustRun(t, "rows", id, "--open", "--jq", "map(.rowNumber)"))
	require.Equal(t, 2, s.run(t, "", "rows").code)

	e = s.run(t, "", "correct", id, "--field", "email", "--replace", "(at)=@", "--preview")
	require.Zero(t, e.code, e.err)
	require.Equal(t, "3\tEMAIL\tvic(at)example.org\tvic@example.org\t-\n4\tEMAIL\twim(at)example.org\twim@example.org\t-\n", e.out)
	require.Contains(t, e.err, "2 of 2 cells would be corrected.")
	e = s.run(t, "", "retry", id)
	require.Equal(t, 1, e.code, "no correction was saved")
	s.mustRun(t, "correct", id, "--field", "email", "--replace", "(at)=@")
	e = s.run(t, "", "correct", id, "--row", "5", "--set", "active=perhaps")
	require.Equal(t, 4, e.code)
	require.Contains(t, e.err, "0 of 1 cells corrected.")
	s.mustRun(t, "correct", id, "--row", "5", "--set", "active=true", "--json", "corrected")
	s.mustRun(t, "correct", id, "--drop", "--row", "4")
	e = s.run(t, "", "retry", id)
	require.Zero(t, e.code, e.err)
	require.Contains(t, e.out, "completed\t2\t0\t0\t0\t0\n")
	require.Equal(t, "[4]\n", s.mustRun(t, "rows", id, "--open", "--jq", "map(.rowNumber)"))
	require.Equal(t, 4, s.run(t, "", "retry", id, "--all-errors").code, "the other rows were not corrected")
	for _, senseless := range [][]string{{}, {"--row", "3"}, {"--field", "EMAIL"}, {"--row", "3", "--set", "x"}, {"--field", "EMAIL", "--to", "x"}, {"--field", "EMAIL", "--transform", "x"}} {
		require.Equal(t, 2, s.run(t, "", append([]string{"correct", id}, senseless...)...).code, senseless)
	}
}
