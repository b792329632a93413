package files

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// TestFilesOfTheSameSource: of each source, the first file ends with every row right
// through answers that a person gives once, and the second, read by the profile that
// was saved from the first, without any.
func TestFilesOfTheSameSource(t *testing.T) {
	t.Parallel()
	s := stacktest.Start(t)
	for _, from := range sources() {
		t.Run(from.name, func(t *testing.T) {
			o := open(t, s, from)
			first, second := from.edition(1), from.edition(2)

			person := &answering{organisation: o, from: from, told: map[string]bool{}}
			j := person.through(t, o.upload(t, from, first, nil).Identifier)
			o.requireRight(t, j, from, first)
			for _, v := range from.values {
				require.Contains(t, person.told, v.Field+" "+v.Value, "an answer that is not needed")
			}

			require.NoError(t, o.Post(t.Context(), "/api/profiles", map[string]any{"name": from.name, "fromImport": j.Identifier}, nil))
			again := o.upload(t, from, second, map[string]string{"profile": from.name})
			j = stacktest.Until(t, o.Client, again.Identifier, func(j *rawclient.Job) bool { return j.Ended() || asks(j) })
			require.False(t, asks(j), "the second file asks for %s", j.WaitingFor)
			o.requireRight(t, j, from, first, second)
		})
	}
}

// requireRight asks for an import without a row in error, after which the organisation
// has what the files say, and nothing else.
func (o *organisation) requireRight(t *testing.T, j *rawclient.Job, from source, files ...file) {
	t.Helper()
	require.Equal(t, "COMPLETED", j.Status, "%+v", j.Failure)
	wrong, err := o.Results(t.Context(), j.Identifier, "ERROR", 0, 5)
	require.NoError(t, err)
	require.Zero(t, j.ErrorCount, "%+v", wrong)
	require.Equal(t, int64(len(files[len(files)-1].rows)), j.TotalRows)
	require.Equal(t, state(from.key, files...), o.rows(t, from))
}
