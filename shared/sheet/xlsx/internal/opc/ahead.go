package opc

import (
	"io"
	"sync"
)

const (
	aheadBlock  = 128 << 10 // bytes that are inflated at a time
	aheadBlocks = 4         // of them are held: one that is read, the others waiting
	worthAhead  = 1 << 20   // of a part that is smaller, the rest is inflated before it is missed
	inflateMost = 32 << 10  // bytes that a decompressor returns at a time, where there is room
)

// ahead is a decompressor that works in a goroutine of its own, a few blocks before they
// are asked for. It returns the same bytes in the same pieces, and its error with the same
// one of them: so what is read of a damaged part, and said of it, is the same too.
type ahead struct {
	blocks chan aheadRead
	spare  chan aheadRead
	stop   chan struct{}
	ended  sync.WaitGroup
	block  aheadRead
	rest   []byte // of the piece that is read
	left   []byte // of the block, behind it
}

// aheadRead is a block of pieces, and the error that comes with the last of them.
type aheadRead struct {
	memory []byte
	pieces []int // how long those are that are not read
	err    error
}

func newAhead(r io.Reader) *ahead {
	a := &ahead{blocks: make(chan aheadRead, aheadBlocks), spare: make(chan aheadRead, aheadBlocks), stop: make(chan struct{})}
	for range aheadBlocks - 1 { // whoever asks for the next brings one
		a.spare <- aheadRead{memory: make([]byte, aheadBlock)}
	}
	a.block.memory = make([]byte, aheadBlock)
	a.ended.Go(func() { a.run(r) })
	return a
}

func (a *ahead) run(r io.Reader) {
	for {
		select {
		case <-a.stop:
			return
		case b := <-a.spare:
			b.pieces = b.pieces[:0]
			for room := b.memory; b.err == nil && len(room) >= inflateMost; {
				var n int
				n, b.err = r.Read(room)
				room, b.pieces = room[n:], append(b.pieces, n)
			}
			a.blocks <- b // there is room for every block that there is
			if b.err != nil {
				return
			}
		}
	}
}

// Read implements io.Reader.
func (a *ahead) Read(p []byte) (int, error) {
	for len(a.rest) == 0 {
		if len(a.block.pieces) == 0 {
			if a.block.err != nil {
				return 0, a.block.err
			}
			a.spare <- a.block
			a.block = <-a.blocks
			a.left = a.block.memory
		}
		n := a.block.pieces[0]
		a.rest, a.left, a.block.pieces = a.left[:n], a.left[n:], a.block.pieces[1:]
		if n == 0 && len(a.block.pieces) == 0 {
			return 0, a.block.err
		}
	}
	n := copy(p, a.rest)
	a.rest = a.rest[n:]
	if len(a.rest) == 0 && len(a.block.pieces) == 0 {
		return n, a.block.err
	}
	return n, nil
}

// close ends the goroutine and waits for it. Nothing is to be read afterwards.
func (a *ahead) close() {
	close(a.stop)
	a.ended.Wait()
}
