// Package rowfetch reads rows of a file again that has been imported: ledger entry by
// ledger entry, in memory of one.
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

// Files reads sources and chunks.
type Files interface {
	Open(ctx context.Context, v object.Version) sheet.Source
	ReadRange(ctx context.Context, v object.Version, offset, length int64) ([]byte, error)
}

// File is the file of a job. It is to be closed.
type File struct {
	Dialect       *sheet.Dialect // empty for a job whose file has not been looked at yet
	job           *job.Job
	files         Files
	limits        sheet.Limits
	rows          sheet.Rows // of a file that is read as one, once opened
	hasPendingRow bool       // whole's row is still to be looked at
}

// Open returns the file of a job, of which it reads nothing yet.
func Open(files Files, j *job.Job, limits sheet.Limits) (*File, error) {
	f := &File{Dialect: &sheet.Dialect{}, job: j, files: files, limits: limits}
	if len(j.Dialect) == 0 {
		return f, nil
	}
	if err := json.Unmarshal(j.Dialect, f.Dialect); err != nil {
		return nil, fmt.Errorf("dialect of job %s: %w", j.ID, err)
	}
	return f, nil
}

// EachRow calls do for the rows of a ledger entry. Those of a file that is read as one are
// to be asked for in file order. UPLOAD_MISSING: the file is not kept any more.
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

// eachUnchunkedRow reads a file without chunks of its own from where the last entry ended.
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
		return fmt.Errorf("read the file again: %w", err)
	}
	return nil
}

// Close frees what the file holds.
func (f *File) Close() error {
	if f.rows == nil {
		return nil
	}
	return f.rows.Close()
}
