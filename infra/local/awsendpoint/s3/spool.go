package s3

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
)

// maxMemoryUpload is up to how many bytes an upload is kept in memory until it is whole.
const maxMemoryUpload = 1 << 20

// bufferBody takes the body of an upload in before any of it goes on, as S3 does: the child
// makes room for all that is announced, and keeps what has come of a body that breaks off,
// with zeros behind it. release gives the room back.
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
		return nil, fmt.Errorf("make room for an upload: %w", err)
	}
	release = func() { _ = errors.Join(file.Close(), os.Remove(file.Name())) } // nobody needs it any more
	_, err = io.Copy(file, r.Body)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		release()
		return nil, fmt.Errorf("take an upload in: %w", err)
	}
	r.Body = io.NopCloser(file)
	return release, nil
}

func writeIncomplete(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = io.WriteString(w, "<Error><Code>IncompleteBody</Code><Message>fewer bytes have come than were announced</Message></Error>") // the client has gone
}
