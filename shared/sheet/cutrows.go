package sheet

import (
	"context"
	"fmt"
)

// MaxChunkBytes ends a chunk before its number of rows does, so that a
// processor can always hold one in memory. A single row may pass it.
const MaxChunkBytes = 16 << 20

// CutRows cuts a stream of rows into chunks whose bodies are packs. The chunks
// follow from the rows and rowsPerChunk alone: cutting again gives the same
// ones. A body is only valid during its call of emit. CutRows does not close
// the stream.
//
// Blank rows belong to the chunk of the row after them; those at the end of the
// file belong to none and are in Counts only.
func CutRows(ctx context.Context, rows Rows, rowsPerChunk int, emit Cutter) (Counts, error) {
	var pack PackWriter
	c := Chunk{FirstRow: rows.Counts().Header + 1}
	flush := func() error {
		c.Lines = int(pack.Last() - c.FirstRow + 1)
		c.Rows, c.Length = pack.Rows(), int64(pack.Len())
		c.CRC32C = Checksum(pack.Bytes())
		if err := emit(ctx, c, pack.Bytes()); err != nil {
			return fmt.Errorf("emit chunk %d: %w", c.Index, err)
		}
		c = Chunk{Index: c.Index + 1, FirstRow: pack.Last() + 1}
		pack.Reset()
		return nil
	}
	for rows.Next() {
		pack.Add(rows.Row())
		if pack.Rows() < rowsPerChunk && pack.Len() < MaxChunkBytes {
			continue
		}
		if err := flush(); err != nil {
			return rows.Counts(), err
		}
	}
	if err := rows.Err(); err != nil {
		return rows.Counts(), err
	}
	if pack.Rows() > 0 {
		if err := flush(); err != nil {
			return rows.Counts(), err
		}
	}
	return rows.Counts(), nil
}
