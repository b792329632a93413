package httpapi_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	walks    = flag.Int("walks", 3, "how often TestListsContinueAfterRandomChanges reads each list")
	walkSeed = flag.Uint64("walk", 0, "the seed of TestListsContinueAfterRandomChanges; 0 for a random one")
)

// TestListsContinueAfterRandomChanges reads each list in pages of random sizes while random entries
// are added and removed between them: an entry that exists the whole time is listed once, and no
// entry is listed twice.
func TestListsContinueAfterRandomChanges(t *testing.T) {
	t.Parallel()
	seed := *walkSeed
	if seed == 0 {
		seed = rand.Uint64() >> 16
	}
	for name, l := range changingLists() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, r := setup(t), rand.New(rand.NewPCG(seed, 0x115))
			number := 0
			for walk := range *walks {
				for range 5 + r.IntN(8) {
					number++
					b.Exec(t, l.add, number)
				}
				b.walkRandomly(t, l, r, &number, fmt.Sprintf("seed %d, walk %d", seed, walk+1))
			}
		})
	}
}

// walkRandomly reads a list once. number is the number of the last entry that was added.
func (b *bundle) walkRandomly(t *testing.T, l changingList, r *rand.Rand, number *int, what string) {
	t.Helper()
	present, _ := b.listIDs(t, l, l.path+"size=200")
	var listed []string
	next := fmt.Sprintf("%ssize=%d", l.path, 1+r.IntN(4))
	for pages := 0; next != ""; pages++ {
		require.Less(t, pages, 100, "%s: the list ends", what)
		var page []string
		page, next = b.listIDs(t, l, next)
		listed = append(listed, page...)
		for range r.IntN(3) { // also entries that were listed, or are next
			if len(present) == 0 {
				break
			}
			n := r.IntN(len(present))
			if i := slices.Index(present, pageEnd(page)); i >= 0 && r.IntN(2) == 0 {
				n = i
			}
			b.Exec(t, l.remove, present[n])
			present = slices.Delete(present, n, n+1)
		}
		if pages < 6 && r.IntN(2) == 0 {
			*number++
			b.Exec(t, l.add, *number)
		}
	}
	count := make(map[string]int)
	for _, id := range listed {
		count[id]++
		require.Equal(t, 1, count[id], "%s: %s is listed twice", what, id)
	}
	for _, id := range present {
		require.Equal(t, 1, count[id], "%s: %s is not listed", what, id)
	}
}

// pageEnd returns the last entry of a page; "" if it is empty.
func pageEnd(page []string) string {
	if len(page) == 0 {
		return ""
	}
	return page[len(page)-1]
}
