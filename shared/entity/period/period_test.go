package period_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/entitytest"
	"github.com/loadbay/loadbay/shared/entity/period"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

func TestEndBeforeStartIsRejected(t *testing.T) {
	t.Parallel()
	of := period.New()
	b := entitytest.Batch(t, of, rowwrite.Insert, 1, []string{"name", "starts_on", "ends_on"},
		[]string{"a day", "2026-01-01", "2026-01-01"},
		[]string{"before our era of counting", "1999-12-30", "1999-12-31"},
		[]string{"backwards", "2026-01-02", "2026-01-01"},
		[]string{"without an end", "2026-01-02", ""},
	)
	rule, at := &of.Declaration().Rules[0], []int{1, 2}
	require.Empty(t, rule.Check(b, 0, at))
	require.Empty(t, rule.Check(b, 1, at))
	require.Equal(t, &rowwrite.Error{Field: "ENDS_ON", Code: problem.CellRange, Message: "The period ends before it starts."}, rule.Check(b, 2, at))
	require.Empty(t, rule.Check(b, 3, at), "another check reports the missing end")
}
