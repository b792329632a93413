package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/output/changeworkbook"
	"github.com/loadbay/loadbay/shared/output/export"
	"github.com/loadbay/loadbay/shared/output/translation"
	"github.com/loadbay/loadbay/shared/problem"
)

// maxChangeLines is the maximum number of changes in a file of lines, which is written during the
// request.
const maxChangeLines = 1_000_000

// downloadChanges is GET …/changes.ndjson and …/changes.xlsx: the file, or a redirect to it if it
// is too large for a response.
func (a *api) downloadChanges(format export.Format) handler {
	known := []string{parameterRedirect}
	if format == export.XLSX {
		known = append(known, "lang")
	}
	return withQuery(func(w http.ResponseWriter, r *http.Request) error {
		v := newValues(r.URL.Query())
		l := v.language()
		if err := v.err(); err != nil {
			return err
		}
		j, err := a.DB.JobStatus(r.Context(), organisationOf(r), jobID(r, "importId"))
		if err != nil {
			return err
		}
		name := fmt.Sprintf("%s-changes.%s", j.ID, format)
		key := fmt.Sprintf("%s%d/%s", submit.ExportsPrefix, j.OrganisationID, name)
		file := &spillWriter{create: func() object.Writer { return a.Downloads.Create(r.Context(), key, format.ContentType()) }}
		if format == export.XLSX {
			err = a.writeChangeWorkbook(r, l, j, file)
		} else {
			err = a.writeChangeLines(r, j, file)
		}
		if err = file.finish(err); err != nil {
			return err
		}
		if file.object == nil {
			writeFile(w, format.ContentType(), name, file.body.Bytes())
			return nil
		}
		address, err := a.Downloads.PresignGet(r.Context(), key, attachment(name), downloadLifetime)
		if err != nil {
			return err
		}
		return writeDownload(w, r, address)
	}, known...)
}

// writtenChanges holds a job's changes so far: the parts, and their tally.
type writtenChanges struct {
	parts []changeset.Position
	tally changeset.Tally
}

// loadChanges returns an error if there are more changes than a file may have.
func (a *api) loadChanges(r *http.Request, j *job.Job, most int, instead string) (*writtenChanges, error) {
	now, n := &writtenChanges{tally: make(changeset.Tally)}, 0
	err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) error {
		return a.DB.EachTally(ctx, tx, changeset.RefOf(j), func(at changeset.Position, t changeset.Tally) error {
			now.parts = append(now.parts, at)
			now.tally.Add(t)
			return nil
		})
	})
	for _, t := range now.tally {
		n += t.Created + t.Updated + t.Deleted
	}
	if err == nil && n > most {
		return nil, problem.New(problem.ExportTooLarge, "There are %d changes, and a file can have at most %d. %s", n, most, instead)
	}
	return now, err
}

// eachPart calls f for each part. No transaction is open meanwhile: existing parts do not change.
func (a *api) eachPart(r *http.Request, j *job.Job, parts []changeset.Position, f func([]changeset.Change, map[job.Key]job.ID) error) error {
	for _, at := range parts {
		var part []changeset.Change
		var origins map[job.Key]job.ID
		err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) (err error) {
			if part, err = a.DB.Changes(ctx, tx, changeset.RefOf(j), at); err != nil {
				return err
			}
			part = slices.DeleteFunc(part, func(c changeset.Change) bool { return c.IsInternal() })
			origins, err = a.DB.ExistingJobIDs(ctx, tx, previousJobs(part))
			return err
		})
		if err == nil {
			err = f(part, origins)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// writeChangeLines writes each change as a line of JSON.
func (a *api) writeChangeLines(r *http.Request, j *job.Job, out io.Writer) error {
	now, err := a.loadChanges(r, j, maxChangeLines, "Read them page by page.")
	if err != nil {
		return err
	}
	decl, err := a.declaration(r.Context(), nil, j)
	if err != nil {
		return err
	}
	words, lines := fieldNamesOf(decl), json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	return a.eachPart(r, j, now.parts, func(part []changeset.Change, origins map[job.Key]job.ID) error {
		for i := range part {
			if err := lines.Encode(words.change(&part[i], origins)); err != nil {
				return err
			}
		}
		return nil
	})
}

// writeChangeWorkbook writes the changes as a workbook in the language.
func (a *api) writeChangeWorkbook(r *http.Request, l translation.Language, j *job.Job, out io.Writer) (err error) {
	now, err := a.loadChanges(r, j, changeworkbook.MaxChanges, "Download them as NDJSON.")
	if err != nil {
		return err
	}
	decl, err := a.declaration(r.Context(), nil, j)
	if err != nil {
		return err
	}
	sheets := fieldNamesOf(decl).changeSheets(now.tally)
	if l != translation.English {
		setTitles(l, decl, sheets)
	}
	book, err := changeworkbook.New(l, sheets)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	err = a.eachPart(r, j, now.parts, func(part []changeset.Change, _ map[job.Key]job.ID) error {
		for i := range part {
			if err := book.Add(&part[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return book.Finish(out)
}

// changeSheets returns the sheets of a workbook for the tally.
func (w fieldNames) changeSheets(t changeset.Tally) []changeworkbook.Sheet {
	var sheets []changeworkbook.Sheet
	for _, table := range slices.Sorted(maps.Keys(t)) {
		s := changeworkbook.Sheet{Table: table, Columns: slices.SortedFunc(maps.Keys(t[table].Columns), func(x, y string) int {
			return cmp.Compare(w.field(x), w.field(y))
		})}
		for _, column := range s.Columns {
			s.Fields = append(s.Fields, w.field(column))
		}
		sheets = append(sheets, s)
	}
	return sheets
}

// setTitles names the fields of the sheets by their titles in the language.
func setTitles(l translation.Language, d *entity.Declaration, sheets []changeworkbook.Sheet) {
	titles := make(map[string]string)
	for _, fields := range [...][]entity.Field{d.Fields, d.Computed} {
		for i := range fields {
			titles[fields[i].Column] = l.Title(fields[i].Title, fields[i].Titles)
		}
	}
	for _, s := range sheets {
		for i, column := range s.Columns {
			s.Fields[i] = cmp.Or(titles[column], s.Fields[i])
		}
	}
}
