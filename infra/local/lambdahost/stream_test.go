package lambdahost_test

import (
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/lambdahost"
)

// prelude precedes the body of the function's stream.
const prelude = `{"statusCode":200}` + "\x00\x00\x00\x00\x00\x00\x00\x00"

func (b *harness) stream(event string) *lambdahost.Stream {
	b.t.Helper()
	s, err := b.InvokeStream(b.t.Context(), "f", []byte(event))
	require.NoError(b.t, err)
	require.Equal(b.t, "application/vnd.awslambda.http-integration-response", s.ContentType)
	return s
}

func TestResponseIsStreamed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.stream(fmt.Sprintf(`{"Do":"stream","Size":20000000,"Text":"wait","Wait":%d}`, time.Hour))
	n, err := io.CopyN(io.Discard, s.Body, int64(len(prelude)+20_000_000))
	require.NoError(t, err, "output arrives while the function still runs")
	require.EqualValues(t, len(prelude)+20_000_000, n)
	require.NoError(t, s.Body.Close())

	s = b.stream(`{"Do":"stream","Size":3}`)
	all, err := io.ReadAll(s.Body)
	require.NoError(t, err)
	require.Equal(t, prelude+"xxx", string(all))
}

func TestBrokenStreamReportsError(t *testing.T) {
	t.Parallel()
	for name, event := range map[string]string{
		"reader fails": `{"Do":"stream","Size":100000,"Text":"fail"}`,
		// More than a connection buffers, so that the beginning has certainly arrived.
		"process dies":           `{"Do":"stream","Size":20000000,"Text":"exit"}`,
		"function times out":     fmt.Sprintf(`{"Do":"stream","Size":100000,"Text":"wait","Wait":%d}`, time.Hour),
		"output above the limit": fmt.Sprintf(`{"Do":"stream","Size":%d}`, lambdahost.MaxStream),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, func(_ *lambdahost.Config, f *lambdahost.Function) {
				if name == "function times out" {
					f.Timeout = 3 * time.Second
				}
			})
			n, err := io.Copy(io.Discard, b.stream(event).Body)
			require.ErrorContains(t, err, "did not finish")
			require.LessOrEqual(t, n, int64(lambdahost.MaxStream))
		})
	}
}

func TestErrorInsteadOfStream(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, event := range []string{`{"Do":"fail","Text":"broken"}`, `{"Do":"exit"}`} {
		_, err := b.InvokeStream(t.Context(), "f", []byte(event))
		var fault *lambdahost.FunctionError
		require.ErrorAs(t, err, &fault)
		require.Contains(t, string(fault.Document), "errorType")
	}
	_, err := b.InvokeStream(t.Context(), "nobody", nil)
	require.Equal(t, "ResourceNotFoundException", errorCode(t, err))
}

func TestFunctionSurvivesClosedReader(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.stream(`{"Do":"stream","Size":1000000}`)
	require.NoError(t, s.Body.Close())
	require.Eventually(t, func() bool { f := b.Stats()["f"]; return f.Invocations == 1 && len(f.Failures) == 0 }, waitTimeout, 5*time.Millisecond)
}

func TestStreamingFunctionIsInvokable(t *testing.T) {
	t.Parallel()
	b := setup(t)
	out, functionError, err := b.Invoke(t.Context(), "f", []byte(`{"Do":"stream","Size":3}`))
	require.NoError(t, err)
	require.Empty(t, functionError)
	require.Equal(t, prelude+"xxx", string(out))
}
