package demo

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/loadbay/loadbay/infra/local/client"
)

// Articles and comments by users of the sample file, known by fixed ids.
const (
	authors = "id,email,name\n" +
		"00000000-0000-4000-8000-0000000000a1,ada@example.org,Ada Lovelace\n" +
		"00000000-0000-4000-8000-0000000000a2,alan@example.org,Alan Turing\n"
	articles = `{"id":"00000000-0000-4000-8000-0000000000b1","slug":"notes","title":"Notes on the engine","body":"=SUM(1) is text here.","author_id":"00000000-0000-4000-8000-0000000000a1","tags":["engine","a|b"],"status":"published"}` + "\n" +
		`{"slug":"computable-numbers","title":"On computable numbers","body":"…","author_id":"00000000-0000-4000-8000-0000000000a2"}` + "\n" +
		`{"slug":"nobody","title":"By nobody","body":"…","author_id":"00000000-0000-4000-8000-00000000dead"}` + "\n"
	comments = "body,article_id,user_id\n" +
		"Splendid,00000000-0000-4000-8000-0000000000b1,00000000-0000-4000-8000-0000000000a2\n" +
		"+1,00000000-0000-4000-8000-0000000000b1,00000000-0000-4000-8000-0000000000a1\n"
)

// publications imports types that refer to each other.
func (d *demo) publications(ctx context.Context) error {
	for _, f := range []struct {
		importType, name, file string
		want                   client.Summary
	}{
		{"USER", "authors.csv", authors, client.Summary{Created: 2}},
		{"ARTICLE", "articles.ndjson", articles, client.Summary{Created: 2, Error: 1}},
		{"COMMENT", "comments.csv", comments, client.Summary{Created: 2}},
	} {
		fmt.Fprintf(d.out, "\n── %s: %s: POST /api/imports\n", f.importType, f.name)
		j, err := d.api.Upload(ctx, client.Create{ImportType: f.importType, Filename: f.name, SizeBytes: int64(len(f.file)), AutoStart: true}, strings.NewReader(f.file))
		if err != nil {
			return fmt.Errorf("import %s: %w", f.name, err)
		}
		if err := d.follow(ctx, j, f.want); err != nil {
			return err
		}
	}
	return nil
}

// exported is an export as the API shows it.
type exported struct {
	JobID         string `json:"job_id"`
	Status        string `json:"status"`
	RecordCount   int64  `json:"record_count"`
	SizeBytes     int64  `json:"size_bytes"`
	DownloadURL   string `json:"download_url"`
	FailureReason string `json:"failure_reason"`
}

// exports writes what was imported to files, and imports one of them again.
func (d *demo) exports(ctx context.Context) error {
	for _, f := range []struct{ resource, format string }{
		{"memberships", "xlsx"}, {"users", "csv"}, {"articles", "ndjson"}, {"comments", "csv"},
	} {
		fmt.Fprintf(d.out, "\n── export of %s as %s: POST /v1/exports\n", f.resource, f.format)
		e, file, err := d.export(ctx, f.resource, f.format)
		if err != nil {
			return fmt.Errorf("export %s: %w", f.resource, err)
		}
		fmt.Fprintf(d.out, "   %s: %d rows, %d bytes\n", e.Status, e.RecordCount, len(file))
		if f.resource != "articles" {
			continue
		}
		fmt.Fprintf(d.out, "── the same file as an import again, mode upsert\n")
		j, err := d.api.Upload(ctx, client.Create{ImportType: "ARTICLE", Filename: "articles.ndjson", SizeBytes: int64(len(file)), Mode: "upsert", AutoStart: true}, bytes.NewReader(file))
		if err != nil {
			return err
		}
		if err := d.follow(ctx, j, client.Summary{Updated: e.RecordCount}); err != nil {
			return err
		}
	}
	return nil
}

// export waits for an export and downloads its file.
func (d *demo) export(ctx context.Context, resource, format string) (exported, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	var e exported
	body := fmt.Sprintf(`{"resource_type":%q,"format":%q}`, resource, format)
	if err := d.api.Do(ctx, http.MethodPost, "/v1/exports", "application/json", strings.NewReader(body), &e); err != nil {
		return e, nil, err
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for e.Status == "pending" || e.Status == "processing" {
		select {
		case <-ctx.Done():
			return e, nil, ctx.Err()
		case <-tick.C:
		}
		if err := d.api.Get(ctx, "/v1/exports/"+e.JobID, &e); err != nil {
			return e, nil, err
		}
	}
	if e.Status != "completed" {
		return e, nil, fmt.Errorf("it is %s: %s", e.Status, e.FailureReason)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, d.stack.APIURL+e.DownloadURL, nil)
	if err != nil {
		return e, nil, err
	}
	answer, err := http.DefaultClient.Do(request) // follows the redirect to the bucket
	if err != nil {
		return e, nil, err
	}
	defer answer.Body.Close()
	file, err := io.ReadAll(answer.Body)
	if err == nil && (answer.StatusCode != http.StatusOK || int64(len(file)) != e.SizeBytes) {
		err = fmt.Errorf("download answers %d with %d of %d bytes", answer.StatusCode, len(file), e.SizeBytes)
	}
	return e, file, err
}
