package lambdahttp

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

// ReaderTimeout configures how long a stream waits for its reader.
type ReaderTimeout struct {
	// Write limits the time until the reader has read about 64 KB.
	Write time.Duration `env:"STREAM_READER_TIMEOUT" default:"30s"`
	// Abandon ends the instance. It is called when the runtime is still blocked in
	// sending long after the response has ended: it cannot be interrupted, and would keep
	// the instance busy until the function's timeout.
	Abandon func()
}

// Validate requires a positive timeout.
func (t *ReaderTimeout) Validate() error {
	if t.Write <= 0 {
		return fmt.Errorf("STREAM_READER_TIMEOUT is %s; it must be positive", t.Write)
	}
	return nil
}

// drainFactor is how many times the timeout of one write the last bytes of a response may
// take: the buffers between here and its reader hold megabytes.
const drainFactor = 10

// closeTimeout limits how long the runtime waits for the work to do after a response.
const closeTimeout = 10 * time.Second

// responseStream is a response being sent to its reader.
type responseStream struct {
	timeout  ReaderTimeout
	released chan struct{} // closed when the runtime has finished with the response
	finished chan struct{} // closed when all work after the response is done
	once     sync.Once

	mu        sync.Mutex
	finishers []func()
}

func newResponseStream(t ReaderTimeout) *responseStream {
	return &responseStream{timeout: t, released: make(chan struct{}), finished: make(chan struct{})}
}

// onFinish registers work to do after the response has been sent or abandoned.
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

// run runs the handler until it returns or panics.
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

// finish waits for the runtime to finish with a response that has ended, runs the registered
// work, and abandons the instance if the wait timed out.
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

// body is the reader of a response for the runtime.
type body struct {
	*io.PipeReader
	stream *responseStream
}

// Close is called by the runtime when it has finished with the response. Afterwards AWS
// freezes the instance, so Close waits for the remaining work.
func (b body) Close() error {
	err := b.PipeReader.Close()
	b.stream.once.Do(func() { close(b.stream.released) })
	select {
	case <-b.stream.finished:
	case <-time.After(closeTimeout):
	}
	return err
}
