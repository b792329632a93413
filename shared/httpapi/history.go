package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/history"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/problem"
)

// How many changes of an entity a response has.
const (
	historyPage    = 50
	maxHistoryPage = 200
)

// entityHistory is GET /api/entities/{type}/{key}/history.
func (a *api) entityHistory(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	by, skip := v.text("by"), v.intBetween("cursor", 0, 2*history.MaxSteps, 0)
	limit := v.intBetween("limit", 1, maxHistoryPage, historyPage)
	v.rejectUnknown("by", "cursor", "limit")
	kind, known := a.Types.ByName(r.PathValue("type"))
	if !known || kind.Declaration().Export == nil {
		return problem.New(problem.TypeUnknown, "There is no such import type with entities of its own.")
	}
	d := kind.Declaration()
	field := d.FieldIndex(by)
	if by != "" && field < 0 {
		v.invalid("by", "The name of a field of the type.")
	}
	if err := v.err(); err != nil {
		return err
	}
	var document *historyDocument
	err := a.DB.InSnapshot(r.Context(), organisationOf(r), func(tx pgx.Tx) error {
		told, err := a.tellHistory(r.Context(), tx, d, field, r.PathValue("key"))
		if err != nil {
			return err
		}
		document, err = told.document(r.Context(), tx, a.DB, int(skip), int(limit))
		return err
	})
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, document)
}

// told is the history of an entity, and of those beside it.
type told struct {
	declaration *entity.Declaration
	entities    []toldEntity
}

type toldEntity struct {
	*postgres.Entity
	steps  []history.Step
	end    history.End
	edited bool // since it was made
}

// tellHistory finds the entity with that id, or with that value of a field.
func (a *api) tellHistory(ctx context.Context, tx pgx.Tx, d *entity.Declaration, field int, key string) (*told, error) {
	id := key
	if field >= 0 {
		rows, err := tx.Query(ctx, d.Find(field), key)
		if err != nil {
			return nil, fmt.Errorf("find %s: %w", d.Resource, err)
		}
		found, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return nil, fmt.Errorf("find %s: %w", d.Resource, err)
		}
		if len(found) > 1 {
			return nil, problem.New(problem.StateConflict, "There are several with this value. Ask by the id of one.")
		}
		if id = ""; len(found) == 1 {
			id = found[0]
		}
	}
	t := &told{declaration: d}
	if id == "" {
		return nil, missingEntity()
	}
	e, err := a.tell(ctx, tx, t, d.Export.Table, id)
	if err != nil {
		return nil, err
	}
	if e == nil {
		return nil, missingEntity()
	}
	for i, column := range e.Columns {
		if table, beside := d.Export.Beside[column]; beside && e.Values[i] != nil {
			if _, err := a.tell(ctx, tx, t, table, *e.Values[i]); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

func missingEntity() error {
	return problem.New(problem.NotFound, "There is no such entity. One that has been deleted has no history.")
}

// tell adds an entity with its history; nil where there is none.
func (a *api) tell(ctx context.Context, tx pgx.Tx, t *told, table, id string) (*postgres.Entity, error) {
	e, err := a.DB.Entity(ctx, tx, table, id)
	if err != nil || e == nil {
		return nil, err
	}
	steps, end, err := history.Walk(ctx, tx, a.DB, e)
	if err != nil {
		return nil, err
	}
	edited, err := history.EditedSinceMade(ctx, tx, a.DB, e, steps, end)
	t.entities = append(t.entities, toldEntity{e, steps, end, edited})
	return e, err
}

// toldStep is one step of one of the entities.
type toldStep struct {
	entity *toldEntity
	place  int
}

// steps are those of all entities, the last first.
func (t *told) steps() (all []toldStep) {
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
		all = append(all, toldStep{&t.entities[latest], next[latest]})
		next[latest]++
	}
}

// document is a part of the history, with where all values are from.
func (t *told) document(ctx context.Context, tx pgx.Tx, db *postgres.DB, skip, limit int) (*historyDocument, error) {
	all := t.steps()
	page := all[min(skip, len(all)):min(skip+limit, len(all))]
	document := &historyDocument{
		ImportType: t.declaration.Name, Values: []historyValue{}, Changes: make([]historyChange, len(page)), Complete: skip+len(page) == len(all),
	}
	if !document.Complete {
		document.Cursor = new(fmt.Sprint(skip + len(page)))
	}
	s, err := t.sources(ctx, tx, db, page)
	if err != nil {
		return nil, err
	}
	words := wordsOf(t.declaration)
	for i := range t.entities {
		e := &t.entities[i]
		document.Entities = append(document.Entities, historyEntity{e.Table, e.ID, begins(e.end), e.edited})
		for _, v := range history.Values(e.Entity, e.steps, e.end) {
			value := historyValue{Table: e.Table, Field: words.field(v.Column), Value: v.Text, Edited: v.Edited}
			if v.Step >= 0 {
				source := s.of(&e.steps[v.Step])
				source.RowNumber = v.Row(e.Entity, e.steps, t.place(e, v.Column))
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

// place is that of the field that a column of an entity is for, or -1.
func (t *told) place(e *toldEntity, column string) int {
	if e.Table != t.declaration.Export.Table {
		return -1
	}
	return slices.IndexFunc(t.declaration.Fields, func(f entity.Field) bool { return f.Column == column })
}

// jobs are those that the page and the present values are of.
func (t *told) jobs(page []toldStep) (keys []job.Key) {
	for _, step := range page {
		keys = append(keys, step.entity.steps[step.place].Job)
	}
	for i := range t.entities {
		e := &t.entities[i]
		for _, v := range history.Values(e.Entity, e.steps, e.end) {
			if v.Step >= 0 {
				keys = append(keys, e.steps[v.Step].Job)
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
