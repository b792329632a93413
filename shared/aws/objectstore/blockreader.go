package objectstore

import (
	"context"
	"io"
	"sync"

	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/sheet"
)

// blockReader reads one object at any offset, in blocks that are prefetched when
// reading is sequential.
type blockReader struct {
	ctx   context.Context
	store *Store
	file  object.Version
	size  int64
	block int64

	mu     sync.Mutex
	blocks map[int64]*block // by number; only the last used ones
	order  []int64
}

type block struct {
	ready chan struct{}
	body  []byte
	err   error
}

const (
	// blockSize balances requests against memory: a 100 MB file is 25 requests.
	blockSize = 4 << 20
	// maxCachedBlocks is enough for one sequential reader with a prefetched block, and for
	// the places of a zip archive between which a reader jumps.
	maxCachedBlocks = 6
)

// Open returns a version of an object as a random-access file. ctx
// limits all its reads.
func (s *Store) Open(ctx context.Context, v object.Version) sheet.Source {
	return &blockReader{ctx: ctx, store: s, file: v, size: v.Size, block: blockSize, blocks: make(map[int64]*block)}
}

// Size returns the object's size in bytes.
func (s *blockReader) Size() int64 { return s.size }

// ReadAt implements io.ReaderAt.
func (s *blockReader) ReadAt(p []byte, offset int64) (int, error) {
	n := 0
	for n < len(p) {
		pos := offset + int64(n)
		if pos >= s.size {
			return n, io.EOF
		}
		b := s.fetch(pos / s.block)
		<-b.ready
		if b.err != nil {
			s.dropBlock(pos / s.block)
			return n, b.err
		}
		n += copy(p[n:], b.body[pos%s.block:])
	}
	return n, nil
}

// fetch returns a block that is cached or being fetched, and prefetches the next one
// if the previous one was used too.
func (s *blockReader) fetch(number int64) *block {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, sequential := s.blocks[number-1]
	b := s.startFetch(number)
	if sequential || number == 0 {
		s.startFetch(number + 1)
	}
	return b
}

func (s *blockReader) startFetch(number int64) *block {
	if b, ok := s.blocks[number]; ok || number*s.block >= s.size {
		return b
	}
	b := &block{ready: make(chan struct{})}
	s.blocks[number] = b
	if s.order = append(s.order, number); len(s.order) > maxCachedBlocks {
		delete(s.blocks, s.order[0])
		s.order = s.order[1:]
	}
	go func() {
		defer close(b.ready)
		offset := number * s.block
		b.body, b.err = s.store.ReadRange(s.ctx, s.file, offset, min(s.block, s.size-offset))
	}()
	return b
}

// dropBlock drops a block that could not be read, so that the next read retries it.
func (s *blockReader) dropBlock(number int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.blocks, number)
	for i, n := range s.order {
		if n == number {
			s.order = append(s.order[:i], s.order[i+1:]...)
			break
		}
	}
}
