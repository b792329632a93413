package conformance

import (
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/lambdaapi"
	"github.com/loadbay/loadbay/infra/local/lambdahost"
)

// functionTimeout is the timeout of the function under test.
const functionTimeout = 5 * time.Second

// setupFunctions hosts one function, with an event that selects its behaviour, and
// returns a client. At other endpoints the function would have to be deployed first.
func setupFunctions(t *testing.T) (*lambda.Client, *lambdahost.Host) {
	t.Helper()
	skipUnlessLocal(t)
	bin := t.TempDir()
	build := exec.Command("go", "build", "-tags", "lambda.norpc", "-o", filepath.Join(bin, "f", "bootstrap"), "../../local/lambdahost/testdata/function")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	host, err := lambdahost.New(lambdahost.Config{
		Functions: []lambdahost.Function{{Name: "f", Memory: 256, Timeout: functionTimeout, Concurrency: 1}},
		BinDir:    bin, TempDir: filepath.Join(bin, "tmp"),
		Output: func(string, []byte) {}, Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, host.Close(cleanupContext(t))) })
	return lambda.NewFromConfig(clientConfig(startEndpoint(t, awsendpoint.Config{Lambda: lambdaapi.Handler(host)}))), host
}

func TestLambdaInvoke(t *testing.T) {
	t.Parallel()
	client, host := setupFunctions(t)
	name := lambdahost.Name("f")

	for _, c := range []struct{ what, event, output, functionError string }{
		{"an answer", `{"Text":"hello"}`, `"Text":"hello"`, ""},
		{"no event", ``, `"Text":""`, ""},
		{"an error", `{"Do":"fail","Text":"no"}`, `{"errorMessage":"no","errorType":"errorString"}`, "Unhandled"},
		{"a panic", `{"Do":"panic","Text":"ouch"}`, `"errorMessage":"ouch"`, "Unhandled"},
		{"an exit", `{"Do":"exit"}`, `"errorType":"Runtime.ExitError"`, "Unhandled"},
		{"no end", `{"Do":"wait","Wait":60000000000}`, `Task timed out after 5.00 seconds`, "Unhandled"},
		{"an answer after all that", `{"Text":"hello"}`, `"Text":"hello"`, ""},
	} {
		out, err := client.Invoke(t.Context(), &lambda.InvokeInput{FunctionName: &name, Payload: []byte(c.event)})
		require.NoError(t, err, c.what)
		require.EqualValues(t, 200, out.StatusCode, c.what)
		require.Contains(t, string(out.Payload), c.output, c.what)
		if c.functionError == "" {
			require.Nil(t, out.FunctionError, c.what)
			continue
		}
		require.Equal(t, c.functionError, *out.FunctionError, c.what)
	}

	before := host.Stats()["f"].Invocations
	out, err := client.Invoke(t.Context(), &lambda.InvokeInput{FunctionName: &name, InvocationType: types.InvocationTypeEvent})
	require.NoError(t, err)
	require.EqualValues(t, 202, out.StatusCode)
	require.Eventually(t, func() bool { return host.Stats()["f"].Invocations == before+1 }, waitTimeout, time.Millisecond)
}

func TestLambdaErrors(t *testing.T) {
	t.Parallel()
	client, _ := setupFunctions(t)
	for want, in := range map[string]struct{ name, payload string }{
		"ResourceNotFoundException":      {lambdahost.Name("g"), `{}`},
		"InvalidRequestContentException": {lambdahost.Name("f"), `{`},
		"RequestTooLargeException":       {lambdahost.Name("f"), `"` + strings.Repeat("x", lambdahost.MaxPayload) + `"`},
	} {
		_, err := client.Invoke(t.Context(), &lambda.InvokeInput{FunctionName: &in.name, Payload: []byte(in.payload)})
		var fault smithy.APIError
		require.ErrorAs(t, err, &fault)
		require.Equal(t, want, fault.ErrorCode())
	}
}

func TestLambdaThrottles(t *testing.T) {
	t.Parallel()
	client, host := setupFunctions(t)
	name := lambdahost.Name("f")
	ended, letGo := make(chan error, 1), filepath.Join(t.TempDir(), "go")
	go func() {
		_, err := client.Invoke(t.Context(), &lambda.InvokeInput{FunctionName: &name, Payload: fmt.Appendf(nil, `{"Do":"hold","Text":%q}`, letGo)})
		ended <- err
	}()
	require.Eventually(t, func() bool { return host.Stats()["f"].Busy == 1 }, waitTimeout, time.Millisecond)
	_, err := client.Invoke(t.Context(), &lambda.InvokeInput{FunctionName: &name})
	var throttled *types.TooManyRequestsException
	require.ErrorAs(t, err, &throttled)
	require.NoError(t, os.WriteFile(letGo, nil, 0o600))
	require.NoError(t, <-ended)
}
