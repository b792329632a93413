package xlsx

import (
	"sync"

	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/opc"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/xmlpull"
)

// stringList reads the list of shared strings from its part.
type stringList struct {
	x     *xmlpull.Scanner
	part  *opc.Part
	limit int // maximum bytes of a string
}

// stringBatch is a run of consecutive strings.
type stringBatch struct {
	text []byte // text of all strings
	ends []int  // end of each string
	done bool   // whether the list ends after them
	err  error  // error that ends the list early
	// inflated is the number of bytes of the part read for them.
	inflated int64
}

func (b *stringBatch) reset() { *b = stringBatch{text: b.text[:0], ends: b.ends[:0]} }

// read reads the next string, the end of the list, or another element, and adds a string to the
// batch.
func (l *stringList) read(b *stringBatch) {
	if text, ok := l.x.SkipEnclosed("<si><t>", "</t></si>", l.limit); ok { // the form of nearly all strings
		b.text = appendDecoded(b.text, text)
		b.ends = append(b.ends, len(b.text))
		return
	}
	tok, err := l.x.Next()
	switch {
	case err != nil:
		b.err = err
	case tok != xmlpull.Start:
		if b.err = l.x.Drain(); b.err == nil {
			b.done = true
		}
	case string(l.x.Local()) != "si":
		b.err = l.x.Skip()
	default:
		start := len(b.text)
		if b.text, b.err = appendRich(b.text, l.x, l.limit); b.err != nil {
			b.text = b.text[:start]
			return
		}
		b.ends = append(b.ends, len(b.text))
	}
}

const (
	minPrefetchStrings = 1 << 20   // minimum size of a list in bytes: prefetching does not pay for shorter ones
	stringBatches      = 4         // number of batches: one in use, the others waiting
	batchText          = 128 << 10 // bytes of a batch
	batchStrings       = 4096
)

// stringPrefetcher reads a list in its own goroutine, a few batches ahead.
type stringPrefetcher struct {
	batches chan stringBatch
	spare   chan stringBatch
	stop    chan struct{}
	ended   sync.WaitGroup
}

func prefetchStrings(l *stringList) *stringPrefetcher {
	a := &stringPrefetcher{batches: make(chan stringBatch, stringBatches), spare: make(chan stringBatch, stringBatches), stop: make(chan struct{})}
	for range stringBatches - 1 { // next contributes one batch
		a.spare <- stringBatch{}
	}
	a.ended.Go(func() { a.run(l) })
	return a
}

func (a *stringPrefetcher) run(l *stringList) {
	counted := int64(0)
	for {
		var b stringBatch
		select {
		case <-a.stop:
			return
		case b = <-a.spare:
		}
		b.reset()
		for !b.done && b.err == nil && len(b.text) < batchText && len(b.ends) < batchStrings {
			l.read(&b)
		}
		b.inflated = l.part.Inflated() - counted
		counted += b.inflated
		last := b.done || b.err != nil
		a.batches <- b // has capacity for all batches
		if last {
			return
		}
	}
}

// next exchanges a batch for the following one. It must not be called after the last.
func (a *stringPrefetcher) next(b *stringBatch) {
	a.spare <- *b
	*b = <-a.batches
}

// close ends the goroutine and waits for it.
func (a *stringPrefetcher) close() {
	close(a.stop)
	a.ended.Wait()
}
