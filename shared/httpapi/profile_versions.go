package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/profile"
)

// versionFromPath returns the profile and the version in the path.
func versionFromPath(r *http.Request) (id job.ProfileID, version int, err error) {
	if id, err = profileFromPath(r); err != nil {
		return "", 0, err
	}
	if version, err = strconv.Atoi(r.PathValue("version")); err != nil || version < 1 || version > maxVersion {
		return "", 0, problem.New(problem.NotFound, "The profile does not have this version.")
	}
	return id, version, nil
}

// maxVersion is the largest accepted version number.
const maxVersion = 1 << 30

// listProfileImports is GET /api/profiles/{profileId}/imports: the imports that used the profile, newest
// first.
func (a *api) listProfileImports(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	p := v.page(jobsPage, maxJobsPage)
	v.rejectUnknown(pageParams()...)
	if err := v.err(); err != nil {
		return err
	}
	id, err := profileFromPath(r)
	if err != nil {
		return err
	}
	var jobs []*job.Job
	var total int64
	err = a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := a.DB.Profile(ctx, tx, id); err != nil {
			return err
		}
		jobs, total, err = a.DB.Jobs(ctx, tx, postgres.JobFilter{Profile: id, Page: p.list()})
		return err
	})
	if err != nil {
		return err
	}
	documents := make([]importJob, len(jobs))
	for i, j := range jobs {
		documents[i] = toImportJob(languageOf(r), j)
	}
	return writeList(w, r, http.StatusOK, p, documents, func(i int) []string { return postgres.JobSort{}.Cursor(jobs[i]) }, total)
}

// listProfileVersions is GET /api/profiles/{profileId}/versions.
func (a *api) listProfileVersions(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	p := v.page(profilesPage, maxProfilesPage)
	v.rejectUnknown(pageParams()...)
	if err := v.err(); err != nil {
		return err
	}
	id, err := profileFromPath(r)
	if err != nil {
		return err
	}
	var found []profile.Version
	var total int64
	err = a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) error {
		if _, err := a.DB.Profile(ctx, tx, id); err != nil {
			return err
		}
		found, total, err = a.DB.ProfileVersions(ctx, tx, id, p.list())
		return err
	})
	if err != nil {
		return err
	}
	documents := make([]profileVersion, len(found))
	for i := range found {
		documents[i] = toProfileVersion(&found[i])
	}
	return writeList(w, r, http.StatusOK, p, documents, func(i int) []string { return postgres.ProfileVersionCursor(&found[i]) }, total)
}

// getProfileVersion is GET /api/profiles/{profileId}/versions/{version}.
func (a *api) getProfileVersion(w http.ResponseWriter, r *http.Request) error {
	id, number, err := versionFromPath(r)
	if err != nil {
		return err
	}
	var found *profile.Version
	err = a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) (err error) {
		found, err = a.DB.ProfileVersion(ctx, tx, id, number)
		return err
	})
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, profileVersionDocument{toProfileVersion(found), found.Mapping})
}

// restoreProfile is POST /api/profiles/{profileId}/versions/{version}/restore.
func (a *api) restoreProfile(w http.ResponseWriter, r *http.Request) error {
	id, number, err := versionFromPath(r)
	if err != nil {
		return err
	}
	p, err := a.Profiles.Restore(r.Context(), profileCaller(r), id, number)
	if err != nil {
		return err
	}
	w.Header().Set("Location", fmt.Sprintf("/api/profiles/%s", p.ID))
	return writeProfile(w, http.StatusOK, p)
}
