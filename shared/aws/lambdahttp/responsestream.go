package lambdahttp

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

// ReaderTimeout is how long a stream waits for its reader.
type ReaderTimeout struct {
	// Write is how long it may take until somebody has taken some 64 KB.
	Write time.Duration `env:"STREAM_READER_TIMEOUT" default:"30s"`
	// Abandon ends the instance. It is called when the runtime is still held up in
	// sending long after the response has ended: it cannot be told, and would keep
	// the instance until the function's timeout.
	Abandon func()
}

// Validate asks for some.
func (t *ReaderTimeout) Validate() error {
	if t.Write <= 0 {
		return fmt.Errorf("STREAM_READER_TIMEOUT is %s, not more than nothing", t.Write)
	}
	return nil
}

// drainFactor is how many times as long as one write the last bytes of a response may
// take: what is between here and its reader holds megabytes.
const drainFactor = 10

// closeTimeout bounds how long the runtime waits for what is to be done after a response.
const closeTimeout = 10 * time.Second

// responseStream is one response on its way to its reader.
type responseStream struct {
	timeout  ReaderTimeout
	released chan struct{} // closed when the runtime is through with the response
	finished chan struct{} // closed when all is done that is to be done afterwards
	once     sync.Once

	mu        sync.Mutex
	finishers []func()
}

func newResponseStream(t ReaderTimeout) *responseStream {
	return &responseStream{timeout: t, released: make(chan struct{}), finished: make(chan struct{})}
}

// onFinish takes what is to be done when the response has been sent, or given up.
func (s *responseStream) onFinish(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.finishers = append(s.finishers, do)
}

// serve runs the handler and returns when the response begins.
func (s *responseStream) serve(h http.Handler, r *http.Request) *events.LambdaFunctionURLStreamingResponse {
	reader, pipe := io.Pipe()
	w := &writer{
		header: http.Header{}, pipe: pipe, started: make(chan *events.LambdaFunctionURLStreamingResponse, 1),
		body: body{reader, s}, writeTimeout: s.timeout.Write,
	}
	go func() {
		w.run(h, r)
		s.finish(w.failed)
	}()
	return <-w.started
}

// run runs the handler to its end, whatever that is.
func (w *writer) run(h http.Handler, r *http.Request) {
	defer func() {
		if cause := recover(); cause != nil {
			w.abort()
			return
		}
		w.WriteHeader(http.StatusOK)
		_ = w.pipe.Close() // never fails
	}()
	h.ServeHTTP(w, r)
}

// finish waits for the runtime to be through with a response that has ended, does what
// comes after that, and gives up the instance if the wait was in vain.
func (s *responseStream) finish(failed bool) {
	wait := s.timeout.Write
	if !failed {
		wait *= drainFactor
	}
	late := time.NewTimer(wait)
	defer late.Stop()
	abandon := false
	select {
	case <-s.released:
	case <-late.C:
		abandon = true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, do := range s.finishers {
		do()
	}
	close(s.finished)
	if abandon {
		s.timeout.Abandon()
	}
}

// body is what the runtime reads of a response.
type body struct {
	*io.PipeReader
	stream *responseStream
}

// Close is called by the runtime when it is through with the response. Afterwards AWS
// stops the clock of the instance, so it waits for what is still to be done.
func (b body) Close() error {
	err := b.PipeReader.Close()
	b.stream.once.Do(func() { close(b.stream.released) })
	select {
	case <-b.stream.finished:
	case <-time.After(closeTimeout):
	}
	return err
}
