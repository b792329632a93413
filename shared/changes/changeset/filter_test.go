package changeset_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/changeset"
)

func TestFilterMatches(t *testing.T) {
	t.Parallel()
	created, updated, deleted := sampleChanges()[0], sampleChanges()[1], sampleChanges()[3]
	for name, c := range map[string]struct {
		filter changeset.Filter
		want   []bool // one for each of the three changes
	}{
		"all":                    {changeset.Filter{}, []bool{true, true, true}},
		"by operation":           {changeset.Filter{Op: changeset.Updated}, []bool{false, true, false}},
		"a column":               {changeset.Filter{Column: "first_name"}, []bool{false, false, true}},
		"text in any case":       {changeset.Filter{Text: "aNN"}, []bool{false, true, false}},
		"text in the column":     {changeset.Filter{Column: "name", Text: "ann"}, []bool{false, true, false}},
		"text in another column": {changeset.Filter{Column: "role", Text: "ann"}, []bool{false, false, false}},
		"operation and text in different changes": {changeset.Filter{Op: changeset.Created, Text: "ann"}, []bool{false, false, false}},
	} {
		require.Equal(t, c.want, []bool{c.filter.Matches(&created), c.filter.Matches(&updated), c.filter.Matches(&deleted)}, name)
	}
	for _, op := range []changeset.Op{changeset.Created, changeset.Updated, changeset.Deleted} {
		parsed, ok := changeset.ParseOp(op.String())
		require.True(t, ok)
		require.Equal(t, op, parsed)
	}
	_, ok := changeset.ParseOp("UNKNOWN")
	require.False(t, ok)
}
