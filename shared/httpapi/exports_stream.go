package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/export"
	"github.com/loadbay/loadbay/shared/problem"
)

// streamExport is GET /v1/exports: the file itself, as large as an answer can be.
func (a *api) streamExport(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	v.refuseOthers("resource", "format", "fields", "filters")
	resource, format, fields, filters := v.text("resource"), v.text("format"), v.text("fields"), v.text("filters")
	if err := v.err(); err != nil {
		return err
	}
	what, err := a.exported("resource", resource, format)
	if err != nil {
		return err
	}
	selection, err := export.Select(what.of, columns(fields), json.RawMessage(filters))
	if err != nil {
		return err
	}
	file := &answerFile{text: isText(what.format.ContentType())}
	writer, err := export.NewWriter(what.format, file, export.Fields(what.of, selection))
	if err != nil {
		return err
	}
	var records int64
	err = a.read(r, func(ctx context.Context, tx pgx.Tx) error {
		records, err = export.Copy(ctx, tx, what.of, selection, writer, func(int64) error { return nil })
		return err
	})
	if err != nil {
		_ = writer.Discard() // the first error says more
		return err
	}
	if err := writer.Close(); err != nil {
		return err
	}
	w.Header().Set("Content-Type", what.format.ContentType())
	w.Header().Set("Content-Disposition", what.format.Disposition(what.of.Resource))
	w.Header().Set("X-Total-Count", strconv.FormatInt(records, 10))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(file.body.Bytes()) // a caller that has gone is not told
	return nil
}

// maxAnswer is the most bytes of an answer as the function gives it to API
// Gateway: 6 MB with its headers, as a string of JSON, in base64 unless it is text.
//
// https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
const maxAnswer = 5 << 20

// answerFile gathers a file until it is more than an answer can carry.
type answerFile struct {
	text bool
	body bytes.Buffer
	cost int
}

func (f *answerFile) Write(p []byte) (int, error) {
	f.cost += f.encoded(p)
	if f.cost > maxAnswer {
		return 0, problem.New(problem.ExportTooLarge, "The export is too large to be answered at once. Ask for it with POST /v1/exports, and download it when it is written.")
	}
	return f.body.Write(p)
}

// encoded is how many bytes p takes in the function's answer: encoding/json
// writes what HTML could misread as \u003c.
func (f *answerFile) encoded(p []byte) int {
	if !f.text {
		return len(p)*4/3 + 4
	}
	n := len(p)
	for _, c := range p {
		switch {
		case c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t':
			n++
		case c < ' ' || c == '<' || c == '>' || c == '&':
			n += 5
		}
	}
	return n
}
