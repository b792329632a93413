package httpapi

import (
	"net/http"

	"github.com/loadbay/loadbay/shared/erase"
)

// erasePerson is DELETE /api/admin/organisations/{organisationId}/persons/{key}. It is
// served beside the routes of organisations, not with those of operators: whoever these
// are served by sees neither entities nor imports.
func (a *api) erasePerson(w http.ResponseWriter, r *http.Request) error {
	organisation, err := organisationInPath(r)
	if err != nil {
		return err
	}
	report, err := erase.New(a.DB, a.Log).Person(r.Context(), callerOf(r), organisation, r.PathValue("key"))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, map[string]any{"erasedChanges": report.Changes, "openImports": report.OpenImports})
}
