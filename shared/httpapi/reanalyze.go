package httpapi

import (
	"net/http"

	"github.com/loadbay/loadbay/shared/imports/reading"
)

// maxChange is the maximum size in bytes of a change of the reading options.
const maxChange = maxDocument

// reanalyzeImport is PATCH …/source: 202 with the job. Its file is analysed again unless the
// options are the same.
func (a *api) reanalyzeImport(w http.ResponseWriter, r *http.Request) error {
	var change reading.OptionsPatch
	if err := readJSON(r, &change, maxChange); err != nil {
		return err
	}
	j, err := a.Readings.Reanalyze(r.Context(), jobRef(r), callerName(r), change)
	if err != nil {
		return err
	}
	return writeAccepted(w, toImportJob(languageOf(r), j))
}
