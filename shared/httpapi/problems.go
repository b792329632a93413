package httpapi

import (
	"fmt"
	"html"
	"net/http"
	"strings"

	"github.com/loadbay/loadbay/shared/problem"
)

// problemPath is the beginning of the addresses that describe problems: the type of each problem.
const problemPath = "/problems/"

// codeDocument describes a code of problems, row errors and warnings.
type codeDocument struct {
	Type   string       `json:"type"`
	Title  string       `json:"title"`
	Status int          `json:"status"`
	Code   problem.Code `json:"code"`
	Cause  string       `json:"cause"`
	Remedy string       `json:"remedy"`
}

// getProblem is GET /problems/{code}: a page for browsers, otherwise JSON.
func (a *api) getProblem(w http.ResponseWriter, r *http.Request) error {
	code := problem.Code(r.PathValue("code"))
	described, ok := problem.Describe(code)
	if !ok {
		return problem.New(problem.NotFound, "There is no such code. The codes are listed in docs/errors.md.")
	}
	document := codeDocument{
		Type: problemPath + string(code), Title: codeTitle(code), Status: code.Status(), Code: code,
		Cause: described.Cause, Remedy: described.Remedy,
	}
	h := w.Header()
	h.Set("Vary", "Accept")
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		return writeJSON(w, http.StatusOK, document)
	}
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	w.WriteHeader(http.StatusOK)
	_, _ = fmt.Fprintf(w, problemPage, html.EscapeString(document.Title), html.EscapeString(string(code)), document.Status,
		codeHTML(document.Cause), codeHTML(document.Remedy)) // fails only if the caller has disconnected
	return nil
}

// problemPage is the page of a code: its title, its name, its status, its cause and its remedy.
const problemPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>%[1]s - Loadbay</title>
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem;color-scheme:light dark}code{font-size:.9em}dt{font-weight:600;margin-top:1rem}dd{margin:0}</style>
<h1>%[1]s</h1>
<p><code>%[2]s</code>, status %[3]d</p>
<dl><dt>Cause</dt><dd>%[4]s</dd><dt>What to do</dt><dd>%[5]s</dd></dl>
</html>
`

// codeHTML formats a text in which backquotes enclose code.
func codeHTML(text string) string {
	var b strings.Builder
	for i, part := range strings.Split(html.EscapeString(text), "`") {
		if i > 0 {
			b.WriteString([]string{"</code>", "<code>"}[i%2])
		}
		b.WriteString(part)
	}
	return b.String()
}
