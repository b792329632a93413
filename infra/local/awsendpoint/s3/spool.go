package s3

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
)

// maxMemoryUpload is the maximum size of an upload that is buffered in memory, in bytes.
const maxMemoryUpload = 1 << 20

// bufferBody reads the complete body of an upload before forwarding it, as S3 does: the child
// allocates the announced size, and would store an interrupted body padded with zeros. release
// frees the buffer.
func bufferBody(r *http.Request) (release func(), err error) {
	if r.Method != http.MethodPut || r.ContentLength <= 0 {
		return func() {}, nil
	}
	if r.ContentLength <= maxMemoryUpload {
		body, err := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		return func() {}, err
	}
	file, err := os.CreateTemp("", "loadbay-upload-*")
	if err != nil {
		return nil, fmt.Errorf("create upload file: %w", err)
	}
	release = func() { _ = errors.Join(file.Close(), os.Remove(file.Name())) } // a temporary file; errors do not matter
	_, err = io.Copy(file, r.Body)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		release()
		return nil, fmt.Errorf("receive upload: %w", err)
	}
	r.Body = io.NopCloser(file)
	return release, nil
}

func writeIncomplete(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = io.WriteString(w, "<Error><Code>IncompleteBody</Code><Message>received fewer bytes than announced</Message></Error>") // the client has disconnected
}
