package httpapi

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/output/export"
)

// maxCountedRows is the limit up to which rows are counted.
const maxCountedRows = 1_000_000

// exportCount is the number of rows that an export would have.
type exportCount struct {
	Records int64 `json:"records"`
	More    bool  `json:"more"` // there are more than maxCountedRows
}

// countExport is GET /api/exports/count: the size of an export before it is created.
func (a *api) countExport(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	v.rejectUnknown("importType", "filters")
	name, filters := v.text("importType"), v.text("filters")
	if err := v.err(); err != nil {
		return err
	}
	kind, err := a.kindInUse(r, "importType", name)
	if err != nil {
		return err
	}
	decl := kind.Declaration()
	selection, err := export.Select(decl, nil, json.RawMessage(filters))
	if err != nil {
		return err
	}
	var n int64
	err = a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) (err error) {
		if err := compareTable(ctx, tx, kind); err != nil {
			return err
		}
		n, err = entity.Count(ctx, tx, decl, selection, maxCountedRows+1)
		return err
	})
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, exportCount{Records: min(n, maxCountedRows), More: n > maxCountedRows})
}
