package client_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
)

// A failed export returns an error with its job and saves nothing.
func TestFailedExportReturnsError(t *testing.T) {
	t.Parallel()
	keys := map[string]bool{}
	c, _ := newFakeServer(t, func(w http.ResponseWriter, r *http.Request) {
		keys[r.Header.Get("Idempotency-Key")] = r.Method == http.MethodPost
		if len(keys) == 1 && r.Method == http.MethodPost {
			w.WriteHeader(http.StatusAccepted)
		}
		_, _ = io.WriteString(w, `{"job_id":"`+someID+`","status":"failed","failure_reason":"It is too large."}`)
	})
	var file bytes.Buffer
	_, err := c.Export(t.Context(), "", client.ExportRequest{ResourceType: "users"}, &file, nil)
	var ended *client.ExportError
	require.ErrorAs(t, err, &ended)
	require.EqualError(t, err, "export "+someID+" is failed: It is too large.")
	require.Equal(t, api.ExportJobStatusFailed, ended.Job.Status)
	require.Zero(t, file.Len())
	require.Len(t, keys, 2, "only the requests that create an export have an idempotency key")
}

// Import sends the file's checksum, and refuses a file that has become shorter.
func TestImportSendsChecksum(t *testing.T) {
	t.Parallel()
	file := []byte("email\nada@example.org\n")
	var announced api.Creation
	c, _ := newFakeServer(t, func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&announced); err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(w, `{"identifier":"`+someID+`"}`)
	})
	_, err := c.Import(t.Context(), "", api.Creation{Filename: "a.csv", ImportType: "USER"}, bytes.NewReader(file), int64(len(file)), nil)
	require.NoError(t, err)
	sum := sha256.Sum256(file)
	require.Equal(t, hex.EncodeToString(sum[:]), *announced.Sha256)
	require.EqualValues(t, len(file), announced.SizeBytes)

	announced = api.Creation{}
	_, err = c.Import(t.Context(), "", api.Creation{Filename: "a.csv", ImportType: "USER"}, bytes.NewReader(file), int64(len(file))+1, nil)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
	require.Empty(t, announced.Filename)
}
