package sheet

import (
	"context"
	"fmt"
)

// MaxChunkBytes ends a chunk before it reaches its number of rows, so that it always fits in a
// processor's memory. A single row may exceed it.
const MaxChunkBytes = 16 << 20

// CutRows cuts a stream of rows into chunks with packs as bodies. The chunks depend only on the
// rows and rowsPerChunk, so that a second cut returns the same ones. A body is only valid during
// its call of emit, which receives one chunk at a time, in order, while the next one is
// packed. CutRows does not close the stream.
//
// Blank rows belong to the chunk of the next row; those at the end of the file belong to no
// chunk and are only in Counts.
func CutRows(ctx context.Context, rows Rows, rowsPerChunk int, emit Cutter) (Counts, error) {
	out := newEmitter(ctx, emit)
	err := cutRows(rows, rowsPerChunk, out)
	// An error of emit precedes errors of later rows.
	if emitErr := out.close(); emitErr != nil {
		err = emitErr
	}
	return rows.Counts(), err
}

func cutRows(rows Rows, rowsPerChunk int, out *emitter) error {
	pack := &PackWriter{}
	c := Chunk{FirstRow: rows.Counts().Header + 1}
	for rows.Next() {
		pack.Add(rows.Row())
		if pack.Rows() < rowsPerChunk && pack.Len() < MaxChunkBytes {
			continue
		}
		next := Chunk{Index: c.Index + 1, FirstRow: pack.Last() + 1}
		var ok bool
		if pack, ok = out.emit(c, pack); !ok {
			return nil // close returns the reason
		}
		c = next
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if pack.Rows() > 0 {
		out.emit(c, pack)
	}
	return nil
}

// emitter emits chunks in its own goroutine.
type emitter struct {
	packed chan packedChunk
	spare  chan *PackWriter
	done   chan error // error of a failed emit; nil after the last chunk
	failed chan struct{}
}

// packedChunk is a chunk with its rows.
type packedChunk struct {
	chunk Chunk
	pack  *PackWriter
}

func newEmitter(ctx context.Context, emit Cutter) *emitter {
	e := &emitter{packed: make(chan packedChunk), spare: make(chan *PackWriter, 1), done: make(chan error, 1), failed: make(chan struct{})}
	e.spare <- &PackWriter{}
	go func() { e.done <- e.run(ctx, emit) }()
	return e
}

func (e *emitter) run(ctx context.Context, emit Cutter) error {
	for p := range e.packed {
		c := p.chunk
		c.Lines = int(p.pack.Last() - c.FirstRow + 1)
		c.Rows, c.Length = p.pack.Rows(), int64(p.pack.Len())
		c.CRC32C = Checksum(p.pack.Bytes())
		if err := emit(ctx, c, p.pack.Bytes()); err != nil {
			close(e.failed)
			return fmt.Errorf("emit chunk %d: %w", c.Index, err)
		}
		p.pack.Reset()
		e.spare <- p.pack
	}
	return nil
}

// emit passes a chunk to the goroutine and returns an empty pack for the next one, or false if a
// chunk could not be emitted.
func (e *emitter) emit(c Chunk, pack *PackWriter) (*PackWriter, bool) {
	select {
	case e.packed <- packedChunk{c, pack}:
		return <-e.spare, true
	case <-e.failed:
		return nil, false
	}
}

// close waits for the last chunk.
func (e *emitter) close() error {
	close(e.packed)
	return <-e.done
}
