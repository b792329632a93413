package httpapi

import (
	"net/http"
	"time"

	"github.com/loadbay/loadbay/shared/changes/erasure"
)

// erasureTimeout is how long a request erases: API Gateway waits for half a minute.
const erasureTimeout = 15 * time.Second

// erasePerson is DELETE /api/admin/organisations/{organisationId}/persons/{key}. It is
// served beside the routes of organisations, not with those of operators: whoever these
// are served by sees neither entities nor imports.
func (a *api) erasePerson(w http.ResponseWriter, r *http.Request) error {
	organisation, err := organisationFromPath(r)
	if err != nil {
		return err
	}
	report, err := erasure.New(a.DB, a.Log).ErasePerson(r.Context(), callerName(r), organisation, r.PathValue("key"), erasureTimeout)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if !report.Complete {
		status = http.StatusAccepted
	}
	return writeJSON(w, status, map[string]any{"complete": report.Complete, "erasedChanges": report.Changes, "openImports": report.OpenImports})
}
