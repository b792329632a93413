package lambdahost

import (
	"bytes"
	"sync"
)

// maxLine is the length at which CloudWatch Logs splits a line, in bytes.
const maxLine = 256 << 10

// lineWriter splits a process's output into lines without changing them.
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

// flush emits a last line without a newline.
func (w *lineWriter) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.rest) > 0 {
		w.emit(w.rest)
		w.rest = nil
	}
}
