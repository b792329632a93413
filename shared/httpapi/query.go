package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/pgtext"
	"github.com/loadbay/loadbay/shared/problem"
)

// values are parameters by name, of a query or a form. Reading one that is not
// as it must be is noted as a fault.
type values struct {
	raw     url.Values
	problem *problem.Error
}

func newValues(given url.Values) *values {
	v := &values{raw: given}
	for name, texts := range given {
		if !pgtext.ValidText(name) || slices.ContainsFunc(texts, func(s string) bool { return !pgtext.ValidText(s) }) {
			v.addError(strings.ToValidUTF8(name, "\uFFFD"), pgtext.RuleText)
		}
	}
	return v
}

// addError notes a faulty parameter.
func (v *values) addError(name, rule string) {
	if v.problem == nil {
		v.problem = problem.New(problem.ParameterInvalid, "Some parameters are not valid.")
	}
	v.problem.With(name, problem.ParameterInvalid, rule)
}

// err is what was wrong, or nil.
func (v *values) err() error {
	if v.problem == nil {
		return nil
	}
	return v.problem
}

// text returns a parameter that may be given once.
func (v *values) text(name string) string {
	if len(v.raw[name]) > 1 {
		v.addError(name, "Give it once.")
	}
	return v.raw.Get(name)
}

// json returns a JSON document that may be given once, or nil; what is in it is for its
// reader to check.
func (v *values) json(name string) json.RawMessage {
	if text := v.text(name); text != "" {
		return json.RawMessage(text)
	}
	return nil
}

// list returns what a parameter holds, parted by commas; nil where it is not given.
func (v *values) list(name string) []string {
	text := v.text(name)
	if text == "" {
		return nil
	}
	parts := strings.Split(text, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}

// number returns a whole number, or nil where it is not given.
func (v *values) number(name string) *int64 {
	text := v.text(name)
	if text == "" {
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != text {
		v.addError(name, "A whole number, such as 12.")
		return nil
	}
	return &n
}

// intBetween returns a whole number of that range, or its default.
func (v *values) intBetween(name string, least, most, otherwise int64) int64 {
	n := v.number(name)
	if n == nil {
		return otherwise
	}
	if *n < least || *n > most {
		v.addError(name, fmt.Sprintf("A whole number from %d to %d.", least, most))
		return otherwise
	}
	return *n
}

// flag returns true or false; false where it is not given.
func (v *values) flag(name string) bool {
	given := v.optionalFlag(name)
	return given != nil && *given
}

// optionalFlag is flag, and nil where it is not given.
func (v *values) optionalFlag(name string) *bool {
	switch v.text(name) {
	case "":
		return nil
	case "false":
		return new(false)
	case "true":
		return new(true)
	}
	v.addError(name, "Either true or false.")
	return nil
}

// rejectUnknown reports parameters that the endpoint does not have: a misspelt one must
// not be ignored silently.
func (v *values) rejectUnknown(known ...string) {
	expected := make(map[string]bool, len(known))
	for _, name := range known {
		expected[name] = true
	}
	for name := range v.raw {
		if !expected[name] {
			v.addError(name, "There is no such parameter here.")
		}
	}
}

// withoutQuery refuses all parameters.
func withoutQuery(do handler) handler { return withQuery(do) }

// withQuery refuses all parameters but those.
func withQuery(do handler, known ...string) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		v := newValues(r.URL.Query())
		v.rejectUnknown(known...)
		if err := v.err(); err != nil {
			return err
		}
		return do(w, r)
	}
}

// checkStorable refuses addresses and callers' names that cannot be kept: the database is asked
// for the ones, where nothing can be, and notes the others.
func checkStorable(do handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if !pgtext.ValidText(r.URL.Path) {
			return problem.New(problem.NotFound, "There is nothing at this address.")
		}
		if !pgtext.ValidText(callerName(r)) {
			return problem.New(problem.BadRequest, "The token's claim sub holds what no text may hold.")
		}
		return do(w, r)
	}
}

// jobID is the id of a job in the path, or "", which is no job's.
func jobID(r *http.Request, name string) job.ID {
	id, err := job.ParseID(r.PathValue(name))
	if err != nil {
		return ""
	}
	return id
}

// exportID is the id of an export in the path, or "", which is no export's.
func exportID(r *http.Request) job.ExportID {
	id, err := job.ParseExportID(r.PathValue("id"))
	if err != nil {
		return ""
	}
	return id
}
