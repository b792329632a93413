package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/job"
)

// Maximum numbers of changes in a response and of parts that it searches.
const (
	changesPage    = 50
	maxChangesPage = 200
	maxParts       = 20
)

// changesQuery holds the parameters of a request for changes.
type changesQuery struct {
	filter changeset.Filter
	field  string // name of the filter's column as a field of the import type
	from   changesPosition
	limit  int
}

// changesPosition is the position at which a page begins: the part and the number of changes in
// it to skip.
type changesPosition struct {
	after changeset.Position
	skip  int
}

// String returns the position as a cursor.
func (f changesPosition) String() string {
	return fmt.Sprintf("%d.%d.%d", f.after.Chunk, f.after.Part, f.skip)
}

// changesPlace parses a cursor; without one it returns the first position.
func (v *values) changesPlace(name string) changesPosition {
	place := changesPosition{after: changeset.Position{Chunk: -1}}
	text := v.text(name)
	if text == "" {
		return place
	}
	_, err := fmt.Sscanf(text, "%d.%d.%d", &place.after.Chunk, &place.after.Part, &place.skip)
	if err != nil || place.String() != text || place.after.Chunk < -1 || place.after.Part < 0 || place.skip < 0 {
		v.addError(name, "The cursor of the last response.")
	}
	return place
}

// listChanges is GET …/changes.
func (a *api) listChanges(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	q := changesQuery{
		filter: changeset.Filter{Text: v.text("q")}, field: v.text("field"), from: v.changesPlace("cursor"),
		limit: int(v.intBetween("limit", 1, maxChangesPage, changesPage)),
	}
	if kind := v.text("kind"); kind != "" {
		var known bool
		if q.filter.Op, known = changeset.ParseOp(kind); !known {
			v.addError("kind", "One of CREATED, UPDATED, DELETED.")
		}
	}
	v.rejectUnknown("kind", "field", "q", "cursor", "limit")
	if err := v.err(); err != nil {
		return err
	}
	var document *changesPart
	err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) error {
		j, err := a.DB.Job(ctx, tx, jobID(r, "importId"))
		if err != nil {
			return err
		}
		document, err = a.loadChangesPage(ctx, tx, j, q)
		return err
	})
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, document)
}

// loadChangesPage loads a page of a job's change set.
func (a *api) loadChangesPage(ctx context.Context, tx pgx.Tx, j *job.Job, q changesQuery) (*changesPart, error) {
	decl, err := a.declaration(ctx, tx, j)
	if err != nil {
		return nil, err
	}
	words := fieldNamesOf(decl)
	q.filter.Column = words.column(q.field)
	var found []changeset.Change
	place, complete, set := q.from, false, changeset.RefOf(j)
	for range maxParts {
		at, part, ok, err := a.DB.NextChanges(ctx, tx, set, place.after)
		if err != nil {
			return nil, err
		}
		if !ok {
			complete = true
			break
		}
		for ; place.skip < len(part) && len(found) < q.limit; place.skip++ {
			if c := &part[place.skip]; q.filter.Matches(c) {
				found = append(found, *c)
			}
		}
		if place.skip < len(part) {
			break
		}
		place = changesPosition{after: at}
	}
	origins, err := a.DB.ExistingJobIDs(ctx, tx, previousJobs(found))
	if err != nil {
		return nil, err
	}
	document := &changesPart{Changes: make([]change, len(found)), Complete: complete}
	if !complete {
		document.Cursor = new(place.String())
	}
	for i := range found {
		document.Changes[i] = words.change(&found[i], origins)
	}
	return document, nil
}

// previousJobs returns the previous source jobs of the entities, each once.
func previousJobs(changes []changeset.Change) []job.Key {
	var keys []job.Key
	for i := range changes {
		if key := changes[i].PrevJob; key != 0 {
			keys = append(keys, job.Key(key))
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
