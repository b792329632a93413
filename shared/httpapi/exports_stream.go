package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/output/export"
)

// streamExport is GET /v1/exports: the file itself, or the way to a stream of it
// where it is more than a response can carry.
func (a *api) streamExport(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	v.rejectUnknown("resource", "format", "fields", "filters", parameterRedirect)
	what, err := a.parseExportFile(v)
	if err != nil {
		return err
	}
	switch redirect, err := wantsRedirect(r); {
	case err != nil:
		return err
	case !redirect: // whoever asks for the address knows the response by that
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
	_, _ = w.Write(file.body.Bytes()) // fails only if the caller has gone
	return nil
}

// exportFile is the file that a query asks for.
type exportFile struct {
	exportRequest
	selection entity.Selection
}

func (a *api) parseExportFile(v *values) (exportFile, error) {
	resource, format, fields, filters := v.text("resource"), v.text("format"), v.text("fields"), v.text("filters")
	if err := v.err(); err != nil {
		return exportFile{}, err
	}
	what, err := a.parseExportRequest("resource", resource, format)
	if err != nil {
		return exportFile{}, err
	}
	selection, err := export.Select(what.decl, splitColumns(fields), json.RawMessage(filters))
	return exportFile{what, selection}, err
}

// describe sets the headers of the response that is the file.
func (f *exportFile) describe(h http.Header, records int64) {
	h.Set("Content-Type", f.format.ContentType())
	h.Set("Content-Disposition", f.format.Disposition(f.decl.Resource))
	h.Set(totalCount, strconv.FormatInt(records, 10))
}

// exportWriter takes a file that is written.
type exportWriter interface {
	io.Writer
	// most is how many rows are counted, so that expect learns whether there are more.
	maxCountedRows() int64
	// expect hears how many rows the file is to have, before it is begun.
	expectRows(records int64) error
	// checkSize hears how many rows have been written, now and then.
	checkSize(rows int64) error
}

// writeExport writes the file as one moment has it.
func (a *api) writeExport(r *http.Request, what exportFile, dest exportWriter) (records int64, err error) {
	writer, err := export.NewWriter(what.format, dest, export.Fields(what.decl, what.selection))
	if err != nil {
		return 0, err
	}
	began := false
	err = a.DB.InSnapshot(r.Context(), organisationOf(r), func(tx pgx.Tx) (err error) {
		if began {
			return errors.New("the transaction was lost half way") // what is written cannot be taken back
		}
		began = true
		if a.idleTimeout > 0 {
			if err := a.DB.SetIdleTimeout(r.Context(), tx, a.idleTimeout); err != nil {
				return err
			}
		}
		sql, args := what.decl.CountQuery(what.selection, dest.maxCountedRows())
		if err := tx.QueryRow(r.Context(), sql, args...).Scan(&records); err != nil {
			return fmt.Errorf("count %s: %w", what.decl.Resource, err)
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

// errTooLargeInline means that an export is more than a response can carry.
var errTooLargeInline = errors.New("the export is too large for one response")

// inlineFile gathers a file until it is more than a response can carry.
type inlineFile struct {
	text bool
	body bytes.Buffer
	cost int
}

// maxInlineRows is the most rows of a response. Where there are more, the file is not
// even begun: a workbook's size shows only at its end, after the caller has waited.
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
