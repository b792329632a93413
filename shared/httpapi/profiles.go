package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/profile"
)

// Page sizes of profiles and their versions.
const (
	profilesPage    = 50
	maxProfilesPage = 200
)

// maxProfile is the maximum size in bytes of a body with a profile: its mapping, and headers.
const maxProfile = 2 << 20

// profileRoutes lists the operations on profiles.
func (a *api) profileRoutes() []route {
	const profiles, one = "/api/profiles", "/api/profiles/{profileId}"
	return []route{
		{"GET", profiles, scopeImportsRead, a.listProfiles},
		{"POST", profiles, scopeImportsWrite, withoutQuery(a.createProfile)},
		{"GET", one, scopeImportsRead, withoutQuery(a.getProfile)},
		{"PATCH", one, scopeImportsWrite, withoutQuery(a.changeProfile)},
		{"DELETE", one, scopeImportsWrite, withoutQuery(a.deleteProfile)},
		{"GET", one + "/versions", scopeImportsRead, a.listProfileVersions},
		{"GET", one + "/versions/{version}", scopeImportsRead, withoutQuery(a.getProfileVersion)},
		{"POST", one + "/versions/{version}/restore", scopeImportsWrite, withoutQuery(a.restoreProfile)},
		{"GET", one + "/imports", scopeImportsRead, a.listProfileImports},
		{"GET", "/api/imports/{importId}/profile-offers", scopeImportsRead, withoutQuery(a.listProfileOffers)},
	}
}

// profileFromPath returns the id of a profile in the path, or NOT_FOUND.
func profileFromPath(r *http.Request) (job.ProfileID, error) {
	id, err := job.ParseProfileID(r.PathValue("profileId"))
	if err != nil {
		return "", problem.New(problem.NotFound, "Profile not found.")
	}
	return id, nil
}

// profileCaller returns the caller who changes profiles with the request.
func profileCaller(r *http.Request) profile.Caller {
	return profile.Caller{Organisation: organisationOf(r), Name: callerName(r)}
}

// listProfiles is GET /api/profiles.
func (a *api) listProfiles(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	f := postgres.ProfileFilter{ImportType: v.text("importType"), Name: v.text("name")}
	a.checkTypeFilter(r, v, f.ImportType)
	p := v.page(profilesPage, maxProfilesPage)
	v.rejectUnknown(pageParams("importType", "name")...)
	if err := v.err(); err != nil {
		return err
	}
	f.Page = p.list()
	var found []profile.Profile
	var total int64
	err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) (err error) {
		found, total, err = a.DB.Profiles(ctx, tx, f)
		return err
	})
	if err != nil {
		return err
	}
	documents := make([]profileSummary, len(found))
	for i := range found {
		documents[i] = toProfileSummary(&found[i])
	}
	return writeList(w, r, http.StatusOK, p, documents, func(i int) []string { return postgres.ProfileCursor(&found[i]) }, total)
}

// createProfile is POST /api/profiles.
func (a *api) createProfile(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		ImportType string          `json:"importType"`
		Name       string          `json:"name"`
		Auto       bool            `json:"auto"`
		Headers    []string        `json:"headers"`
		Mapping    json.RawMessage `json:"mapping"`
		FromImport string          `json:"fromImport"`
		Notify     []string        `json:"notify"`
		job.StoredOptions
	}
	if err := readJSON(r, &body, maxProfile); err != nil {
		return err
	}
	d := profile.Draft{ImportType: body.ImportType, Name: body.Name, Auto: body.Auto, Headers: body.Headers, Mapping: body.Mapping, Notify: body.Notify, StoredOptions: body.StoredOptions}
	var err error
	if d.FromImport, err = fromImport(body.FromImport); err != nil {
		return err
	}
	if given := body.ImportType != "" || body.Headers != nil || body.Mapping != nil; given == (d.FromImport != "") {
		return problem.New(problem.EntityInvalid, "Create a profile from an import (fromImport), or from an importType with a mapping.").
			With("fromImport", problem.EntityInvalid, "Use it alone, or use importType and mapping.")
	}
	p, err := a.Profiles.Create(r.Context(), profileCaller(r), d)
	if err != nil {
		return err
	}
	w.Header().Set("Location", "/api/profiles/"+string(p.ID))
	return writeProfile(w, http.StatusCreated, p)
}

// fromImport parses the id of the import from which a profile is saved.
func fromImport(text string) (job.ID, error) {
	if text == "" {
		return "", nil
	}
	id, err := job.ParseID(text)
	if err != nil {
		return "", problem.New(problem.EntityInvalid, "The import in fromImport does not exist.").
			With("fromImport", problem.EntityInvalid, "The identifier of an import.")
	}
	return id, nil
}

// writeProfile responds with a profile and its version, which a change must specify.
func writeProfile(w http.ResponseWriter, status int, p *profile.Profile) error {
	w.Header().Set("ETag", strconv.Quote(strconv.Itoa(p.Number)))
	return writeJSON(w, status, toProfile(p))
}

// getProfile is GET /api/profiles/{profileId}.
func (a *api) getProfile(w http.ResponseWriter, r *http.Request) error {
	id, err := profileFromPath(r)
	if err != nil {
		return err
	}
	var p *profile.Profile
	err = a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) (err error) {
		p, err = a.DB.Profile(ctx, tx, id)
		return err
	})
	if err != nil {
		return err
	}
	return writeProfile(w, http.StatusOK, p)
}

// changeProfile is PATCH /api/profiles/{profileId}: it creates a new version.
func (a *api) changeProfile(w http.ResponseWriter, r *http.Request) error {
	id, err := profileFromPath(r)
	if err != nil {
		return err
	}
	expected, err := ifMatchVersion(r)
	if err != nil {
		return err
	}
	var body struct {
		Name       *string         `json:"name"`
		Auto       *bool           `json:"auto"`
		Headers    []string        `json:"headers"`
		Mapping    json.RawMessage `json:"mapping"`
		FromImport string          `json:"fromImport"`
		Notify     []string        `json:"notify"`
	}
	var members map[string]json.RawMessage
	if err := readJSON(r, &members, maxProfile); err != nil {
		return err
	}
	stored, err := takeStoredOptions(members)
	if err != nil {
		return err
	}
	if err := decodeMembers(members, &body); err != nil {
		return err
	}
	c := profile.Update{Name: body.Name, Auto: body.Auto, Headers: body.Headers, Mapping: body.Mapping, Notify: body.Notify, Stored: stored}
	if c.FromImport, err = fromImport(body.FromImport); err != nil {
		return err
	}
	p, err := a.Profiles.Update(r.Context(), profileCaller(r), id, expected, c)
	if err != nil {
		return err
	}
	return writeProfile(w, http.StatusOK, p)
}

// ifMatchVersion returns the version in If-Match: the one that the caller has read.
func ifMatchVersion(r *http.Request) (int, error) {
	const rule = `The ETag of the profile when it was loaded: "3".`
	given := r.Header.Values("If-Match")
	if len(given) == 0 {
		return 0, problem.New(problem.VersionRequired, "The profile version is missing. Send it in the If-Match header, so that no concurrent change is lost.").
			With("If-Match", problem.VersionRequired, rule)
	}
	tag := strings.TrimSpace(given[0])
	version, err := strconv.Atoi(strings.Trim(tag, `"`))
	if len(given) > 1 || err != nil || strconv.Quote(strconv.Itoa(version)) != tag {
		return 0, problem.New(problem.ParameterInvalid, "If-Match is not a valid ETag of a version.").With("If-Match", problem.ParameterInvalid, rule)
	}
	return version, nil
}

// deleteProfile is DELETE /api/profiles/{profileId}.
func (a *api) deleteProfile(w http.ResponseWriter, r *http.Request) error {
	id, err := profileFromPath(r)
	if err == nil {
		err = a.Profiles.Delete(r.Context(), organisationOf(r), id)
	}
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
