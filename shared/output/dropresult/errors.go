package dropresult

import (
	"context"
	"encoding/csv"
	"math"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/output/export"
)

// pageSize is the number of rows in error that are loaded at once.
const pageSize = 2000

// errorColumns returns the columns of the list of errors: the row's number in the file, the
// file's own header of the column, the matched field, the value, and the error.
func errorColumns() []string { return []string{"row", "column", "field", "value", "code", "message"} }

// writeErrors writes a line for each error of each row in error, in file order, as specified
// by RFC 4180.
func (w *Writer) writeErrors(ctx context.Context, j *job.Job, key string) error {
	object := w.files.Create(ctx, key, "text/csv; charset=utf-8; header=present")
	out := csv.NewWriter(object)
	out.UseCRLF = true
	err := out.Write(errorColumns())
	if err == nil {
		err = w.eachFailedRow(ctx, j, func(headers map[string]string, r job.RowResult) error {
			return writeRow(out, headers, r)
		})
	}
	if err == nil {
		out.Flush()
		err = out.Error()
	}
	if err != nil {
		return object.Abort(err)
	}
	return object.Complete()
}

// eachFailedRow calls do for each row in error, with the file's headers by field.
// No transaction is open meanwhile.
func (w *Writer) eachFailedRow(ctx context.Context, j *job.Job, do func(headers map[string]string, r job.RowResult) error) error {
	headers := make(map[string]string)
	for next := int64(0); ; {
		var failed []job.RowResult
		err := w.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) (err error) {
			if next == 0 {
				if err := w.loadHeaders(ctx, tx, j, headers); err != nil {
					return err
				}
			}
			failed, err = w.store.FailedRows(ctx, tx, j.Key, next, math.MaxInt64, pageSize)
			return err
		})
		if err != nil {
			return err
		}
		for _, r := range failed {
			if err := do(headers, r); err != nil {
				return err
			}
			next = r.Row + 1
		}
		if len(failed) < pageSize {
			return nil
		}
	}
}

func (w *Writer) loadHeaders(ctx context.Context, tx pgx.Tx, j *job.Job, headers map[string]string) error {
	columns, err := w.store.ColumnMappings(ctx, tx, j.Key)
	for _, c := range columns {
		if c.TargetField != "" {
			headers[c.TargetField] = c.Header
		}
	}
	return err
}

func writeRow(out *csv.Writer, headers map[string]string, r job.RowResult) error {
	for _, f := range r.Errors {
		line := []string{strconv.FormatInt(r.Row, 10), headers[f.Field], f.Field, f.Value, string(f.Code), f.Message}
		for i, text := range line {
			line[i] = export.GuardFormulaText(text)
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	return nil
}
