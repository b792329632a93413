package files

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// For each source, the first file ends without row errors after a person has answered each
// question once. The second file, read with the profile saved from the first, ends without
// questions.
func TestRecurringFiles(t *testing.T) {
	t.Parallel()
	s := stacktest.Start(t)
	for _, from := range sources() {
		t.Run(from.name, func(t *testing.T) {
			o := newOrganisation(t, s, from)
			first, second := from.edition(1), from.edition(2)

			person := &reviewer{organisation: o, source: from, decided: map[string]bool{}}
			j := person.answerUntilEnd(t, o.startImport(t, from, first, nil).Identifier)
			o.requireNoErrors(t, j, from, first)
			for _, v := range from.values {
				require.Contains(t, person.decided, v.Field+" "+v.Value, "the decision was never requested")
			}

			require.NoError(t, o.Post(t.Context(), "/api/profiles", map[string]any{"name": from.name, "fromImport": j.Identifier}, nil))
			again := o.startImport(t, from, second, map[string]string{"profile": from.name})
			j = stacktest.AwaitJob(t, o.Client, again.Identifier, func(j *rawclient.Job) bool { return j.Ended() || isWaiting(j) })
			require.False(t, isWaiting(j), "the second file needs no decisions, but waits for %s", j.WaitingFor)
			o.requireNoErrors(t, j, from, first, second)
		})
	}
}

// requireNoErrors checks that an import has no failed rows and that the organisation then
// contains the rows of the files and nothing else.
func (o *organisation) requireNoErrors(t *testing.T, j *rawclient.Job, from source, files ...file) {
	t.Helper()
	require.Equal(t, "COMPLETED", j.Status, "%+v", j.Failure)
	wrong, err := o.Results(t.Context(), j.Identifier, "ERROR", 0, 5)
	require.NoError(t, err)
	require.Zero(t, j.ErrorCount, "%+v", wrong)
	require.Equal(t, int64(len(files[len(files)-1].rows)), j.TotalRows)
	require.Equal(t, expectedState(from.key, files...), o.exportRows(t, from))
}
