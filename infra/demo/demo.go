// Package demo imports and exports sample files of every type through a complete Loadbay on this
// machine, as a user would over HTTP, and shows the outcome of every row. It fails if an outcome
// is unexpected.
//
// Tested by make demo: every outcome is compared with the expected one.
package demo

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/loadbay/loadbay/infra/local/stack"
	"github.com/loadbay/loadbay/infra/sample"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

// userRows is the size of the larger sample file; every badEvery-th row has an error.
const (
	userRows      = 100_000
	errorInterval = 2_500
)

// demo is the state of one demonstration.
type demo struct {
	stack *stack.Stack
	api   *rawclient.Client
	dir   string
	out   io.Writer
}

// Run starts a separate Loadbay on free ports, in c.DataDir, and imports and exports every type
// of the catalogue.
func Run(ctx context.Context, c stack.Config, out io.Writer) error {
	c.Progress = func(sentence string) { fmt.Fprintln(out, sentence) }
	return stack.Run(ctx, c, func(s *stack.Stack) error {
		d := &demo{stack: s, api: rawclient.New(s.APIURL, ""), dir: c.DataDir, out: out}
		return d.run(ctx)
	})
}

// run runs all parts.
func (d *demo) run(ctx context.Context) error {
	fmt.Fprintf(d.out, "\nLoadbay is running: API %s, AWS endpoint %s\n", d.stack.APIURL, d.stack.AWSURL)
	for _, part := range []func(context.Context) error{d.importCatalogue, d.importUsers, d.exportLarge, d.confirmMappings} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	fmt.Fprintf(d.out, "\nAll outcomes are as expected. To look around, run: DATA_DIR=%s make run\n", d.dir)
	return nil
}

// importUsers uploads a large file directly to the presigned address that the API returns.
func (d *demo) importUsers(ctx context.Context) error {
	fmt.Fprintf(d.out, "\n── USER: a CSV of %d rows by presigned upload: POST /api/imports\n", userRows)
	var file bytes.Buffer
	if err := sample.Users(&file, userRows, errorInterval); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(d.dir, "users.csv"), file.Bytes(), 0o600); err != nil {
		return err
	}
	j, err := d.api.Upload(ctx, rawclient.CreateRequest{
		ImportType: "USER", Filename: "users.csv", SizeBytes: int64(file.Len()), AutoStart: true,
	}, &file)
	if err != nil {
		return fmt.Errorf("import users: %w", err)
	}
	bad := int64(userRows / errorInterval)
	return d.followJob(ctx, j, rawclient.Summary{Created: userRows - bad, Error: bad})
}

// followJob shows a job's progress and outcomes, and compares them with the expected ones.
func (d *demo) followJob(ctx context.Context, j *rawclient.Job, want rawclient.Summary) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	fmt.Fprintf(d.out, "   import %s accepted\n", j.Identifier)
	bar := newProgressBar(d.out)
	j, err := d.api.Wait(ctx, j.Identifier, 100*time.Millisecond, bar.show, (*rawclient.Job).Ended)
	bar.finish()
	if err != nil {
		return err
	}
	if err := d.checkOutcome(ctx, j, want); err != nil {
		return err
	}
	return d.printHistory(ctx, j.Identifier)
}

// checkOutcome shows the row outcomes of an ended job, and compares them with the expected ones.
func (d *demo) checkOutcome(ctx context.Context, j *rawclient.Job, want rawclient.Summary) error {
	if j.Failure != nil {
		return fmt.Errorf("import %s %s: %s: %s", j.Identifier, j.Status, j.Failure.Code, j.Failure.Message)
	}
	got, err := d.api.Summary(ctx, j.Identifier)
	if err != nil {
		return err
	}
	fmt.Fprintf(d.out, "   %s: %d created, %d updated, %d unchanged, %d skipped, %d errors%s\n", j.Status, got.Created, got.Updated, got.Unchanged, got.Skipped, got.Error, formatDuration(j))
	if err := d.printErrors(ctx, j.Identifier, got.Error); err != nil {
		return err
	}
	if got != want || j.Status != "COMPLETED" {
		return fmt.Errorf("import %s is %s with %+v; expected COMPLETED with %+v", j.Identifier, j.Status, got, want)
	}
	return d.checkLineCount(j)
}

// checkLineCount shows how the lines of a file add up, and fails if they do not.
func (d *demo) checkLineCount(j *rawclient.Job) error {
	if j.FileLines == nil || j.BlankLines == nil || j.HeaderRows == nil {
		return fmt.Errorf("import %s is complete without a line count of its file", j.Identifier)
	}
	fmt.Fprintf(d.out, "   %d lines = %d successes + %d skipped + %d errors + %d blank + %d header\n",
		*j.FileLines, j.SuccessCount, j.SkippedCount, j.ErrorCount, *j.BlankLines, *j.HeaderRows)
	if *j.FileLines != j.SuccessCount+j.SkippedCount+j.ErrorCount+*j.BlankLines+*j.HeaderRows {
		return fmt.Errorf("the line counts of import %s do not match", j.Identifier)
	}
	return nil
}

// formatDuration formats the duration of a job and, if the file is large enough for a reliable
// figure, its speed.
func formatDuration(j *rawclient.Job) string {
	if j.CompletedAt == nil || j.UploadedAt == nil {
		return ""
	}
	took := j.CompletedAt.Sub(*j.UploadedAt)
	text := fmt.Sprintf(" in %s", took.Round(10*time.Millisecond))
	if j.ProcessedRows >= userRows {
		text += fmt.Sprintf(" (%.0f rows/s from upload to COMPLETED)", float64(j.ProcessedRows)/max(took.Seconds(), 0.001))
	}
	return text
}

// maxShownErrors is the maximum number of row errors printed.
const maxShownErrors = 6

func (d *demo) printErrors(ctx context.Context, id string, total int64) error {
	found, err := d.api.Results(ctx, id, "ERROR", 0, maxShownErrors)
	if err != nil {
		return err
	}
	for _, r := range found {
		for _, f := range r.Faults {
			fmt.Fprintf(d.out, "   row %-6d %-20s %-22s %q %s\n", r.RowNumber, f.Field, f.Code, f.Value, f.Message)
		}
	}
	if rest := total - int64(len(found)); rest > 0 {
		fmt.Fprintf(d.out, "   … and %d more: GET /api/imports/%s/results?outcome=ERROR\n", rest, id)
	}
	return nil
}
