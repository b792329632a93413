package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/output/translation"
	"github.com/loadbay/loadbay/shared/problem"
)

// languageOf returns the language of the texts in the response to a request.
func languageOf(r *http.Request) translation.Language {
	return translation.Negotiate(strings.Join(r.Header.Values("Accept-Language"), ","))
}

// language reads the parameter lang: the language of a workbook, English if it is absent.
func (v *values) language() translation.Language {
	text := v.text("lang")
	if text == "" {
		return translation.English
	}
	l, ok := translation.Parse(text)
	if !ok {
		v.addError("lang", problem.OneOf(translation.Languages()))
	}
	return l
}

// setLanguage states the language of a document, which caches keep apart by the request's header.
// Files are not translated, unless the request names their language.
func setLanguage(h http.Header, l translation.Language) {
	switch h.Get("Content-Type") {
	case "application/json", "application/problem+json":
		h.Set("Content-Language", string(l))
		h.Add("Vary", "Accept-Language")
	}
}

// failureIn returns the failure with its message in the language; nil without a failure.
func failureIn(l translation.Language, f *job.Failure) *job.Failure {
	if f == nil {
		return nil
	}
	return &job.Failure{Code: f.Code, Message: l.Text(f.Message)}
}

// warningTexts returns warnings as sentences in the language.
func warningTexts(l translation.Language, warnings []string) []string {
	return l.Texts(problem.WarningSentences(warnings))
}

// rowErrorsIn returns the errors of a row with their messages in the language; an empty list for nil.
func rowErrorsIn(l translation.Language, d *entity.Declaration, errors []rowwrite.Error) []rowwrite.Error {
	translated := make([]rowwrite.Error, len(errors))
	for i, e := range errors {
		e.Message = rowMessage(l, d, &e)
		translated[i] = e
	}
	return translated
}

// resultsIn returns the results of rows with the messages of their errors in the language.
func resultsIn(l translation.Language, d *entity.Declaration, results []job.RowResult) []job.RowResult {
	translated := slices.Clone(results)
	for i := range translated {
		translated[i].Errors = rowErrorsIn(l, d, translated[i].Errors)
	}
	return translated
}

// rowMessage returns the message of a row error, which begins with the title of its field.
func rowMessage(l translation.Language, d *entity.Declaration, e *rowwrite.Error) string {
	if at := d.FieldIndex(e.Field); at >= 0 {
		return l.FieldMessage(d.Fields[at].Title, d.Fields[at].Titles, e.Message)
	}
	return l.Text(e.Message)
}
