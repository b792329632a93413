package resolve

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
)

// TestDistinctValuesAreBounded expects 10,000 names, or fewer if the values are long.
func TestDistinctValuesAreBounded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ length, kept int }{"names": {20, maxValues}, "long values": {30_000, maxValueBytes / 30_005}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := &distinctValues{cells: make(map[string]*job.MappedCell)}
			for i := range maxValues + 5 {
				d.add(&entity.Field{Name: "TYPE"}, []byte(fmt.Sprintf("%05d", i)+strings.Repeat("x", c.length)), int64(i))
			}
			require.Len(t, d.cells, c.kept)
			d.add(&entity.Field{Name: "TYPE"}, []byte("00000"+strings.Repeat("x", c.length)), 1)
			require.Equal(t, int64(2), d.cells["00000"+strings.Repeat("x", c.length)].Rows, "known values are still counted")
		})
	}
}
