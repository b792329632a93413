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
	// maxFile is the largest file in a form. An invocation's payload may have
	// 6 MB, and a binary body grows by a third on its way through API Gateway.
	maxFile = 4 << 20
	// maxField bounds the other fields together, of which a mapping is the largest.
	maxField = 192 << 10
)

const formTooLarge = "A file that is sent in a form may have 4 MB. For a larger one, send POST /api/imports as JSON and then the file to the address in the response."

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
		return nil, problem.New(problem.ParameterInvalid, "The form holds no file.").
			With("file", problem.ParameterInvalid, "One part with a file.")
	}
	return f, nil
}

func (f *form) readFile(part *multipart.Part) error {
	if f.file.Body != nil {
		return problem.New(problem.ParameterInvalid, "The form holds more than one file.").
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
	// Part.FileName would cut the name at its last slash; it is kept as the
	// caller wrote it, since nothing uses it as a path.
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

// readField reads a field into the room that is left for fields.
func (f *form) readField(part *multipart.Part, room int64) (int64, error) {
	text, err := io.ReadAll(io.LimitReader(part, room+1))
	if err != nil {
		return 0, invalidForm(err)
	}
	room -= int64(len(text))
	if room < 0 {
		return 0, problem.New(problem.BadRequest, "The fields of the form are too long.")
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
