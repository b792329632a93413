package httpapi

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/problem"
)

// jobFilter reads the parameters that filter and sort a list of imports.
func (a *api) jobFilter(r *http.Request, v *values) postgres.JobFilter {
	f := postgres.JobFilter{
		ImportType: v.text("importType"), Filename: v.text("filename"), Uploader: v.text("uploader"), Label: v.text("label"),
		SHA256: v.checksum("sha256"), Statuses: v.statuses(), Created: v.period("createdFrom", "createdTo"), Sort: v.sort(), Waiting: v.optionalFlag("waiting"),
	}
	f.Profile, f.ProfileName = v.profile()
	a.checkTypeFilter(r, v, f.ImportType)
	return f
}

// checkTypeFilter checks the name of a type by which a list is filtered. A retired one is allowed.
func (a *api) checkTypeFilter(r *http.Request, v *values, name string) {
	if name == "" {
		return
	}
	_, err := a.Types.Type(r.Context(), nil, organisationOf(r), name, 0)
	switch problem.CodeOf(err) {
	case problem.ImportTypeUnknown:
		v.addError("importType", "One of the types in GET /api/import-types.")
	case problem.TypeNotInstalled:
		v.problem = problem.From(err)
	}
}

// jobFilterParameters returns the names of the parameters of jobFilter.
func jobFilterParameters() []string {
	return pageParams("organisationId", "status", "active", "waiting", "importType", "filename", "sha256", "uploader", "label", "profile", "createdFrom", "createdTo", "sort")
}

// checksum returns the SHA-256 in the parameter, in lower case.
func (v *values) checksum(name string) string {
	text := strings.ToLower(v.text(name))
	if sum, err := hex.DecodeString(text); text != "" && (err != nil || len(sum) != sha256.Size) {
		v.addError(name, "A SHA-256 in hexadecimal: 64 digits.")
	}
	return text
}

// profile returns the id or the name of the profile in the parameter.
func (v *values) profile() (job.ProfileID, string) {
	text := v.text("profile")
	if id, err := job.ParseProfileID(text); err == nil {
		return id, ""
	}
	return "", text
}

// sort returns the sort order of a list of imports: a name, with a minus sign for descending order.
func (v *values) sort() postgres.JobSort {
	text := v.text("sort")
	if text == "" {
		return postgres.JobSort{}
	}
	by, descending := strings.CutPrefix(text, "-")
	if !postgres.CanSortJobs(by) {
		v.addError("sort", "One of createdAt, updatedAt, filename, label, status; prefix it with - for descending order.")
	}
	return postgres.JobSort{By: by, Descending: descending}
}

// statuses returns the statuses in the parameter status, a list, and active: the statuses of imports
// that have not ended. Without these parameters it returns nil: all.
func (v *values) statuses() (wanted []job.Status) {
	for name := range strings.SplitSeq(v.text("status"), ",") {
		status := job.Status(name)
		if status.Valid() {
			wanted = append(wanted, status)
		} else if v.raw.Get("status") != "" {
			v.addError("status", "A comma-separated list of UPLOADED, COLUMN_MAPPING, CELL_MAPPING, PROCESSING, AWAITING_APPROVAL, COMPLETED, FAILED, CANCELLED.")
		}
	}
	active := v.optionalFlag("active")
	if active == nil {
		return wanted
	}
	if wanted != nil {
		v.addError("active", "Use either status or active.")
	}
	for _, status := range job.Statuses() {
		if status.Terminal() != *active {
			wanted = append(wanted, status)
		}
	}
	return wanted
}
