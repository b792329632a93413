package lambdahttp_test

import (
	"context"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/aws/lambdahttp"
)

// readerTimeout is the write timeout in these tests, which use fake time.
const readerTimeout = 30 * time.Second

type afterKey struct{}

// streamResult is a response and its outcome.
type streamResult struct {
	*events.LambdaFunctionURLStreamingResponse
	failed    chan error         // the first write error
	released  chan time.Duration // when the work after the response was done
	abandoned chan time.Duration // when the instance was abandoned
}

// send serves a response of that many writes; its handler registers work to do after the
// response has been sent.
func send(t *testing.T, writes int) streamResult {
	t.Helper()
	began := time.Now()
	s := streamResult{failed: make(chan error, 1), released: make(chan time.Duration, 1), abandoned: make(chan time.Duration, 1)}
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Context().Value(afterKey{}).(func(func()))(func() { s.released <- time.Since(began) })
		for range writes {
			if _, err := io.WriteString(w, "piece"); err != nil {
				s.failed <- err
				panic(http.ErrAbortHandler)
			}
		}
	})
	withAfter := func(ctx context.Context, after func(func())) context.Context {
		return context.WithValue(ctx, afterKey{}, after)
	}
	timeout := lambdahttp.ReaderTimeout{Write: readerTimeout, Abandon: func() { s.abandoned <- time.Since(began) }}
	var err error
	s.LambdaFunctionURLStreamingResponse, err = lambdahttp.Stream(h, withAfter, timeout)(t.Context(), signedRequest())
	require.NoError(t, err)
	return s
}

// A stalled reader is cut off after one timeout. The runtime is notified if it
// still reads; otherwise the instance is abandoned.
func TestStalledReaderIsCutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := send(t, 2)
		require.ErrorIs(t, <-s.failed, io.ErrClosedPipe)
		require.Equal(t, 2*readerTimeout, <-s.released)
		require.Equal(t, 2*readerTimeout, <-s.abandoned)
	})
	synctest.Test(t, func(t *testing.T) {
		s := send(t, 2)
		require.ErrorIs(t, <-s.failed, io.ErrClosedPipe)
		_, err := io.ReadAll(s.Body)
		require.ErrorContains(t, err, "write response failed")
		require.NoError(t, s.Close())
		require.Equal(t, readerTimeout, <-s.released)
		require.Empty(t, s.abandoned)
	})
}

// A slow reader is not cut off, and the work after the response is done before the runtime
// requests the next invocation, and not earlier.
func TestSlowReaderIsNotCutOff(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := send(t, 3)
		piece := make([]byte, 5)
		for range 3 {
			<-time.After(readerTimeout - time.Second)
			_, err := io.ReadFull(s.Body, piece)
			require.NoError(t, err)
		}
		rest, err := io.ReadAll(s.Body)
		require.NoError(t, err)
		require.Empty(t, rest)
		synctest.Wait()
		require.Empty(t, s.released, "the slot is kept while the runtime still sends")
		require.NoError(t, s.Close())
		require.Len(t, s.released, 1)
		require.Empty(t, s.abandoned)
	})
}

// A complete response that the runtime cannot send blocks its instance for a limited time
// only.
func TestUnsentResponseIsAbandoned(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := send(t, 1)
		_, err := io.ReadAll(s.Body)
		require.NoError(t, err)
		require.Equal(t, 10*readerTimeout, <-s.released)
		require.Equal(t, 10*readerTimeout, <-s.abandoned)
	})
}

// The size of a write does not matter: only a slow reader times out.
func TestLargeWriteDoesNotTimeOut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const size = 1 << 20
		h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			n, err := w.Write(make([]byte, size))
			if err != nil || n != size {
				panic(http.ErrAbortHandler)
			}
		})
		s, err := lambdahttp.Stream(h, noFinisher, lambdahttp.ReaderTimeout{Write: readerTimeout, Abandon: func() {}})(t.Context(), signedRequest())
		require.NoError(t, err)
		piece := make([]byte, 64<<10)
		for range size / len(piece) {
			<-time.After(readerTimeout - time.Second)
			_, err := io.ReadFull(s.Body, piece)
			require.NoError(t, err)
		}
		rest, err := io.ReadAll(s.Body)
		require.NoError(t, err)
		require.Empty(t, rest)
		require.NoError(t, s.Close())
	})
}

func TestReaderTimeoutIsRequired(t *testing.T) {
	t.Parallel()
	require.NoError(t, (&lambdahttp.ReaderTimeout{Write: time.Second}).Validate())
	require.Error(t, (&lambdahttp.ReaderTimeout{}).Validate())
}
