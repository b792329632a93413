package job_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
)

func TestErrorLimit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		limit        job.ErrorLimit
		errored, all int64
		valid, over  bool
	}{
		{"", 1000, 1000, true, false},
		{"0", 0, 10, true, false},
		{"0", 1, 10, true, true},
		{"100", 100, 1000, true, false},
		{"100", 101, 1000, true, true},
		{"5%", 5, 100, true, false},
		{"5%", 6, 100, true, true},
		{"2.5%", 25, 1000, true, false},
		{"2.5%", 26, 1000, true, true},
		{"0%", 1, 1_000_000, true, true},
		{"100%", 0, 0, false, false},
		{"-1", 0, 0, false, false},
		{"many", 5, 10, false, false},
		{"1e3", 5, 10, false, false},
	} {
		require.Equal(t, c.valid, c.limit.Valid(), "%q", c.limit)
		if c.valid {
			require.Equal(t, c.over, c.limit.Exceeded(c.errored, c.all), "%q: %d of %d", c.limit, c.errored, c.all)
		}
	}
}
