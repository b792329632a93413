package lambdaapi_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/loadbay/loadbay/shared/aws/sdkhttp"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/lambdaapi"
)

// fakeInvoker has a few functions with fixed behaviour, selected by name.
type fakeInvoker struct{ events chan string }

func (f *fakeInvoker) Invoke(_ context.Context, function string, payload []byte) ([]byte, string, error) {
	switch function {
	case "echo", "arn:aws:lambda:us-east-1:000000000000:function:echo":
		return payload, "", nil
	case "failing":
		return []byte(`{"errorType":"E","errorMessage":"m"}`), "Unhandled", nil
	case "busy":
		return nil, "", awsjson.Errorf("TooManyRequestsException", "Rate Exceeded.")
	case "broken":
		return nil, "", errors.New("no process could be started")
	}
	return nil, "", awsjson.Errorf("ResourceNotFoundException", "Function not found: %s", function)
}

func (f *fakeInvoker) InvokeAsync(_ context.Context, function string, event []byte) error {
	f.events <- function + " " + string(event)
	return nil
}

func setup(t *testing.T) (*lambda.Client, *fakeInvoker) {
	t.Helper()
	f := &fakeInvoker{events: make(chan string, 1)}
	server := httptest.NewServer(lambdaapi.Handler(f))
	t.Cleanup(server.Close)
	return lambda.New(lambda.Options{
		BaseEndpoint: &server.URL, Region: "us-east-1", RetryMaxAttempts: 1, HTTPClient: sdkhttp.New(nil),
		Credentials: credentials.NewStaticCredentialsProvider("local", "locallocal", ""),
	}), f
}

func TestInvokeResponse(t *testing.T) {
	t.Parallel()
	client, _ := setup(t)
	for _, name := range []string{"echo", "arn:aws:lambda:us-east-1:000000000000:function:echo"} {
		out, err := client.Invoke(t.Context(), &lambda.InvokeInput{FunctionName: &name, Payload: []byte(`{"a":1}`)})
		require.NoError(t, err)
		require.Equal(t, `{"a":1}`, string(out.Payload))
		require.EqualValues(t, 200, out.StatusCode)
		require.Equal(t, "$LATEST", *out.ExecutedVersion)
		require.Nil(t, out.FunctionError)
	}
	out, err := client.Invoke(t.Context(), &lambda.InvokeInput{FunctionName: aws.String("failing")})
	require.NoError(t, err)
	require.Equal(t, "Unhandled", *out.FunctionError)
	require.JSONEq(t, `{"errorType":"E","errorMessage":"m"}`, string(out.Payload))
}

func TestAsyncInvocationIsAccepted(t *testing.T) {
	t.Parallel()
	client, f := setup(t)
	out, err := client.Invoke(t.Context(), &lambda.InvokeInput{
		FunctionName: aws.String("echo"), InvocationType: types.InvocationTypeEvent, Payload: []byte(`{"a":1}`),
	})
	require.NoError(t, err)
	require.EqualValues(t, 202, out.StatusCode)
	require.Equal(t, `echo {"a":1}`, <-f.events)
}

func TestInvalidRequestsAreRefused(t *testing.T) {
	t.Parallel()
	client, _ := setup(t)
	for want, in := range map[string]*lambda.InvokeInput{
		"ResourceNotFoundException":      {FunctionName: aws.String("nothing")},
		"TooManyRequestsException":       {FunctionName: aws.String("busy")},
		"ServiceException":               {FunctionName: aws.String("broken")},
		"InvalidRequestContentException": {FunctionName: aws.String("echo"), Payload: []byte("{")},
		"RequestTooLargeException":       {FunctionName: aws.String("echo"), Payload: []byte(`"` + strings.Repeat("x", 8<<20) + `"`)},
	} {
		_, err := client.Invoke(t.Context(), in)
		var fault smithy.APIError
		require.ErrorAs(t, err, &fault)
		require.Equal(t, want, fault.ErrorCode())
	}
}

func TestUnsupportedOptionsAreNamed(t *testing.T) {
	t.Parallel()
	client, _ := setup(t)
	for want, in := range map[string]*lambda.InvokeInput{
		"the invocation type DryRun": {FunctionName: aws.String("echo"), InvocationType: types.InvocationTypeDryRun},
		"the log type Tail":          {FunctionName: aws.String("echo"), LogType: types.LogTypeTail},
		"the client context":         {FunctionName: aws.String("echo"), ClientContext: aws.String("e30=")},
		"aliases: live":              {FunctionName: aws.String("echo"), Qualifier: aws.String("live")},
	} {
		_, err := client.Invoke(t.Context(), in)
		require.ErrorContains(t, err, want)
	}
	_, err := client.ListFunctions(t.Context(), &lambda.ListFunctionsInput{})
	require.ErrorContains(t, err, "the local Lambda does not implement GET /2015-03-31/functions")
}
