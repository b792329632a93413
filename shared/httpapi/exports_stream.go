package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/output/export"
)

// streamExport is GET /v1/exports: the file itself, or a redirect to a stream if it is too large for
// a response.
func (a *api) streamExport(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	v.rejectUnknown("resource", "format", "fields", "filters", parameterRedirect)
	what, err := a.parseExportFile(r, v)
	if err != nil {
		return err
	}
	switch redirect, err := wantsRedirect(r); {
	case err != nil:
		return err
	case !redirect: // callers that request the address expect this form of response
		return a.redirectToStream(w, r)
	}
	file := &inlineFile{text: what.format != export.XLSX}
	records, err := a.writeExport(r, what, file)
	if errors.Is(err, errTooLargeInline) {
		return a.redirectToStream(w, r)
	}
	if err != nil {
		return err
	}
	what.describe(w.Header(), records)
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(file.body.Bytes()) // fails only if the caller has disconnected
	return nil
}

// exportFile is the file that a query requests.
type exportFile struct {
	exportRequest
	selection entity.Selection
}

func (a *api) parseExportFile(r *http.Request, v *values) (exportFile, error) {
	resource, format, fields, filters := v.text("resource"), v.text("format"), v.text("fields"), v.text("filters")
	if err := v.err(); err != nil {
		return exportFile{}, err
	}
	what, err := a.parseExportRequest(r, "resource", resource, format)
	if err != nil {
		return exportFile{}, err
	}
	selection, err := export.Select(what.decl, splitColumns(fields), json.RawMessage(filters))
	return exportFile{what, selection}, err
}

// describe sets the headers of a response that contains the file.
func (f *exportFile) describe(h http.Header, records int64) {
	h.Set("Content-Type", f.format.ContentType())
	h.Set("Content-Disposition", f.format.Disposition(f.decl.Resource))
	h.Set(totalCount, strconv.FormatInt(records, 10))
}

// exportWriter receives the file.
type exportWriter interface {
	io.Writer
	// maxCountedRows is the maximum number of rows to count, so that expectRows can detect that there
	// are more.
	maxCountedRows() int64
	// expectRows is called with the number of rows before the file is begun.
	expectRows(records int64) error
	// checkSize is called periodically with the number of rows written so far.
	checkSize(rows int64) error
}

// writeExport writes the file from one snapshot.
func (a *api) writeExport(r *http.Request, what exportFile, dest exportWriter) (records int64, err error) {
	// A snapshot from before a change of the table may show none of its rows. So the first transaction
	// waits for changes under way, and in the second one they are an error.
	if _, changes := what.kind.(entity.CurrentType); changes {
		if err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) error { return compareTable(ctx, tx, what.kind) }); err != nil {
			return 0, err
		}
	}
	writer, err := export.NewWriter(what.format, dest, export.Fields(what.decl, what.selection))
	if err != nil {
		return 0, err
	}
	began := false
	err = a.DB.InSnapshot(r.Context(), organisationOf(r), func(tx pgx.Tx) (err error) {
		if began {
			return errors.New("transaction lost before the end") // the output already written cannot be undone
		}
		began = true
		if a.idleTimeout > 0 {
			if err := a.DB.SetIdleTimeout(r.Context(), tx, a.idleTimeout); err != nil {
				return err
			}
		}
		if err := compareTable(r.Context(), tx, what.kind); err != nil {
			return err
		}
		if records, err = entity.Count(r.Context(), tx, what.decl, what.selection, dest.maxCountedRows()); err != nil {
			return err
		}
		if err := dest.expectRows(records); err != nil {
			return err
		}
		records, err = export.WriteRows(r.Context(), tx, what.decl, what.selection, writer, dest.checkSize)
		return err
	})
	if err != nil {
		return records, errors.Join(err, writer.Discard())
	}
	return records, writer.Close()
}

// compareTable returns TABLE_CHANGED if the table of a declared type no longer fits it, and locks the
// table against changes of its columns.
func compareTable(ctx context.Context, tx pgx.Tx, t entity.Type) error {
	return entity.WithCurrent(ctx, tx, t, func(entity.Type, []string) error { return nil })
}

// errTooLargeInline reports that an export is too large for a response.
var errTooLargeInline = errors.New("the export is too large for one response")

// inlineFile buffers a file until it is too large for a response.
type inlineFile struct {
	text bool
	body bytes.Buffer
	cost int
}

// maxInlineRows is the maximum number of rows in a response. A larger file is not begun, because
// the size of a workbook is known only at its end, after the caller has waited.
const maxInlineRows = 50_000

func (f *inlineFile) maxCountedRows() int64 { return maxInlineRows + 1 }

func (f *inlineFile) expectRows(records int64) error {
	if records > maxInlineRows {
		return errTooLargeInline
	}
	return nil
}

func (f *inlineFile) checkSize(int64) error { return nil }

func (f *inlineFile) Write(p []byte) (int, error) {
	f.cost += encodedBytes(f.text, p)
	if f.cost > maxInlineBytes {
		return 0, errTooLargeInline
	}
	return f.body.Write(p)
}
