package lambdahost

import (
	"bytes"
	"sync"
)

// maxLine is where CloudWatch Logs cuts a line.
const maxLine = 256 << 10

// lineWriter cuts a process's output into lines and leaves them as they are.
type lineWriter struct {
	emit func(line []byte)

	mu   sync.Mutex
	rest []byte
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rest = append(w.rest, p...)
	for {
		line, after, found := bytes.Cut(w.rest, []byte("\n"))
		if !found {
			break
		}
		w.emit(line)
		w.rest = after
	}
	if len(w.rest) >= maxLine {
		w.emit(w.rest)
		w.rest = nil
	}
	return len(p), nil
}

// flush emits a last line that has no end.
func (w *lineWriter) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.rest) > 0 {
		w.emit(w.rest)
		w.rest = nil
	}
}
