package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/operations"
)

// Operations shows the work of all organisations and handles stuck work.
type Operations interface {
	Overview(ctx context.Context) (*operations.Overview, error)
	Imports(ctx context.Context, f operations.ImportFilter) ([]operations.Import, int64, error)
	Import(ctx context.Context, id job.ID) (*operations.Import, error)
	RequeueImport(ctx context.Context, by string, id job.ID) (operations.Requeued, error)
	Exports(ctx context.Context, f operations.ExportFilter) ([]operations.Export, int64, error)
	RequeueExport(ctx context.Context, by string, id job.ExportID) (operations.Requeued, error)
	Erasures(ctx context.Context, p job.Page) ([]operations.Erasure, int64, error)
	QueueStates(ctx context.Context) ([]operations.QueueState, error)
	DeadLetters(ctx context.Context, queue string) ([]operations.DeadLetter, error)
	Redrive(ctx context.Context, by, queue, id string) error
	Discard(ctx context.Context, by, queue, id string) error
}

// ConsoleLinks are links to the cloud's own console; the zero value has none.
type ConsoleLinks struct {
	Execution             func(id job.ID) string
	Executions, Dashboard string
}

func (a *operatorAPI) operationsRoutes() []route {
	const imports, exports, letters = "/api/admin/imports", "/api/admin/exports", "/api/admin/queues/{queue}/dead-letters"
	return []route{
		{"GET", "/api/admin/overview", scopeOperator, withoutQuery(a.getOverview)},
		{"GET", imports, scopeOperator, a.listImports},
		{"GET", imports + "/{importId}", scopeOperator, withoutQuery(a.getImport)},
		{"POST", imports + "/{importId}/redrive", scopeOperator, withoutQuery(a.redriveImport)},
		{"GET", exports, scopeOperator, a.listExports},
		{"POST", exports + "/{exportId}/redrive", scopeOperator, withoutQuery(a.redriveExport)},
		{"GET", "/api/admin/erasures", scopeOperator, a.listErasures},
		{"GET", "/api/admin/queues", scopeOperator, withoutQuery(a.listQueues)},
		{"GET", letters, scopeOperator, withoutQuery(a.listDeadLetters)},
		{"POST", letters + "/{messageId}/redrive", scopeOperator, withoutQuery(a.redriveDeadLetter)},
		{"POST", letters + "/{messageId}/discard", scopeOperator, withoutQuery(a.discardDeadLetter)},
	}
}

// stateCount is the number of items in a state.
type stateCount struct {
	Status   string    `json:"status"`
	Count    int64     `json:"count"`
	OldestAt time.Time `json:"oldestAt"`
}

func toStateCounts(counts []operations.StateCount, name func(string) string) []stateCount {
	documents := make([]stateCount, len(counts))
	for i, c := range counts {
		documents[i] = stateCount{name(c.Status), c.Count, c.Oldest.UTC()}
	}
	return documents
}

type failureCount struct {
	Code  string `json:"code"`
	Count int64  `json:"count"`
}

// overviewDocument is the JSON form of the installation's status.
type overviewDocument struct {
	Imports       []stateCount   `json:"imports"`
	Exports       []stateCount   `json:"exports"`
	StuckImports  int64          `json:"stuckImports"`
	StuckExports  int64          `json:"stuckExports"`
	OpenErasures  int64          `json:"openErasures"`
	RowsPerSecond float64        `json:"rowsPerSecond"`
	Rows          int64          `json:"rows"`
	ErrorRows     int64          `json:"errorRows"`
	Failures      []failureCount `json:"failures"`
	StuckAfter    int64          `json:"stuckAfterSeconds"`
	Executions    *string        `json:"executionsUrl"`
	Dashboard     *string        `json:"dashboardUrl"`
}

// getOverview is GET /api/admin/overview.
func (a *operatorAPI) getOverview(w http.ResponseWriter, r *http.Request) error {
	o, err := a.operations.Overview(r.Context())
	if err != nil {
		return err
	}
	failures := make([]failureCount, len(o.Failures))
	for i, f := range o.Failures {
		failures[i] = failureCount(f)
	}
	return writeJSON(w, http.StatusOK, overviewDocument{
		Imports: toStateCounts(o.Imports, identity), Exports: toStateCounts(o.Exports, exportStatusName),
		StuckImports: o.StuckImports, StuckExports: o.StuckExports, OpenErasures: o.OpenErasures,
		RowsPerSecond: o.RowsPerSecond, Rows: o.Rows, ErrorRows: o.ErrorRows, Failures: failures, StuckAfter: int64(o.StuckAfter.Seconds()),
		Executions: nilIfZero(a.links.Executions), Dashboard: nilIfZero(a.links.Dashboard),
	})
}

func identity(s string) string { return s }
