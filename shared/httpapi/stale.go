package httpapi

import (
	"context"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/changes/entitytable"
	"github.com/loadbay/loadbay/shared/changes/planapply"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// Maximum numbers of chunks that a request compares with the current data, and of stale rows that it
// describes.
const (
	maxStaleChunks = 4
	staleRowsPage  = 20
	maxStaleRows   = 100
)

// staleRowsPart is a part of the stale rows of a plan: StaleRowsPart in openapi.yaml.
type staleRowsPart struct {
	Stale    int        `json:"stale"` // all stale rows of this part, also those that rows omits
	Rows     []staleRow `json:"rows"`
	Cursor   *string    `json:"cursor"`
	Complete bool       `json:"complete"`
}

// staleRow is a planned row with data that has changed since: StaleRow in openapi.yaml.
type staleRow struct {
	RowNumber *int64       `json:"rowNumber"`
	Reason    string       `json:"reason"`
	Table     string       `json:"table"`
	ID        string       `json:"id"`
	Fields    []staleField `json:"fields"`
	ChangedBy *staleSource `json:"changedBy"` // null if it was no import, or an unknown one
}

// staleField is a field that has another value than when the plan was created.
type staleField struct {
	Field  string  `json:"field"`
	Before *string `json:"before"`
	After  *string `json:"after"`
	Now    *string `json:"now"`
}

// staleSource is the import that changed the entity.
type staleSource struct {
	Identifier job.ID     `json:"identifier"`
	Filename   string     `json:"originalFilename"`
	RowNumber  int64      `json:"rowNumber"`
	Uploader   *string    `json:"uploader"`
	At         *time.Time `json:"at"`
}

// The reasons for which a row is stale.
const (
	staleChanged = "CHANGED"   // an entity has other values
	staleDeleted = "DELETED"   // an entity no longer exists
	staleTaken   = "KEY_TAKEN" // another entity has the key or the id of a new one
	staleColumn  = "COLUMN_GONE"
)

// listStale is GET …/stale: the rows that applying the plan now would skip.
func (a *api) listStale(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	after, limit := int(v.intBetween("cursor", 0, math.MaxInt32, -1)), int(v.intBetween("limit", 1, maxStaleRows, staleRowsPage))
	v.rejectUnknown("cursor", "limit")
	if err := v.err(); err != nil {
		return err
	}
	var document *staleRowsPart
	err := a.DB.InSnapshot(r.Context(), organisationOf(r), func(tx pgx.Tx) error {
		j, err := a.DB.Job(r.Context(), tx, jobID(r, "importId"))
		if err != nil {
			return err
		}
		if j.Status != job.AwaitingApproval || j.Undo != nil {
			return problem.New(problem.StateConflict, "The import is not a plan that waits for approval.")
		}
		document, err = a.loadStale(r.Context(), tx, j, after, limit)
		return err
	})
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, document)
}

// loadStale compares the next chunks of a plan with the current data.
func (a *api) loadStale(ctx context.Context, tx pgx.Tx, j *job.Job, after, limit int) (*staleRowsPart, error) {
	kind, err := a.Types.Type(ctx, tx, j.OrganisationID, j.ImportType, j.TypeVersion)
	if err != nil {
		return nil, err
	}
	if err := compareTable(ctx, tx, kind); err != nil {
		return nil, err
	}
	s := &staleSearch{api: a, job: j, kind: kind, words: fieldNamesOf(kind.Declaration()), sources: make(map[job.Key]*job.Job)}
	document := &staleRowsPart{Rows: []staleRow{}}
	for range maxStaleChunks {
		at, _, ok, err := a.DB.NextChanges(ctx, tx, changeset.RefOf(j), changeset.Position{Chunk: after, Part: math.MaxInt32})
		if err != nil {
			return nil, err
		}
		if document.Complete = !ok; !ok || len(document.Rows) == limit {
			break
		}
		after = at.Chunk
		if err := s.add(ctx, tx, document, after, limit); err != nil {
			return nil, err
		}
	}
	if !document.Complete {
		document.Cursor = new(strconv.Itoa(after))
	}
	return document, nil
}

// staleSearch describes the stale rows of a plan.
type staleSearch struct {
	*api
	job     *job.Job
	kind    entity.Type
	words   fieldNames
	sources map[job.Key]*job.Job // nil for an import that is no longer stored
}

// add adds the stale rows of a chunk, of which limit are described.
func (s *staleSearch) add(ctx context.Context, tx pgx.Tx, document *staleRowsPart, chunk, limit int) error {
	parts, err := s.DB.PlannedChanges(ctx, tx, s.job.Key, chunk)
	if err != nil {
		return err
	}
	stale, err := planapply.FindStale(ctx, tx, s.DB, planapply.Target{Organisation: s.job.OrganisationID, Type: s.kind, Job: s.job.Key}, parts)
	if err != nil {
		return err
	}
	document.Stale += len(stale)
	described := make(map[int64]bool)
	for i := range parts {
		for n := range parts[i].Changes {
			c := &parts[i].Changes[n]
			if len(document.Rows) == limit {
				return nil
			}
			if !stale[c.Row] || described[c.Row] {
				continue
			}
			row, err := s.describe(ctx, tx, c)
			if err != nil {
				return err
			}
			if row != nil {
				document.Rows, described[c.Row] = append(document.Rows, *row), true
			}
		}
	}
	return nil
}

// describe returns how an entity differs from the plan, or nil if it does not: another entity of its
// row does.
func (s *staleSearch) describe(ctx context.Context, tx pgx.Tx, c *changeset.Change) (*staleRow, error) {
	row := &staleRow{Table: c.Table, ID: c.ID, Fields: []staleField{}}
	if c.Row != 0 {
		row.RowNumber = &c.Row
	}
	if c.Op == changeset.Created {
		row.Reason = staleTaken
		return row, nil
	}
	e, err := s.current(ctx, tx, c)
	switch {
	case err != nil:
		return nil, err
	case e == nil:
		row.Reason = staleDeleted
		return row, nil
	}
	row.Reason = staleChanged
	for i, column := range c.Columns {
		place := slices.Index(e.Columns, column)
		if place < 0 {
			row.Reason = staleColumn
			continue
		}
		if now := e.Values[place]; !changeset.EqualText(c.Before[i], now) {
			field := staleField{Field: s.words.field(column), Before: c.Before[i], Now: now}
			if c.After != nil {
				field.After = c.After[i]
			}
			row.Fields = append(row.Fields, field)
		}
	}
	if row.Reason == staleChanged && len(row.Fields) == 0 {
		return nil, nil
	}
	row.ChangedBy, err = s.sourceOf(ctx, tx, c, e)
	return row, err
}

// current returns the entity of a change as it is now, or nil.
func (s *staleSearch) current(ctx context.Context, tx pgx.Tx, c *changeset.Change) (*entitytable.Entity, error) {
	t, err := entitytable.Find(ctx, tx, s.DB, s.kind, c.Table)
	switch {
	case err != nil || t == nil:
		return nil, err
	case t.Declared != nil:
		return s.DB.DeclaredEntity(ctx, tx, t, c.ID)
	}
	return s.DB.Entity(ctx, tx, c.Table, c.ID)
}

// sourceOf returns the import that wrote the entity after the plan had read it. It is nil for changes by
// other programs, and for declared types, whose tables do not record it.
func (s *staleSearch) sourceOf(ctx context.Context, tx pgx.Tx, c *changeset.Change, e *entitytable.Entity) (*staleSource, error) {
	if e.SourceJob == 0 || e.SourceJob == job.Key(c.PrevJob) && e.SourceRow == c.PrevRow {
		return nil, nil
	}
	j, known := s.sources[e.SourceJob]
	if !known {
		ids, err := s.DB.ExistingJobIDs(ctx, tx, []job.Key{e.SourceJob})
		if err != nil {
			return nil, err
		}
		if id, ok := ids[e.SourceJob]; ok {
			if j, err = s.DB.Job(ctx, tx, id); err != nil && problem.CodeOf(err) != problem.NotFound {
				return nil, err
			}
		}
		s.sources[e.SourceJob] = j
	}
	if j == nil {
		return nil, nil
	}
	return &staleSource{Identifier: j.ID, Filename: j.Filename, RowNumber: e.SourceRow, Uploader: nilIfZero(j.Uploader), At: utcOrNil(j.CompletedAt)}, nil
}
