package client_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
)

const someID = "01a1f9e7-1bde-7bf8-ac8c-500f93581dd4"

// newFakeServer starts a server that fails in the way the test needs. The real server is tested
// by infra/tests.
func newFakeServer(t *testing.T, handle http.HandlerFunc, options ...client.Option) (*client.Client, string) {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	c, err := client.New(server.URL, append([]client.Option{client.WithToken("secret")}, options...)...)
	require.NoError(t, err)
	return c, server.URL
}

func TestInvalidAddressesAreRejected(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "loadbay", "ftp://loadbay.example.org", "http://", "://"} {
		_, err := client.New(address)
		require.ErrorContains(t, err, "is not the URL of an installation", address)
	}
}

func TestProblemResponsesAreErrors(t *testing.T) {
	t.Parallel()
	c, _ := newFakeServer(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusNotAcceptable)
		_, _ = io.WriteString(w, `{"type":"x","title":"Not Acceptable","status":406,"code":"MAPPING_INCOMPLETE","detail":"Not all is known.",
			"instance":"/","requestId":"r1","errors":[{"field":"EMAIL","code":"REQUIRED_COLUMN","message":"Select the column for: Email."}]}`)
	})
	_, err := client.Read[api.ImportJob](c.API.ConfirmColumns(t.Context(), someID, nil))
	var e *client.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, 406, e.Status)
	require.Equal(t, "r1", e.RequestID)
	require.Equal(t, "Not all is known.\n  EMAIL: Select the column for: Email.", e.Error())
	require.True(t, client.HasCode(fmt.Errorf("wrapped: %w", err), "MAPPING_INCOMPLETE"))
	require.True(t, client.HasStatus(err, http.StatusNotAcceptable))
	require.False(t, client.HasCode(io.EOF, "MAPPING_INCOMPLETE"))
}

func TestGatewayErrorMessage(t *testing.T) {
	t.Parallel()
	body := `{"message":"Unauthorized"}`
	c, _ := newFakeServer(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, body)
	})
	err := client.Do(c.API.GetImport(t.Context(), someID, nil))
	require.EqualError(t, err, "The server responded with 401 Unauthorized: Unauthorized")
	body = "<html>"
	err = client.Do(c.API.GetImport(t.Context(), someID, nil))
	require.EqualError(t, err, "The server responded with 401 Unauthorized.")
}

// A request that the server may already have carried out is repeated only if that is harmless.
func TestRetriedRequests(t *testing.T) {
	t.Parallel()
	key := "k"
	for name, c := range map[string]struct {
		status int
		call   func(context.Context, *client.Client) (*http.Response, error)
		want   int32
	}{
		"GET request": {502, func(ctx context.Context, c *client.Client) (*http.Response, error) {
			return c.API.GetImport(ctx, someID, nil)
		}, 3},
		"POST with an idempotency key": {502, func(ctx context.Context, c *client.Client) (*http.Response, error) {
			return c.API.CreateImport(ctx, &api.CreateImportParams{IdempotencyKey: &key}, api.Creation{})
		}, 3},
		"POST without an idempotency key": {502, func(ctx context.Context, c *client.Client) (*http.Response, error) {
			return c.API.StartImport(ctx, someID)
		}, 1},
		"service unavailable": {503, func(ctx context.Context, c *client.Client) (*http.Response, error) {
			return c.API.StartImport(ctx, someID)
		}, 3},
		"quota exceeded": {429, func(ctx context.Context, c *client.Client) (*http.Response, error) {
			return c.API.StartImport(ctx, someID)
		}, 3},
		"request refused": {409, func(ctx context.Context, c *client.Client) (*http.Response, error) {
			return c.API.StartImport(ctx, someID)
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int32
			caller, _ := newFakeServer(t, func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil || r.Header.Get("Idempotency-Key") != "" && len(body) == 0 {
					t.Error("the retried request has no body", err)
				}
				calls.Add(1)
				w.WriteHeader(c.status)
			}, client.WithAttempts(3))
			resp, err := c.call(t.Context(), caller)
			require.True(t, client.HasStatus(client.Do(resp, err), c.status), "%v", err)
			require.Equal(t, c.want, calls.Load())
		})
	}
}

func TestPagesReadsAllPages(t *testing.T) {
	t.Parallel()
	c, _ := newFakeServer(t, func(w http.ResponseWriter, r *http.Request) {
		page, _ := strconv.Atoi(r.URL.Query().Get("page"))
		if page < 2 {
			w.Header().Set("Link", fmt.Sprintf(`</api/imports?page=0>; rel="first", </api/imports?page=%d>; rel="next"`, page+1))
		}
		w.Header().Set("X-Total-Count", "3")
		_ = json.NewEncoder(w).Encode([]map[string]any{{"identifier": someID, "totalRows": page}})
	})
	var seen []int64
	for job, err := range client.Pages[api.ImportJob](t.Context(), c)(c.API.ListImports(t.Context(), nil)) {
		require.NoError(t, err)
		seen = append(seen, job.TotalRows)
	}
	require.Equal(t, []int64{0, 1, 2}, seen)
}

// A response must not be able to redirect the token to another origin.
func TestTokenIsNotSentToOtherOrigins(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		require.Empty(t, r.Header.Get("Authorization"))
		_, _ = io.WriteString(w, "the file")
	}))
	t.Cleanup(other.Close)
	c, _ := newFakeServer(t, func(w http.ResponseWriter, r *http.Request) {
		require.Equal(t, "Bearer secret", r.Header.Get("Authorization"))
		if strings.HasSuffix(r.URL.Path, "errors.xlsx") {
			http.Redirect(w, r, other.URL, http.StatusFound)
			return
		}
		w.Header().Set("Link", "<"+other.URL+`/api/imports?page=1>; rel="next"`)
		_, _ = io.WriteString(w, "[]")
	})
	var file bytes.Buffer
	n, err := c.Save(t.Context(), &file)(c.API.DownloadErrorWorkbook(t.Context(), someID, nil))
	require.NoError(t, err)
	require.EqualValues(t, 8, n)
	require.Equal(t, "the file", file.String())
	for _, err = range client.Pages[api.ImportJob](t.Context(), c)(c.API.ListImports(t.Context(), nil)) {
	}
	require.ErrorContains(t, err, "not on")
}

// flakyPartStore receives the parts of a file and breaks off the first attempt at each part
// half-way.
type flakyPartStore struct {
	mu       sync.Mutex
	parts    map[string][]byte
	attempts map[string]int
}

func (s *flakyPartStore) putPart(r *http.Request) {
	s.mu.Lock()
	s.attempts[r.URL.Path]++
	first := s.attempts[r.URL.Path] == 1
	s.mu.Unlock()
	if first {
		_, _ = io.CopyN(io.Discard, r.Body, r.ContentLength/2)
		panic(http.ErrAbortHandler)
	}
	part, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parts[r.URL.Path] = part
}

func TestInterruptedPartsAreRetried(t *testing.T) {
	t.Parallel()
	const size, partSize = 3<<20 + 17, 1 << 20
	file := make([]byte, size)
	_, _ = rand.Read(file)
	s := &flakyPartStore{parts: map[string][]byte{}, attempts: map[string]int{}}
	var completed atomic.Bool
	var address string
	c, address := newFakeServer(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPut:
			s.putPart(r)
		case strings.HasSuffix(r.URL.Path, "/upload/complete"):
			completed.Store(true)
			w.WriteHeader(http.StatusAccepted)
		default:
			parts := make([]map[string]any, 4)
			for i := range parts {
				parts[i] = map[string]any{"partNumber": i + 1, "url": fmt.Sprintf("%s/parts/%d", "http://"+r.Host, i+1)}
			}
			w.WriteHeader(http.StatusCreated)
			_ = json.NewEncoder(w).Encode(map[string]any{"identifier": someID, "upload": map[string]any{"uploadId": "u", "partSizeBytes": partSize, "parts": parts}})
		}
	}, client.WithAttempts(3))
	require.NotEmpty(t, address)
	var last int64
	_, err := c.Import(t.Context(), "", api.Creation{Filename: "a.csv", ImportType: "USER"}, bytes.NewReader(file), size, func(sent, total int64) {
		last = sent
		if sent > total {
			t.Errorf("%d of %d bytes", sent, total)
		}
	})
	require.NoError(t, err)
	require.True(t, completed.Load())
	require.EqualValues(t, size, last)
	var whole []byte
	for i := range 4 {
		whole = append(whole, s.parts[fmt.Sprintf("/parts/%d", i+1)]...)
	}
	require.True(t, bytes.Equal(file, whole))
}

func TestWaitSendsETag(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	c, _ := newFakeServer(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"1"`)
		switch asked.Add(1) {
		case 1:
			_, _ = io.WriteString(w, `{"status":"PROCESSING"}`)
		case 2:
			require.Equal(t, `"1"`, r.Header.Get("If-None-Match"))
			w.WriteHeader(http.StatusNotModified)
		default:
			_, _ = io.WriteString(w, `{"status":"COMPLETED"}`)
		}
	})
	states := 0
	job, err := c.Wait(t.Context(), someID, func(*api.ImportJob) { states++ })
	require.NoError(t, err)
	require.Equal(t, api.StatusCOMPLETED, job.Status)
	require.Equal(t, 2, states)

	stopped, stop := context.WithCancelCause(t.Context())
	stop(errors.New("the user has gone"))
	_, err = c.Wait(stopped, someID, nil)
	require.Error(t, err)
}

// Resume sends only the missing parts, and its progress starts from the parts already uploaded.
func TestResumeSendsMissingParts(t *testing.T) {
	t.Parallel()
	const partSize = 5 << 20
	file := bytes.Repeat([]byte("0123456789"), 3*partSize/10)
	var sent, completed []string
	c, _ := newFakeServer(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Method == http.MethodPut:
			_, _ = io.Copy(io.Discard, r.Body)
			sent = append(sent, r.URL.Path)
		case r.Method == http.MethodPost:
			completed = append(completed, r.URL.Query().Get("uploadId"))
			w.WriteHeader(http.StatusAccepted)
		default:
			_ = json.NewEncoder(w).Encode(map[string]any{
				"sizeBytes": len(file), "arrivedBytes": 2 * partSize, "arrivedParts": []int{1, 3},
				"upload": map[string]any{"uploadId": "u", "partSizeBytes": partSize, "parts": []any{map[string]any{"partNumber": 2, "url": "http://" + r.Host + "/parts/2"}}},
			})
		}
	})
	var first, last int64
	require.NoError(t, c.Resume(t.Context(), someID, bytes.NewReader(file), int64(len(file)), func(sent, _ int64) {
		if first == 0 {
			first = sent
		}
		last = sent
	}))
	require.Equal(t, []string{"/parts/2"}, sent)
	require.Equal(t, []string{"u"}, completed)
	require.GreaterOrEqual(t, first, int64(2*partSize))
	require.Equal(t, int64(len(file)), last)
	require.ErrorContains(t, c.Resume(t.Context(), someID, bytes.NewReader(file[1:]), int64(len(file)-1), nil), "bytes")
}

// Decide asks each question once: a program whose answers do not suffice must not loop.
func TestDecideEndsWithoutSufficientAnswers(t *testing.T) {
	t.Parallel()
	var asked []string
	c, _ := newFakeServer(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.Method + " " + strings.TrimPrefix(r.URL.Path, "/api/imports/"+someID) {
		case "GET ":
			_, _ = io.WriteString(w, `{"status":"CELL_MAPPING","waitingFor":"CELL_MAPPINGS"}`)
		case "GET /cell-mappings":
			_, _ = io.WriteString(w, `[{"id":3,"sourceValue":"Sen."},{"id":4,"sourceValue":"Jun.","confirmed":true}]`)
		case "PUT /cell-mappings":
			body, _ := io.ReadAll(r.Body)
			asked = append(asked, string(body))
			_, _ = io.WriteString(w, `[]`)
		default:
			_, _ = io.WriteString(w, `{}`)
		}
	})
	_, err := c.Decide(t.Context(), someID, func(q client.Question) client.Answer {
		require.Equal(t, "Sen.", q.Value.SourceValue)
		return client.Answer{Value: &api.CellAnswer{Create: new(true)}}
	})
	require.ErrorIs(t, err, client.ErrUndecided)
	require.Equal(t, []string{`[{"create":true,"id":3}]`}, asked)
}
