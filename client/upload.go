package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/go-retryablehttp"
	"golang.org/x/sync/errgroup"

	"github.com/loadbay/loadbay/client/api"
)

// Progress receives the number of bytes sent and their total. It is called often, and by one
// goroutine at a time. A nil Progress is never called.
type Progress func(sent, total int64)

// parallelParts is the number of parts uploaded concurrently.
const parallelParts = 4

// uploadTarget is the API's description of the upload addresses.
type uploadTarget interface {
	AsPartsUpload() (api.PartsUpload, error)
	AsUpload() (api.Upload, error)
}

// sendFile uploads the file of an import to the addresses that the API returned.
func (c *Client) sendFile(ctx context.Context, id string, to uploadTarget, file Source, meter *progressMeter) error {
	parts, err := to.AsPartsUpload()
	if err != nil || parts.UploadID == "" {
		whole, err := to.AsUpload()
		if err != nil {
			return fmt.Errorf("where to: %w", err)
		}
		return c.putPiece(ctx, whole.URL, whole.Headers, fileSection(file, 0, meter.total), meter)
	}
	group, each := errgroup.WithContext(ctx)
	group.SetLimit(parallelParts)
	for _, part := range parts.Parts {
		at := int64(part.PartNumber-1) * parts.PartSizeBytes
		group.Go(func() error {
			return c.putPiece(each, part.URL, nil, fileSection(file, at, min(parts.PartSizeBytes, meter.total-at)), meter)
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return Do(c.API.CompleteUpload(ctx, id, &api.CompleteUploadParams{UploadID: parts.UploadID}))
}

func fileSection(file Source, at, length int64) *io.SectionReader {
	return io.NewSectionReader(file, at, length)
}

// putPiece uploads a piece of a file to an address. It retries from the start of the piece.
func (c *Client) putPiece(ctx context.Context, address string, headers map[string]string, piece *io.SectionReader, m *progressMeter) error {
	sent := new(atomic.Int64)
	body := func() (io.Reader, error) {
		m.add(-sent.Swap(0)) // sent by an earlier attempt
		if _, err := piece.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		return &countingReader{Reader: piece, sent: sent, meter: m}, nil
	}
	r, err := retryablehttp.NewRequestWithContext(context.WithValue(ctx, repeatableKey{}, true), http.MethodPut, address, retryablehttp.ReaderFunc(body))
	if err != nil {
		return err
	}
	r.ContentLength = piece.Size()
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	resp, err := c.fileClient.Do(r)
	if err != nil {
		return err
	}
	if resp.StatusCode == http.StatusPreconditionFailed {
		return resp.Body.Close() // uploaded by an attempt that lost its response
	}
	return Do(resp, nil)
}

// countingReader counts the bytes read from a piece.
type countingReader struct {
	io.Reader
	sent  *atomic.Int64
	meter *progressMeter
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.sent.Add(int64(n))
	c.meter.add(int64(n))
	return n, err
}

// progressMeter adds up the bytes sent over all pieces of a file.
type progressMeter struct {
	mu          sync.Mutex
	sent, total int64
	onProgress  Progress
}

func (m *progressMeter) add(n int64) {
	if m.onProgress == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sent += n
	m.onProgress(m.sent, m.total)
}
