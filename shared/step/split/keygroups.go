package split

import (
	"context"
	"slices"

	"github.com/loadbay/loadbay/shared/entity/dupkeys"
	"github.com/loadbay/loadbay/shared/job"
)

// maxForeignRows is how many rows of other chunks one chunk may have to decide, as a multiple
// of its own rows.
const maxForeignRows = 4

// groups are the rows of a plan that share keys, with the chunks that hold them.
func (r *duplicateFinder) groups(ctx context.Context, chunks []job.Chunk) []job.DuplicateRow {
	found, known := r.keys.Groups()
	if !known {
		r.step.log.InfoContext(ctx, "which keys repeat is not known: rows of different chunks are rehearsed apart")
		return nil
	}
	return placeGroups(found, chunks, maxForeignRows*r.step.config.ChunkRows)
}

// placeGroups says which chunks hold the rows. It leaves out groups where the chunk of the first
// row would have to decide more rows of other chunks than limit: they are rehearsed apart,
// and of rows that would create the same, one is written then, and the others are stale.
func placeGroups(found []dupkeys.Group, chunks []job.Chunk, limit int) []job.DuplicateRow {
	all := make([]job.DuplicateRow, len(found))
	home, brought := make(map[int64]int), make(map[int64]int) // of each group: the chunk of its first row, and how many rows others hold
	at := 0
	for i, g := range found {
		for g.Row >= chunks[at].FirstRow+int64(chunks[at].Lines) {
			at++
		}
		all[i] = job.DuplicateRow{Row: g.Row, First: g.First, Chunk: chunks[at].Index}
		if g.Row == g.First {
			home[g.First] = chunks[at].Index
		} else if home[g.First] != chunks[at].Index {
			brought[g.First]++
		}
	}
	decides, apart := make(map[int]int), make(map[int64]bool)
	return slices.DeleteFunc(all, func(r job.DuplicateRow) bool {
		if chunk := home[r.First]; r.Row == r.First {
			apart[r.First] = decides[chunk]+brought[r.First] > limit
			if !apart[r.First] {
				decides[chunk] += brought[r.First]
			}
		}
		return apart[r.First]
	})
}
