package awsjson_test

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
)

// service implements awsjson.Service with a function.
type service func(operation string, input []byte) (any, error)

func (service) Target() string { return "Service" }

func (s service) Call(_ context.Context, operation string, input []byte) (any, error) {
	return s(operation, input)
}

func post(s service, body string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	r.Header.Set("X-Amz-Target", "Service.Do")
	w := httptest.NewRecorder()
	awsjson.Handler(s).ServeHTTP(w, r)
	return w
}

func TestResponse(t *testing.T) {
	t.Parallel()
	w := post(func(operation string, input []byte) (any, error) {
		return map[string]string{"did": operation + string(input)}, nil
	}, `1`)
	require.Equal(t, http.StatusOK, w.Code)
	require.Equal(t, `{"did":"Do1"}`, w.Body.String())
	require.Equal(t, "application/x-amz-json-1.0", w.Header().Get("Content-Type"))
	require.Equal(t, strconv.FormatUint(uint64(crc32.ChecksumIEEE([]byte(`{"did":"Do1"}`))), 10), w.Header().Get("X-Amz-Crc32"))
	require.NotEmpty(t, w.Header().Get("X-Amzn-RequestId"))
	require.Equal(t, `{}`, post(func(string, []byte) (any, error) { return nil, nil }, `{}`).Body.String())
}

func TestErrors(t *testing.T) {
	t.Parallel()
	fault := &awsjson.Error{Code: "ns#Code", Message: "why", Query: "Old.Code;Sender", Fields: map[string]any{"Item": 1}}
	for name, test := range map[string]struct {
		err    error
		status int
		want   string
	}{
		"fault":         {fault, 400, `{"Item":1,"__type":"ns#Code","message":"why"}`},
		"wrapped error": {fmt.Errorf("do: %w", fault), 400, `{"Item":1,"__type":"ns#Code","message":"why"}`},
		"other error":   {errors.New("disk on fire"), 500, `{"__type":"InternalServerError","message":"disk on fire"}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := post(func(string, []byte) (any, error) { return nil, test.err }, `{}`)
			require.Equal(t, test.status, w.Code)
			require.JSONEq(t, test.want, w.Body.String())
		})
	}
	w := post(func(string, []byte) (any, error) { return nil, fault }, `{}`)
	require.Equal(t, "Old.Code;Sender", w.Header().Get("x-amzn-query-error"))
}

func TestDecodeStrict(t *testing.T) {
	t.Parallel()
	var in struct{ Name string }
	require.NoError(t, awsjson.DecodeStrict("S", []byte(`{"Name":"x"}`), &in))
	require.Equal(t, "x", in.Name)
	require.ErrorContains(t, awsjson.DecodeStrict("S", []byte(`{"Name":"x","Mood":1}`), &in), `the local S does not implement the member "Mood"`)
	require.ErrorContains(t, awsjson.DecodeStrict("S", []byte(`{"Name":1}`), &in), "SerializationException")
	require.ErrorContains(t, awsjson.DecodeStrict("S", []byte(`{`), &in), "SerializationException")
}

func TestLargeRequestsAreRefused(t *testing.T) {
	t.Parallel()
	w := post(func(string, []byte) (any, error) { return nil, nil }, strings.Repeat(" ", 9<<20))
	require.Equal(t, http.StatusBadRequest, w.Code)
	require.Contains(t, w.Body.String(), "RequestEntityTooLarge")
}
