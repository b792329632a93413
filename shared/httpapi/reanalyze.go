package httpapi

import (
	"net/http"

	"github.com/loadbay/loadbay/shared/imports/reading"
)

// maxChange is the most bytes of a change of how a file is read.
const maxChange = maxDocument

// reanalyzeImport is PATCH …/source: 202 with the job, whose file is read again, or which
// stands as it is where the change says nothing new.
func (a *api) reanalyzeImport(w http.ResponseWriter, r *http.Request) error {
	var change reading.OptionsPatch
	if err := readJSON(r, &change, maxChange); err != nil {
		return err
	}
	j, err := a.Readings.Reanalyze(r.Context(), jobRef(r), change)
	if err != nil {
		return err
	}
	return writeAccepted(w, toImportJob(j))
}
