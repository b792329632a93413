package split

import (
	"context"
	"slices"

	"github.com/loadbay/loadbay/shared/entity/dupkeys"
	"github.com/loadbay/loadbay/shared/job"
)

// maxForeignRows is the maximum number of rows of other chunks that one chunk decides, as a
// multiple of its own rows.
const maxForeignRows = 4

// groups returns the rows of a plan that share keys, with their chunks.
func (r *duplicateFinder) groups(ctx context.Context, chunks []job.Chunk) []job.DuplicateRow {
	found, known := r.keys.Groups()
	if !known {
		r.step.log.InfoContext(ctx, "duplicate keys unknown: chunks are decided independently")
		return nil
	}
	return placeGroups(found, chunks, maxForeignRows*r.step.config.ChunkRows)
}

// placeGroups adds the chunks of the rows. It omits groups for which the chunk of the first row
// would have to decide more than limit rows of other chunks. Rows of such a group are planned
// separately; if they would create the same entity, one of them is written and the others are
// stale.
func placeGroups(found []dupkeys.Group, chunks []job.Chunk, limit int) []job.DuplicateRow {
	all := make([]job.DuplicateRow, len(found))
	home, foreign := make(map[int64]int), make(map[int64]int) // by group: the chunk of its first row, and the number of rows in other chunks
	at := 0
	for i, g := range found {
		for g.Row >= chunks[at].FirstRow+int64(chunks[at].Lines) {
			at++
		}
		all[i] = job.DuplicateRow{Row: g.Row, First: g.First, Chunk: chunks[at].Index}
		if g.Row == g.First {
			home[g.First] = chunks[at].Index
		} else if home[g.First] != chunks[at].Index {
			foreign[g.First]++
		}
	}
	decides, apart := make(map[int]int), make(map[int64]bool)
	return slices.DeleteFunc(all, func(r job.DuplicateRow) bool {
		if chunk := home[r.First]; r.Row == r.First {
			apart[r.First] = decides[chunk]+foreign[r.First] > limit
			if !apart[r.First] {
				decides[chunk] += foreign[r.First]
			}
		}
		return apart[r.First]
	})
}
