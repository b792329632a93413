package httpapi

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"time"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/problem"
)

// NewStream returns the handler behind the address that streams exports. Whoever
// calls it must have checked the signature of the request's query: what that says
// of the organisation is believed.
//
// X-Total-Count says how many rows the file is to have before the first one comes.
// A file that cannot be written to its end breaks the connection off.
func NewStream(db *postgres.DB, types *catalog.Catalog, log *slog.Logger) (http.Handler, error) {
	if db == nil || types == nil || log == nil {
		return nil, errors.New("stream of exports: something it works with is missing")
	}
	a := &api{Dependencies{DB: db, Types: types, Log: log}}
	files := a.serve([]route{{"GET", "/{$}", "", a.streamFile}})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set(requestIDHeader, r.URL.Query().Get("request_id")) // the request that led here goes on
		files.ServeHTTP(w, r)
	}), nil
}

// maxStream is the most bytes of a stream: Lambda passes on 200 MB of a response,
// all but the first 6 at 2 MB a second, for which it takes 100 seconds.
//
// https://docs.aws.amazon.com/lambda/latest/dg/configuration-response-streaming.html
const maxStream = 200_000_000

// streamFile responds with the file of a signed query.
func (a *api) streamFile(w http.ResponseWriter, r *http.Request) error {
	p, err := readTicket(r.URL.Query())
	if err != nil {
		return err
	}
	r = r.WithContext(context.WithValue(r.Context(), organisationKey{}, p.organisation))
	what, err := a.wanted(newValues(r.URL.Query()))
	if err != nil {
		return err
	}
	began := time.Now()
	file := &streamedFile{ResponseWriter: w, what: what}
	rows, err := a.write(r, what, file)
	if err == nil {
		err = file.begin() // what is small has been held to its end
	}
	if err == nil {
		a.Log.InfoContext(r.Context(), "export streamed", "import_type", what.decl.Name, "format", what.format,
			"total_records", rows, "bytes", file.size, "duration_ms", time.Since(began).Milliseconds())
	}
	if err != nil && file.begun {
		a.Log.ErrorContext(r.Context(), "stream broke off", "bytes", file.size, "error", err)
		panic(http.ErrAbortHandler)
	}
	return err
}

// streamedFile is a response that begins when enough of the file is written to know
// that it will fit: an error before that gets the usual response.
type streamedFile struct {
	http.ResponseWriter
	what    wantedFile
	records int64
	held    bytes.Buffer // until it begins
	begun   bool
	size    int64
}

// What is held back to see how large rows are: enough that the part of it that
// the file's writer still buffers does not count, and not much more.
const (
	minHeld = 4 << 20
	maxHeld = 8 << 20
)

func (f *streamedFile) most() int64 { return math.MaxInt64 }

func (f *streamedFile) expect(records int64) error {
	f.records = records
	return nil
}

// checkSize refuses a file whose first rows say that it will not fit. A workbook shows
// nothing before its end.
func (f *streamedFile) checkSize(rows int64) error {
	if f.begun || f.size < minHeld {
		return nil
	}
	if float64(f.size)/float64(rows)*float64(f.records) > maxStream {
		return errTooLargeToStream()
	}
	return f.begin()
}

// begin sends what has been held back.
func (f *streamedFile) begin() error {
	if f.begun {
		return nil
	}
	f.begun = true
	f.what.describe(f.Header(), f.records)
	f.WriteHeader(http.StatusOK)
	_, err := f.held.WriteTo(f.ResponseWriter)
	f.held = bytes.Buffer{} // its memory
	return err
}

func (f *streamedFile) Write(p []byte) (int, error) {
	if f.size += int64(len(p)); f.size > maxStream {
		return 0, errTooLargeToStream()
	}
	if !f.begun && f.held.Len()+len(p) <= maxHeld {
		return f.held.Write(p)
	}
	if err := f.begin(); err != nil {
		return 0, err
	}
	return f.ResponseWriter.Write(p)
}

func errTooLargeToStream() error {
	return problem.New(problem.ExportTooLarge, "The export is larger than the %d MB that a stream carries. Ask for it with POST /v1/exports.", maxStream/1_000_000)
}
