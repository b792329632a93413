package httpapi

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"

	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/problem"
)

const (
	// maxFile is the maximum size of a file in a form. The payload of an invocation is limited to
	// 6 MB, and API Gateway's base64 encoding enlarges a binary body by a third.
	maxFile = 4 << 20
	// maxField limits the total size of the other fields, of which a mapping is the largest.
	maxField = 192 << 10
)

const formTooLarge = "A file in a form can have at most 4 MB. To upload a larger file, send POST /api/imports as JSON and upload the file to the returned URL."

// form is a multipart/form-data body: one file and some fields.
type form struct {
	fields url.Values
	file   submit.File
}

// readForm reads a form with exactly one file, in the part "file".
func readForm(r *http.Request) (*form, error) {
	kind, params := contentType(r)
	if kind != "multipart/form-data" {
		return nil, problem.New(problem.MediaTypeInvalid, "Send the file as multipart/form-data, in the part \"file\".")
	}
	f := &form{fields: make(url.Values)}
	parts := multipart.NewReader(r.Body, params["boundary"])
	room := int64(maxField)
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, invalidForm(err)
		}
		if part.FormName() == "file" {
			err = f.readFile(part)
		} else {
			room, err = f.readField(part, room)
		}
		if err != nil {
			return nil, err
		}
	}
	if f.file.Body == nil {
		return nil, problem.New(problem.ParameterInvalid, "The form contains no file.").
			With("file", problem.ParameterInvalid, "One part with a file.")
	}
	return f, nil
}

func (f *form) readFile(part *multipart.Part) error {
	if f.file.Body != nil {
		return problem.New(problem.ParameterInvalid, "The form contains more than one file.").
			With("file", problem.ParameterInvalid, "One part with a file.")
	}
	var body bytes.Buffer
	n, err := body.ReadFrom(io.LimitReader(part, maxFile+1))
	if err != nil {
		return invalidForm(err)
	}
	if n > maxFile {
		return problem.New(problem.FileTooLarge, "%s", formTooLarge)
	}
	// Part.FileName would truncate the name at its last slash; the original name is used because
	// it never becomes a path.
	_, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil {
		return invalidForm(err)
	}
	f.file = submit.File{Name: params["filename"], ContentType: part.Header.Get("Content-Type"), Body: body.Bytes()}
	if f.file.Body == nil {
		f.file.Body = []byte{} // an empty file is a file
	}
	return nil
}

// readField reads a field that may use at most room bytes.
func (f *form) readField(part *multipart.Part, room int64) (int64, error) {
	text, err := io.ReadAll(io.LimitReader(part, room+1))
	if err != nil {
		return 0, invalidForm(err)
	}
	room -= int64(len(text))
	if room < 0 {
		return 0, problem.New(problem.BadRequest, "The form fields are too long.")
	}
	f.fields.Add(part.FormName(), string(text))
	return room, nil
}

func invalidForm(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return err
	}
	return problem.Wrap(err, problem.BadRequest, "The body is not a complete multipart/form-data document.")
}
