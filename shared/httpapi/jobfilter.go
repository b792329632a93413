package httpapi

import (
	"strings"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/postgres"
)

// jobFilter reads the parameters that narrow and sort a list of imports.
func (a *api) jobFilter(v *values) postgres.JobFilter {
	f := postgres.JobFilter{
		ImportType: v.text("importType"), Filename: v.text("filename"), Uploader: v.text("uploader"), Label: v.text("label"),
		Statuses: v.statuses(), Created: v.period("createdFrom", "createdTo"), Sort: v.sort(), Waiting: v.optionalFlag("waiting"),
	}
	f.Profile, f.ProfileName = v.profile()
	if _, known := a.Types.ByName(f.ImportType); f.ImportType != "" && !known {
		v.addError("importType", "One of those that GET /api/import-types lists.")
	}
	return f
}

// jobFilterParameters are the parameters of jobFilter.
func jobFilterParameters() []string {
	return pageParams("organisationId", "status", "active", "waiting", "importType", "filename", "uploader", "label", "profile", "createdFrom", "createdTo", "sort")
}

// profile is a profile by its id or by its name.
func (v *values) profile() (job.ProfileID, string) {
	text := v.text("profile")
	if id, err := job.ParseProfileID(text); err == nil {
		return id, ""
	}
	return "", text
}

// sort is by what a list of imports is sorted: a name, with a minus sign for the other
// direction.
func (v *values) sort() postgres.JobSort {
	text := v.text("sort")
	if text == "" {
		return postgres.JobSort{}
	}
	by, descending := strings.CutPrefix(text, "-")
	if !postgres.CanSortJobs(by) {
		v.addError("sort", "One of createdAt, updatedAt, filename, label, status; with a minus sign in front for the other direction.")
	}
	return postgres.JobSort{By: by, Descending: descending}
}

// statuses are those of the parameters status, a list, and active: those of imports that
// have not ended. Without them, nil: all.
func (v *values) statuses() (wanted []job.Status) {
	for name := range strings.SplitSeq(v.text("status"), ",") {
		status := job.Status(name)
		if status.Valid() {
			wanted = append(wanted, status)
		} else if v.raw.Get("status") != "" {
			v.addError("status", "Some of UPLOADED, COLUMN_MAPPING, CELL_MAPPING, PROCESSING, AWAITING_APPROVAL, COMPLETED, FAILED, CANCELLED, with commas between them.")
		}
	}
	active := v.optionalFlag("active")
	if active == nil {
		return wanted
	}
	if wanted != nil {
		v.addError("active", "Give either status or active.")
	}
	for _, status := range job.Statuses() {
		if status.Terminal() != *active {
			wanted = append(wanted, status)
		}
	}
	return wanted
}
