package demo

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/loadbay/loadbay/infra/local/client"
)

// largeExport writes more than one answer can carry: all users, those of the
// sample file and those of the large one.
func (d *demo) largeExport(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	fmt.Fprintln(d.out, "\n── export of all users")
	_, _, err := d.api.Stream(ctx, "users", "csv")
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Status != http.StatusRequestEntityTooLarge {
		return fmt.Errorf("stream of all users: expected HTTP 413, got %v", err) // which may be nil
	}
	fmt.Fprintf(d.out, "   GET /v1/exports?resource=users&format=csv: %v\n", refused)
	began := time.Now()
	e, file, err := d.api.Export(ctx, client.Selection{Resource: "users", Format: "csv"}, 20*time.Millisecond)
	if err != nil {
		return fmt.Errorf("export all users: %w", err)
	}
	fmt.Fprintf(d.out, "   POST /v1/exports: %s, %d records; %d bytes downloaded after %s\n", e.Status, e.RecordCount, len(file), time.Since(began).Round(10*time.Millisecond))
	if want := int64(99_962); e.RecordCount != want { // 99,960 of the large file and 2 of the sample
		return fmt.Errorf("export %s has %d records; expected %d", e.JobID, e.RecordCount, want)
	}
	return nil
}
