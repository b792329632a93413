package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/iam"
	"github.com/loadbay/loadbay/infra/local/gateway"
	"github.com/loadbay/loadbay/infra/local/lambdahost"
	"github.com/loadbay/loadbay/shared/aws/signedurl"
)

// fakeStreamer is a function that responds with body and then fails with broken, or
// fails with refused without responding.
type fakeStreamer struct {
	body         string
	err, refused error
	event        events.LambdaFunctionURLRequest
}

func (s *fakeStreamer) InvokeStream(_ context.Context, _ string, payload []byte) (*lambdahost.Stream, error) {
	if s.refused != nil {
		return nil, s.refused
	}
	err := json.Unmarshal(payload, &s.event)
	return &lambdahost.Stream{Body: io.NopCloser(io.MultiReader(strings.NewReader(s.body), failingReader{s.err}))}, err
}

// failingReader is a reader that only returns its error.
type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}

// signedURL serves a function URL and returns a signed one.
func signedURL(t *testing.T, s *fakeStreamer, key string) (signed *url.URL) {
	t.Helper()
	callers, err := iam.New(iam.Config{AccessKey: "local", SecretKey: "secret", Deployment: blueprint.LocalDeployment()})
	require.NoError(t, err)
	server := httptest.NewServer(gateway.NewFunctionURLs([]string{"stream"}, s, callers, slog.New(slog.DiscardHandler)))
	t.Cleanup(server.Close)
	signer, err := signedurl.New(server.URL+awsendpoint.FunctionURLPath+"stream/", aws.Config{
		Region: lambdahost.Region, Credentials: credentials.NewStaticCredentialsProvider("local", key, ""),
	})
	require.NoError(t, err)
	text, err := signer.Sign(t.Context(), url.Values{"organisation": {"1"}, "filters": {`{"a":["ä b+c/d"]}`}})
	require.NoError(t, err)
	signed, err = url.Parse(text)
	require.NoError(t, err)
	return signed
}

func get(t *testing.T, u *url.URL) (*http.Response, string, error) {
	t.Helper()
	resp, err := http.Get(u.String())
	require.NoError(t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp, string(text), err
}

const bodyStart = `{"statusCode":201,"headers":{"X-Total-Count":"7"}}` + "\x00\x00\x00\x00\x00\x00\x00\x00"

func TestSignedURLStreams(t *testing.T) {
	t.Parallel()
	s := &fakeStreamer{body: bodyStart + "file"}
	resp, text, err := get(t, signedURL(t, s, "secret"))
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, resp.StatusCode)
	require.Equal(t, "7", resp.Header.Get("X-Total-Count"))
	require.Equal(t, "file", text)
	require.Equal(t, "/", s.event.RawPath)
	require.NotEmpty(t, s.event.RequestContext.Authorizer.IAM.UserARN)
	query, err := url.ParseQuery(s.event.RawQueryString)
	require.NoError(t, err)
	require.Equal(t, `{"a":["ä b+c/d"]}`, query.Get("filters"))
}

func TestWronglySignedURLIsForbidden(t *testing.T) {
	t.Parallel()
	changes := map[string]func(query url.Values){
		"no signature":        func(q url.Values) { q.Del("X-Amz-Signature") },
		"no signature at all": func(q url.Values) { clear(q) },
		"other organisation":  func(q url.Values) { q.Set("organisation", "2") },
		"more":                func(q url.Values) { q.Set("format", "xlsx") },
		"twice":               func(q url.Values) { q.Add("organisation", "2") },
		"less":                func(q url.Values) { q.Del("filters") },
		"longer":              func(q url.Values) { q.Set("X-Amz-Expires", "299") },
		"for ever":            func(q url.Values) { q.Set("X-Amz-Expires", "604800") },
		"another time":        func(q url.Values) { q.Set("X-Amz-Date", "20200101T000000Z") },
	}
	for name, change := range changes {
		signed := signedURL(t, &fakeStreamer{body: bodyStart}, "secret")
		query := signed.Query()
		change(query)
		signed.RawQuery = query.Encode()
		resp, _, err := get(t, signed)
		require.NoError(t, err)
		require.Equal(t, http.StatusForbidden, resp.StatusCode, name)
	}
	resp, _, err := get(t, signedURL(t, &fakeStreamer{body: bodyStart}, "other secret"))
	require.NoError(t, err)
	require.Equal(t, http.StatusForbidden, resp.StatusCode)
}

func TestBrokenResponseClosesConnection(t *testing.T) {
	t.Parallel()
	resp, text, err := get(t, signedURL(t, &fakeStreamer{body: bodyStart + "half", err: errors.New("broken")}, "secret"))
	require.Equal(t, http.StatusCreated, resp.StatusCode)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Equal(t, "half", text)
}

func TestFunctionURLErrors(t *testing.T) {
	t.Parallel()
	for status, s := range map[int]*fakeStreamer{
		http.StatusBadGateway:      {refused: &lambdahost.FunctionError{Document: []byte(`{}`)}},
		http.StatusTooManyRequests: {refused: awsjson.Errorf("TooManyRequestsException", "Rate Exceeded.")},
	} {
		resp, _, err := get(t, signedURL(t, s, "secret"))
		require.NoError(t, err)
		require.Equal(t, status, resp.StatusCode)
	}
	resp, _, err := get(t, signedURL(t, &fakeStreamer{body: "no prelude"}, "secret"))
	require.NoError(t, err)
	require.Equal(t, http.StatusBadGateway, resp.StatusCode)
	unknown := signedURL(t, &fakeStreamer{body: bodyStart}, "secret")
	unknown.Path = awsendpoint.FunctionURLPath + "api/"
	resp, _, err = get(t, unknown)
	require.NoError(t, err)
	require.Equal(t, http.StatusNotFound, resp.StatusCode)
}
