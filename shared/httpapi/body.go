package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/loadbay/loadbay/shared/pgtext"
	"github.com/loadbay/loadbay/shared/problem"
)

// contentType is the media type of a request's body with its parameters.
func contentType(r *http.Request) (string, map[string]string) {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return "", nil
	}
	return kind, params
}

// The most bytes of bodies that are JSON.
const (
	maxDocument  = 256 << 10 // that say what is to be made
	maxDecisions = 2 << 20   // about thousands of values at once
)

// readDeclaredJSON is readJSON of a body that must say that it is JSON.
func readDeclaredJSON(r *http.Request, target any, most int64) error {
	if kind, _ := contentType(r); kind != "application/json" {
		return problem.New(problem.MediaTypeInvalid, "Send application/json.")
	}
	return readJSON(r, target, most)
}

// readJSON reads a body of up to so many bytes that is one JSON document and nothing
// else, without members that nothing has a use for.
func readJSON(r *http.Request, target any, most int64) error {
	body, err := io.ReadAll(io.LimitReader(r.Body, most+1))
	if err != nil {
		return invalidJSON(err)
	}
	if int64(len(body)) > most {
		return problem.New(problem.BodyTooLarge, "The body may have %d KiB here.", most>>10)
	}
	if member, ok := pgtext.ValidJSON(body); !ok {
		code := problem.BadJSON
		if member == "filename" {
			code = problem.FilenameInvalid // as for all else that a filename may not hold
		}
		return problem.New(code, "The body holds what no text may hold.").With(member, code, pgtext.RuleText)
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(target); err != nil {
		return invalidJSON(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return problem.New(problem.BadJSON, "The body is not the one JSON document that is expected here: something follows it.")
	}
	return nil
}

func invalidJSON(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return err
	}
	return problem.Wrap(err, problem.BadJSON, "The body is not the JSON document that is expected here: %s.", problem.DescribeJSON(err))
}
