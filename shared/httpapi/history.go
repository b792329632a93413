package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/entitytable"
	"github.com/loadbay/loadbay/shared/changes/history"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/problem"
)

// Limits of the number of changes in a response.
const (
	historyPage    = 50
	maxHistoryPage = 200
)

// entityHistory is GET /api/entities/{type}/{entityKey}/history.
func (a *api) entityHistory(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	by, skip := v.text("by"), v.intBetween("cursor", 0, 2*history.MaxSteps, 0)
	limit := v.intBetween("limit", 1, maxHistoryPage, historyPage)
	v.rejectUnknown("by", "cursor", "limit")
	kind, d, err := a.historyType(r)
	if problem.CodeOf(err) == problem.ImportTypeUnknown || err == nil && d.Export == nil {
		return problem.New(problem.ImportTypeUnknown, "Unknown import type, or a type without entities of its own.")
	}
	if err != nil {
		return err
	}
	field := d.FieldIndex(by)
	if by != "" && field < 0 {
		v.addError("by", "The name of a field of the type.")
	}
	if err := v.err(); err != nil {
		return err
	}
	var document *historyDocument
	err = a.DB.InSnapshot(r.Context(), organisationOf(r), func(tx pgx.Tx) error {
		if err := compareTable(r.Context(), tx, kind); err != nil {
			return err
		}
		loaded, err := a.loadHistory(r.Context(), tx, kind, field, r.PathValue("entityKey"))
		if err != nil {
			return err
		}
		document, err = loaded.toDocument(r.Context(), tx, a.DB, int(skip), int(limit))
		return err
	})
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, document)
}

// loadedHistory is the history of an entity and its related entities.
type loadedHistory struct {
	declaration *entity.Declaration
	entities    []entityHistory
}

type entityHistory struct {
	*entitytable.Entity
	steps  []history.Step
	end    history.EndReason
	edited bool // outside of imports, since its creation
}

// historyType returns the type of the path.
func (a *api) historyType(r *http.Request) (entity.Type, *entity.Declaration, error) {
	kind, err := a.Types.Type(r.Context(), nil, organisationOf(r), r.PathValue("type"), 0)
	if err != nil {
		return nil, nil, err
	}
	return kind, kind.Declaration(), nil
}

// loadHistory finds the entity with the id, or with the value of a field.
func (a *api) loadHistory(ctx context.Context, tx pgx.Tx, kind entity.Type, field int, key string) (*loadedHistory, error) {
	id, d := key, kind.Declaration()
	if field >= 0 {
		found, err := entity.Find(ctx, tx, d, field, key)
		if err != nil {
			return nil, err
		}
		if len(found) > 1 {
			return nil, problem.New(problem.StateConflict, "More than one entity has this value. Use the ID instead.")
		}
		if id = ""; len(found) == 1 {
			id = found[0]
		}
	}
	t := &loadedHistory{declaration: d}
	if id == "" {
		return nil, entityNotFound()
	}
	if described, ok := kind.(entitytable.Describer); ok {
		return t, a.addDeclaredHistory(ctx, tx, t, described.EntityTable(d.Export.Table), id)
	}
	e, err := a.addEntityHistory(ctx, tx, t, d.Export.Table, id)
	if err != nil {
		return nil, err
	}
	if e == nil {
		return nil, entityNotFound()
	}
	for i, column := range e.Columns {
		if table, beside := d.Export.RelatedTables[column]; beside && e.Values[i] != nil {
			if _, err := a.addEntityHistory(ctx, tx, t, table, *e.Values[i]); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

func entityNotFound() error {
	return problem.New(problem.NotFound, "Entity not found. Deleted entities have no history.")
}

// addEntityHistory adds an entity with its history; it returns nil if the entity does not exist.
func (a *api) addEntityHistory(ctx context.Context, tx pgx.Tx, t *loadedHistory, table, id string) (*entitytable.Entity, error) {
	e, err := a.DB.Entity(ctx, tx, table, id)
	if err != nil || e == nil {
		return nil, err
	}
	steps, end, err := history.Load(ctx, tx, a.DB, e)
	if err != nil {
		return nil, err
	}
	return e, a.addSteps(ctx, tx, t, e, steps, end)
}

// addDeclaredHistory adds an entity of a declared table with its history.
func (a *api) addDeclaredHistory(ctx context.Context, tx pgx.Tx, t *loadedHistory, of *entitytable.Table, id string) error {
	e, err := a.DB.DeclaredEntity(ctx, tx, of, id)
	if err != nil {
		return err
	}
	if e == nil {
		return entityNotFound()
	}
	steps, end, err := history.LoadDeclared(ctx, tx, a.DB, t.declaration.Name, e)
	if err != nil {
		return err
	}
	return a.addSteps(ctx, tx, t, e, steps, end)
}

func (a *api) addSteps(ctx context.Context, tx pgx.Tx, t *loadedHistory, e *entitytable.Entity, steps []history.Step, end history.EndReason) error {
	edited, err := history.EditedSinceCreation(ctx, tx, a.DB, e, steps, end)
	t.entities = append(t.entities, entityHistory{e, steps, end, edited})
	return err
}

// historyStep is one step of one of the entities.
type historyStep struct {
	entity *entityHistory
	place  int
}

// mergeSteps returns the steps of all entities, newest first.
func (t *loadedHistory) mergeSteps() (all []historyStep) {
	next := make([]int, len(t.entities))
	for {
		latest := -1
		for i := range t.entities {
			if e := &t.entities[i]; next[i] < len(e.steps) && (latest < 0 || e.steps[next[i]].Written.After(t.entities[latest].steps[next[latest]].Written)) {
				latest = i
			}
		}
		if latest < 0 {
			return all
		}
		all = append(all, historyStep{&t.entities[latest], next[latest]})
		next[latest]++
	}
}

// toDocument returns a page of the history, with the sources of all current values.
func (t *loadedHistory) toDocument(ctx context.Context, tx pgx.Tx, db *postgres.DB, skip, limit int) (*historyDocument, error) {
	all := t.mergeSteps()
	page := all[min(skip, len(all)):min(skip+limit, len(all))]
	document := &historyDocument{
		ImportType: t.declaration.Name, Values: []historyValue{}, Changes: make([]historyChange, len(page)), Complete: skip+len(page) == len(all),
	}
	if !document.Complete {
		document.Cursor = new(fmt.Sprint(skip + len(page)))
	}
	s, err := t.loadImports(ctx, tx, db, page)
	if err != nil {
		return nil, err
	}
	words := fieldNamesOf(t.declaration)
	for i := range t.entities {
		e := &t.entities[i]
		document.Entities = append(document.Entities, historyEntity{e.Table, e.ID, historyStart(e.end), e.edited})
		for _, v := range history.OriginOfValues(e.Entity, e.steps, e.end) {
			value := historyValue{Table: e.Table, Field: words.field(v.Column), Columns: []string{}, Value: v.Text, Edited: v.Edited}
			if v.Step >= 0 {
				source := s.sourceOf(&e.steps[v.Step])
				source.RowNumber = v.Row(e.Entity, e.steps, t.fieldIndex(e, v.Column))
				value.Source, value.Columns = &source, s.columns(e.steps[v.Step].Job, value.Field)
			}
			document.Values = append(document.Values, value)
		}
	}
	for i, step := range page {
		document.Changes[i] = s.change(step, words)
	}
	return document, nil
}

// fieldIndex returns the index of the field for a column of an entity, or -1.
func (t *loadedHistory) fieldIndex(e *entityHistory, column string) int {
	if e.Table != t.declaration.Export.Table {
		return -1
	}
	return slices.IndexFunc(t.declaration.Fields, func(f entity.Field) bool { return f.Column == column })
}

// jobKeys returns the jobs of the page and of the current values.
func (t *loadedHistory) jobKeys(page []historyStep) (keys []job.Key) {
	for _, step := range page {
		keys = append(keys, step.entity.steps[step.place].Job)
	}
	for i := range t.entities {
		e := &t.entities[i]
		for _, v := range history.OriginOfValues(e.Entity, e.steps, e.end) {
			if v.Step >= 0 {
				keys = append(keys, e.steps[v.Step].Job)
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
