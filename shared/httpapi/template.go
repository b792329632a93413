package httpapi

import (
	"bytes"
	"context"
	"net/http"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/output/export"
	"github.com/loadbay/loadbay/shared/output/template"
	"github.com/loadbay/loadbay/shared/problem"
)

// typeFromPath returns the type in the request's path.
func (a *api) typeFromPath(r *http.Request) (*entity.Declaration, error) {
	name := r.PathValue("type")
	decl, err := a.typeInUse(r, "type", name)
	if problem.CodeOf(err) == problem.ImportTypeUnknown {
		return nil, problem.New(problem.NotFound, "Unknown import type %q.", entity.Shorten(name))
	}
	return decl, err
}

// getTemplate is GET /api/import-types/{type}/template.xlsx. Its choices are entities of the
// organisation and, with contextId, of the context.
func (a *api) getTemplate(w http.ResponseWriter, r *http.Request) error {
	decl, err := a.typeFromPath(r)
	if err != nil {
		return err
	}
	v := newValues(r.URL.Query())
	contextID := v.number("contextId")
	l := v.language()
	v.rejectUnknown("contextId", "lang")
	if err := v.err(); err != nil {
		return err
	}
	lists, err := a.templateChoices(r, decl, contextID)
	if err != nil {
		return err
	}
	var book bytes.Buffer
	if err := template.Write(&book, l, decl, lists); err != nil {
		return err
	}
	writeWorkbook(w, template.Filename(decl), book.Bytes())
	return nil
}

// templateChoices returns the names of the entities that a type's reference fields can refer to, by
// field.
func (a *api) templateChoices(r *http.Request, decl *entity.Declaration, contextID *int64) (map[string][]string, error) {
	var contextArg int64 // no context has this id
	if contextID != nil {
		contextArg = *contextID
	}
	lists := make(map[string][]string)
	err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) error {
		for _, f := range decl.Fields {
			if f.Lookup == nil {
				continue
			}
			found, err := entity.Candidates(ctx, tx, f.Lookup, contextArg)
			if err != nil {
				return err
			}
			names := make([]string, len(found))
			for i, c := range found {
				names[i] = c.Name
			}
			lists[f.Name] = names
		}
		return nil
	})
	return lists, err
}

// writeWorkbook responds with a workbook for download under the filename.
func writeWorkbook(w http.ResponseWriter, filename string, book []byte) {
	writeFile(w, export.XLSX.ContentType(), filename, book)
}

// writeFile responds with a file.
func writeFile(w http.ResponseWriter, contentType, filename string, file []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Disposition", attachment(filename))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(file) // fails only if the caller has disconnected
}

// attachment returns a Content-Disposition. The filename must consist of letters, digits, dots and
// hyphens.
func attachment(filename string) string { return `attachment; filename="` + filename + `"` }
