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

// drains is how many times as long as one write the last bytes of a response may
// take: what is between here and its reader holds megabytes.
const drains = 10

// closing bounds how long the runtime waits for what is to be done after a response.
const closing = 10 * time.Second

// sending is one response on its way to its reader.
type sending struct {
	timeout  ReaderTimeout
	through  chan struct{} // closed when the runtime is through with the response
	finished chan struct{} // closed when all is done that is to be done afterwards
	once     sync.Once

	mu        sync.Mutex
	afterward []func()
}

func newSending(t ReaderTimeout) *sending {
	return &sending{timeout: t, through: make(chan struct{}), finished: make(chan struct{})}
}

// after takes what is to be done when the response has been sent, or given up.
func (s *sending) after(do func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.afterward = append(s.afterward, do)
}

// serve runs the handler and returns when the response begins.
func (s *sending) serve(h http.Handler, r *http.Request) *events.LambdaFunctionURLStreamingResponse {
	reader, pipe := io.Pipe()
	w := &writer{
		header: http.Header{}, pipe: pipe, begun: make(chan *events.LambdaFunctionURLStreamingResponse, 1),
		body: body{reader, s}, wait: s.timeout.Write,
	}
	go func() {
		w.run(h, r)
		s.finish(w.failed)
	}()
	return <-w.begun
}

// run runs the handler to its end, whatever that is.
func (w *writer) run(h http.Handler, r *http.Request) {
	defer func() {
		if cause := recover(); cause != nil {
			w.fail()
			return
		}
		w.WriteHeader(http.StatusOK)
		_ = w.pipe.Close() // never fails
	}()
	h.ServeHTTP(w, r)
}

// finish waits for the runtime to be through with a response that has ended, does what
// comes after that, and gives up the instance if the wait was in vain.
func (s *sending) finish(failed bool) {
	wait := s.timeout.Write
	if !failed {
		wait *= drains
	}
	late := time.NewTimer(wait)
	defer late.Stop()
	abandon := false
	select {
	case <-s.through:
	case <-late.C:
		abandon = true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, do := range s.afterward {
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
	sending *sending
}

// Close is called by the runtime when it is through with the response. Afterwards AWS
// stops the clock of the instance, so it waits for what is still to be done.
func (b body) Close() error {
	err := b.PipeReader.Close()
	b.sending.once.Do(func() { close(b.sending.through) })
	select {
	case <-b.sending.finished:
	case <-time.After(closing):
	}
	return err
}
