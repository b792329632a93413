package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/loadbay/loadbay/shared/jsontext"
	"github.com/loadbay/loadbay/shared/pgtext"
	"github.com/loadbay/loadbay/shared/problem"
)

// contentType returns the media type of a request's body with its parameters.
func contentType(r *http.Request) (string, map[string]string) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return "", nil
	}
	return kind, params
}

// The maximum sizes of JSON bodies in bytes.
const (
	maxDocument  = 256 << 10 // for the resource to create
	maxDecisions = 2 << 20   // for decisions about thousands of values
)

// readDeclaredJSON is readJSON for a body that must have the Content-Type of JSON.
func readDeclaredJSON(r *http.Request, target any, most int64) error {
	if kind, _ := contentType(r); kind != "application/json" {
		return problem.New(problem.MediaTypeInvalid, "Send application/json.")
	}
	return readJSON(r, target, most)
}

// readJSON reads a body of at most most bytes that consists of one JSON document without
// unknown members.
func readJSON(r *http.Request, target any, most int64) error {
	body, err := io.ReadAll(io.LimitReader(r.Body, most+1))
	if err != nil {
		return invalidJSON(err)
	}
	if int64(len(body)) > most {
		return problem.New(problem.BodyTooLarge, "The request body is too large: at most %d KiB are allowed.", most>>10)
	}
	if member, ok := pgtext.ValidJSON(body); !ok {
		code := problem.BadJSON
		if member == "filename" {
			code = problem.FilenameInvalid // as for other characters that a filename may not contain
		}
		return problem.New(code, "The request body contains text that cannot be stored.").With(member, code, pgtext.RuleText)
	}
	if err := jsontext.CheckMembers(body, target); err != nil {
		return invalidJSON(err)
	}
	return decodeDocument(body, target)
}

// decodeDocument decodes a single document without unknown members.
func decodeDocument(text []byte, target any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(target); err != nil {
		return invalidJSON(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return problem.New(problem.BadJSON, "The request body must be a single JSON document.")
	}
	return nil
}

// decodeMembers decodes the members of a document that readJSON has read, without unknown ones.
func decodeMembers(members map[string]json.RawMessage, target any) error {
	text, err := json.Marshal(members)
	if err != nil {
		return err
	}
	return decodeDocument(text, target)
}

func invalidJSON(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return err
	}
	return problem.Wrap(err, problem.BadJSON, "The request body is not valid: %s.", problem.DescribeJSON(err))
}
