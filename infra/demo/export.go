package demo

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

// exportLarge exports more than one response can hold, in both possible ways: all users of the
// sample file and of the large one.
func (d *demo) exportLarge(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	fmt.Fprintln(d.out, "\n── export of all users")
	const want = 99_962 // 99,960 of the large file and 2 of the sample
	began := time.Now()
	records, streamed, err := d.api.Stream(ctx, "users", "csv")
	if err != nil {
		return fmt.Errorf("stream all users: %w", err)
	}
	fmt.Fprintf(d.out, "   GET /v1/exports?resource=users&format=csv: stream of %d records; %d bytes after %s\n", records, len(streamed), time.Since(began).Round(10*time.Millisecond))
	began = time.Now()
	e, file, err := d.api.Export(ctx, rawclient.ExportRequest{Resource: "users", Format: "csv"}, 20*time.Millisecond)
	if err != nil {
		return fmt.Errorf("export all users: %w", err)
	}
	fmt.Fprintf(d.out, "   POST /v1/exports: %s, %d records; %d bytes downloaded after %s\n", e.Status, e.RecordCount, len(file), time.Since(began).Round(10*time.Millisecond))
	if e.RecordCount != want || records != want || !bytes.Equal(file, streamed) {
		return fmt.Errorf("export %s has %d records in %d bytes, the stream %d in %d; expected %d in the same bytes", e.JobID, e.RecordCount, len(file), records, len(streamed), want)
	}
	return nil
}
