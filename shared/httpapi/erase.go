package httpapi

import (
	"net/http"
	"time"
)

// erasureTimeout is the time budget of an erasure request: API Gateway waits for 30 seconds.
const erasureTimeout = 15 * time.Second

// erasePerson is DELETE /api/admin/organisations/{organisationId}/persons/{personKey}. It is served by
// the function for organisations, because the database role of the operator function has no
// access to entities and imports.
func (a *api) erasePerson(w http.ResponseWriter, r *http.Request) error {
	organisation, err := organisationFromPath(r)
	if err != nil {
		return err
	}
	report, err := a.erasures.ErasePerson(r.Context(), callerName(r), organisation, r.PathValue("personKey"), erasureTimeout)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if !report.Complete {
		status = http.StatusAccepted
	}
	return writeJSON(w, status, map[string]any{"complete": report.Complete, "erasedChanges": report.Changes, "openImports": report.OpenImports})
}
