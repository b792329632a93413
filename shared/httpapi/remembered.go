package httpapi

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/problem"
)

// Pages of remembered decisions.
const (
	rememberedPage    = 50
	maxRememberedPage = 500
)

// rememberedColumn is what a person decided about a header.
type rememberedColumn struct {
	ID           int64     `json:"id"`
	SourceHeader string    `json:"sourceHeader"`
	TargetField  *string   `json:"targetField"` // null: such columns are ignored
	DecidedAt    time.Time `json:"decidedAt"`
	ImportID     *job.ID   `json:"importId"` // in which; null if it was decided before that was kept
}

func toRememberedColumn(d job.ColumnDecision) rememberedColumn {
	return rememberedColumn{ID: d.ID, SourceHeader: d.Header, TargetField: orNull(d.TargetField), DecidedAt: d.DecidedAt.UTC(), ImportID: orNull(d.DecidedIn)}
}

// rememberedValue is what a person decided about a value of a field.
type rememberedValue struct {
	ID             int64     `json:"id"`
	TargetField    string    `json:"targetField"`
	SourceValue    string    `json:"sourceValue"`
	TargetEntityID *int64    `json:"targetEntityId"` // null: rows with the value are skipped, unless create is set
	Create         bool      `json:"create"`         // an entity is made of the value
	DecidedAt      time.Time `json:"decidedAt"`
	ImportID       *job.ID   `json:"importId"` // in which; null if it was decided before that was kept
}

func toRememberedValue(d job.CellDecision) rememberedValue {
	return rememberedValue{
		ID: d.ID, TargetField: d.TargetField, SourceValue: d.Value, TargetEntityID: entityID(d.EntityID), Create: d.Create,
		DecidedAt: d.DecidedAt.UTC(), ImportID: orNull(d.DecidedIn),
	}
}

// rememberedRoutes lists the operations on what is remembered for later files.
func (a *api) rememberedRoutes() []route {
	const columns, values = "/api/import-types/{type}/remembered-columns", "/api/import-types/{type}/remembered-values"
	return []route{
		{"GET", columns, scopeImportsRead, listRemembered(a, a.DB.ColumnDecisions, toRememberedColumn)},
		{"DELETE", columns + "/{id}", scopeImportsWrite, noQuery(a.forget(a.DB.ForgetColumn))},
		{"GET", values, scopeImportsRead, listRemembered(a, a.DB.CellDecisions, toRememberedValue)},
		{"DELETE", values + "/{id}", scopeImportsWrite, noQuery(a.forget(a.DB.ForgetCell))},
	}
}

// listRemembered returns the endpoint that lists decisions, the newest first.
func listRemembered[Decision, Document any](
	a *api, find func(context.Context, pgx.Tx, string, postgres.Page) ([]Decision, int64, error), document func(Decision) Document,
) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		decl, err := a.typeInPath(r)
		if err != nil {
			return err
		}
		v := newValues(r.URL.Query())
		p := v.page(rememberedPage, maxRememberedPage)
		v.rejectUnknown(pageParams()...)
		if err := v.err(); err != nil {
			return err
		}
		var found []Decision
		var total int64
		err = a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) (err error) {
			found, total, err = find(ctx, tx, decl.Name, postgres.Page{Offset: p.offset(), Limit: p.size})
			return err
		})
		if err != nil {
			return err
		}
		documents := make([]Document, len(found))
		for i, d := range found {
			documents[i] = document(d)
		}
		return writePage(w, r, http.StatusOK, p, documents, total)
	}
}

// forget returns the endpoint that deletes a decision: later files are asked
// about again. Imports that have been decided already stay as they are.
func (a *api) forget(remove func(ctx context.Context, tx pgx.Tx, importType string, id int64) (bool, error)) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		decl, err := a.typeInPath(r)
		if err != nil {
			return err
		}
		notFound := problem.New(problem.NotFound, "Nothing is remembered under this id.")
		id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
		if err != nil {
			return notFound
		}
		var removed bool
		err = a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) (err error) {
			removed, err = remove(ctx, tx, decl.Name, id)
			return err
		})
		if err != nil {
			return err
		}
		if !removed {
			return notFound
		}
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
}
