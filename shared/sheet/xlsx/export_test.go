package xlsx

import (
	"context"

	"github.com/loadbay/loadbay/shared/sheet"
)

// OpenPrefetch is Open with prefetching, regardless of the sheet's size and the number of cores, in
// blocks that end where cut returns, which must be at least after the first byte.
func OpenPrefetch(ctx context.Context, src sheet.Source, d *sheet.Dialect, lim sheet.Limits, cut func(text, mark []byte) int) (sheet.Rows, error) {
	w, err := open(ctx, src, lim)
	if err != nil {
		return nil, err
	}
	w.prefetch = &prefetchOptions{readers: 2, block: maxInflate + 1<<10, cut: cut}
	return w.rows(d)
}
