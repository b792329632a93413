// Package rowfetch reads rows of an imported file again, one ledger entry at a time, with memory
// for one entry only.
//
// Tested by shared/step: the error workbooks of whole imports.
package rowfetch

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
)

// Files opens sources and chunks.
type Files interface {
	Open(ctx context.Context, v object.Version) sheet.Source
	ReadRange(ctx context.Context, v object.Version, offset, length int64) ([]byte, error)
}

// File is the file of a job. The caller must close it.
type File struct {
	Dialect       *sheet.Dialect // empty before the file was analysed
	job           *job.Job
	files         Files
	limits        sheet.Limits
	rows          sheet.Rows // of an unchunked file, once opened
	hasPendingRow bool       // the current row has not been processed yet
}

// Open returns the file of a job without reading from it.
func Open(files Files, j *job.Job, limits sheet.Limits) (*File, error) {
	f := &File{Dialect: &sheet.Dialect{}, job: j, files: files, limits: limits}
	if len(j.Dialect) == 0 {
		return f, nil
	}
	if err := json.Unmarshal(j.Dialect, f.Dialect); err != nil {
		return nil, fmt.Errorf("decode reading options of job %s: %w", j.ID, err)
	}
	return f, nil
}

// EachRow calls do for the rows of a ledger entry. Entries of an unchunked file must be requested
// in file order. It returns UPLOAD_MISSING if the file was deleted.
func (f *File) EachRow(ctx context.Context, c *job.Chunk, do func(*sheet.Row) error) error {
	if f.job.WholeFile {
		return f.eachUnchunkedRow(ctx, c, do)
	}
	body, err := f.files.ReadRange(ctx, f.job.ChunkFile(c), c.Offset, c.Length)
	if err != nil {
		return err
	}
	rows, err := reader.OpenChunk(body, f.Dialect, sheet.Chunk{
		Index: c.Index, Offset: c.Offset, Length: c.Length, FirstRow: c.FirstRow, Lines: c.Lines, Rows: c.Rows, CRC32C: c.CRC32C,
	}, f.limits)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := do(rows.Row()); err != nil {
			return err
		}
	}
	return rows.Err()
}

// eachUnchunkedRow reads an unchunked file from the end of the last entry.
func (f *File) eachUnchunkedRow(ctx context.Context, c *job.Chunk, do func(*sheet.Row) error) (err error) {
	if f.rows == nil {
		if f.rows, err = reader.Open(ctx, f.files.Open(ctx, f.job.ObjectVersion()), f.Dialect, f.limits); err != nil {
			return err
		}
	}
	for f.hasPendingRow || f.rows.Next() {
		r := f.rows.Row()
		if f.hasPendingRow = r.Number >= c.FirstRow+int64(c.Lines); f.hasPendingRow {
			return nil
		}
		if r.Number < c.FirstRow {
			continue
		}
		if err := do(r); err != nil {
			return err
		}
	}
	if err := f.rows.Err(); err != nil {
		return fmt.Errorf("reread file: %w", err)
	}
	return nil
}

// Close releases the file's resources.
func (f *File) Close() error {
	if f.rows == nil {
		return nil
	}
	return f.rows.Close()
}
