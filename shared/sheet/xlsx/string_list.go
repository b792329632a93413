package xlsx

import (
	"sync"

	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/opc"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/xmlpull"
)

// stringList is the list of shared strings as it stands in its part.
type stringList struct {
	x     *xmlpull.Scanner
	part  *opc.Part
	limit int // bytes of a string
}

// stringBatch is a run of strings that follow each other.
type stringBatch struct {
	text []byte // of all of them
	ends []int  // where each of them ends
	done bool   // the list ends behind them
	err  error  // why it ends early
	// inflated is how many bytes of the part have been read for them.
	inflated int64
}

func (b *stringBatch) reset() { *b = stringBatch{text: b.text[:0], ends: b.ends[:0]} }

// read adds what comes next to a batch: a string, the end of the list, or what is passed over.
func (l *stringList) read(b *stringBatch) {
	if text, ok := l.x.SkipEnclosed("<si><t>", "</t></si>", l.limit); ok { // as nearly all are
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
	minPrefetchStrings = 1 << 20   // bytes of a list: a shorter one is read before it is missed
	stringBatches      = 4         // that are held: one that is taken, the others waiting
	batchText          = 128 << 10 // bytes of a batch
	batchStrings       = 4096
)

// stringPrefetcher is a list that is read by a goroutine of its own, a few batches before they
// are asked for.
type stringPrefetcher struct {
	batches chan stringBatch
	spare   chan stringBatch
	stop    chan struct{}
	ended   sync.WaitGroup
}

func prefetchStrings(l *stringList) *stringPrefetcher {
	a := &stringPrefetcher{batches: make(chan stringBatch, stringBatches), spare: make(chan stringBatch, stringBatches), stop: make(chan struct{})}
	for range stringBatches - 1 { // whoever asks for the next brings one
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
		a.batches <- b // there is room for every batch that there is
		if last {
			return
		}
	}
}

// next exchanges a batch for the one that follows. It is not asked for any behind the last.
func (a *stringPrefetcher) next(b *stringBatch) {
	a.spare <- *b
	*b = <-a.batches
}

// close ends the goroutine and waits for it.
func (a *stringPrefetcher) close() {
	close(a.stop)
	a.ended.Wait()
}
