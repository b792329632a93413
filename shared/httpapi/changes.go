package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/postgres"
)

// How many changes a response has, and in how many parts of a change set it looks for them.
const (
	changesPage    = 50
	maxChangesPage = 200
	maxParts       = 20
)

// changesQuery is what is asked of a change set.
type changesQuery struct {
	filter changeset.Filter
	field  string // in the import type's words, as the filter's column
	from   changesPosition
	limit  int
}

// changesPosition is where a page begins: behind so many changes of the part after that one.
type changesPosition struct {
	after postgres.ChangesPosition
	skip  int
}

// String is the place as a cursor.
func (f changesPosition) String() string {
	return fmt.Sprintf("%d.%d.%d", f.after.Chunk, f.after.Part, f.skip)
}

// changesPlace returns the place that a cursor stands for; none is the beginning.
func (v *values) changesPlace(name string) changesPosition {
	place := changesPosition{after: postgres.ChangesPosition{Chunk: -1}}
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
		j, err := a.DB.Job(ctx, tx, jobID(r, "uuid"))
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

// loadChangesPage reads a part of a job's change set.
func (a *api) loadChangesPage(ctx context.Context, tx pgx.Tx, j *job.Job, q changesQuery) (*changesPart, error) {
	words := fieldNamesOf(a.declaration(j))
	q.filter.Column = words.column(q.field)
	var found []changeset.Change
	place, complete, set := q.from, false, postgres.ChangeSetOf(j)
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

// previousJobs are the jobs that wrote the entities before, each once.
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
