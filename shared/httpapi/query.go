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

// values holds the parameters of a query or a form by name. Reading an invalid one records an error.
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

// addError records an invalid parameter.
func (v *values) addError(name, rule string) {
	if v.problem == nil {
		v.problem = problem.New(problem.ParameterInvalid, "Some parameters are not valid.")
	}
	v.problem.With(name, problem.ParameterInvalid, rule)
}

// err returns the recorded errors, or nil.
func (v *values) err() error {
	if v.problem == nil {
		return nil
	}
	return v.problem
}

// text returns a parameter that may occur at most once.
func (v *values) text(name string) string {
	if len(v.raw[name]) > 1 {
		v.addError(name, "Use this parameter only once.")
	}
	return v.raw.Get(name)
}

// json returns a JSON document in a parameter that may occur at most once, or nil. The caller
// validates its contents.
func (v *values) json(name string) json.RawMessage {
	if text := v.text(name); text != "" {
		return json.RawMessage(text)
	}
	return nil
}

// list returns the comma-separated values of a parameter; nil if it is absent.
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

// number returns a whole number, or nil if it is absent.
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

// intBetween returns a whole number from least to most, or otherwise if it is absent.
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

// flag returns true or false; false if it is absent.
func (v *values) flag(name string) bool {
	given := v.optionalFlag(name)
	return given != nil && *given
}

// optionalFlag is flag, but returns nil if the parameter is absent.
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

// rejectUnknown records an error for parameters that the endpoint does not have, so that misspelt
// parameters are not ignored silently.
func (v *values) rejectUnknown(known ...string) {
	expected := make(map[string]bool, len(known))
	for _, name := range known {
		expected[name] = true
	}
	for name := range v.raw {
		if !expected[name] {
			v.addError(name, "Unknown parameter.")
		}
	}
}

// withoutQuery rejects all parameters.
func withoutQuery(do handler) handler { return withQuery(do) }

// withQuery rejects all parameters except the known ones.
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

// checkStorable rejects addresses and caller names with text that the database cannot store. The
// database is queried for the former and records the latter.
func checkStorable(do handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if !pgtext.ValidText(r.URL.Path) {
			return problem.New(problem.NotFound, "Nothing was found at this address.")
		}
		if !pgtext.ValidText(callerName(r)) {
			return problem.New(problem.BadRequest, "The claim sub of the token contains text that cannot be stored.")
		}
		return do(w, r)
	}
}

// jobID returns the id of a job in the path, or "", which matches no job.
func jobID(r *http.Request, name string) job.ID {
	id, err := job.ParseID(r.PathValue(name))
	if err != nil {
		return ""
	}
	return id
}

// exportID returns the id of an export in the path, or "", which matches no export.
func exportID(r *http.Request) job.ExportID {
	id, err := job.ParseExportID(r.PathValue("exportId"))
	if err != nil {
		return ""
	}
	return id
}
