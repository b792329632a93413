package httpapi

import (
	"net/http"
	"time"

	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/organisation/deletion"
	"github.com/loadbay/loadbay/shared/output/export"
	"github.com/loadbay/loadbay/shared/problem"
)

const deletionPath = "/api/organisation/deletion"

// organisationRoutes lists the operations on the whole organisation.
func (a *api) organisationRoutes() []route {
	return []route{
		{"POST", "/api/organisation/export", scopeOrganisationWrite, withoutQuery(a.exportOrganisation)},
		{"GET", deletionPath, scopeOrganisationWrite, withoutQuery(a.getDeletion)},
		{"POST", deletionPath, scopeOrganisationWrite, withoutQuery(a.requestDeletion)},
		{"DELETE", deletionPath, scopeOrganisationWrite, withoutQuery(a.withdrawDeletion)},
		{"POST", deletionPath + "/confirm", scopeOrganisationWrite, withoutQuery(a.confirmDeletion)},
	}
}

// exportOrganisation is POST /api/organisation/export.
func (a *api) exportOrganisation(w http.ResponseWriter, r *http.Request) error {
	key, err := idempotencyKey(r)
	if err != nil {
		return err
	}
	done, err := a.Exports.Archive(r.Context(), submit.ExportRequest{OrganisationID: organisationOf(r), RequestID: requestIDOf(r.Context()), Key: key})
	if err != nil {
		return err
	}
	a.Log.InfoContext(r.Context(), "administrator", "action", "organisation export requested", "by", callerName(r), "of_organisation", organisationOf(r))
	return writeJSON(w, writeAcceptedExportHeaders(w, exportJobsPath+"/", done), toExportJob(languageOf(r), done.Export))
}

// checkArchive refuses the download of an archive to callers who may only read exports of types.
func (a *api) checkArchive(r *http.Request, e *job.Export) error {
	if export.Format(e.Format) != export.Archive || a.Auth.Claims.hold(claimsOf(r), scopeOrganisationWrite) {
		return nil
	}
	return problem.New(problem.ScopeRequired, "Permission denied: the token does not have the scope %s.", scopeOrganisationWrite)
}

// deletionDocument is the JSON form of a deletion.
type deletionDocument struct {
	Status           string           `json:"status"`
	OrganisationID   int64            `json:"organisationId"`
	Name             *string          `json:"name"` // null once it is completed
	RequestedAt      time.Time        `json:"requestedAt"`
	RequestedBy      *string          `json:"requestedBy"` // null once it is completed
	NeedsOtherPerson bool             `json:"needsOtherPerson"`
	ExpiresAt        time.Time        `json:"expiresAt"`
	ConfirmedAt      *time.Time       `json:"confirmedAt"`
	CompletedAt      *time.Time       `json:"completedAt"`
	DeletedRows      map[string]int64 `json:"deletedRows"`
	DeletedFiles     int64            `json:"deletedFiles"`
}

func toDeletion(d *deletion.Deletion, name string) deletionDocument {
	document := deletionDocument{
		Status: "REQUESTED", OrganisationID: int64(d.Organisation), Name: nilIfZero(name), RequestedAt: d.RequestedAt.UTC(), RequestedBy: nilIfZero(d.RequestedBy),
		NeedsOtherPerson: d.OtherPerson, ExpiresAt: d.ExpiresAt().UTC(), ConfirmedAt: utcOrNil(d.ConfirmedAt), CompletedAt: utcOrNil(d.CompletedAt),
		DeletedRows: d.Rows, DeletedFiles: d.Objects,
	}
	switch {
	case d.CompletedAt != nil:
		document.Status = "COMPLETED"
	case d.ConfirmedAt != nil:
		document.Status = "CONFIRMED"
	}
	return document
}

// getDeletion is GET /api/organisation/deletion.
func (a *api) getDeletion(w http.ResponseWriter, r *http.Request) error {
	return a.writeDeletion(w, r, http.StatusOK)
}

func (a *api) writeDeletion(w http.ResponseWriter, r *http.Request, status int) error {
	d, name, err := a.deletions.State(r.Context(), organisationOf(r))
	if err != nil {
		return err
	}
	return writeJSON(w, status, toDeletion(d, name))
}

// requestDeletion is POST /api/organisation/deletion.
func (a *api) requestDeletion(w http.ResponseWriter, r *http.Request) error {
	if err := a.deletions.Request(r.Context(), organisationOf(r), callerName(r)); err != nil {
		return err
	}
	w.Header().Set("Location", deletionPath)
	return a.writeDeletion(w, r, http.StatusCreated)
}

// withdrawDeletion is DELETE /api/organisation/deletion.
func (a *api) withdrawDeletion(w http.ResponseWriter, r *http.Request) error {
	if err := a.deletions.Withdraw(r.Context(), organisationOf(r), callerName(r)); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// confirmDeletion is POST /api/organisation/deletion/confirm.
func (a *api) confirmDeletion(w http.ResponseWriter, r *http.Request) error {
	var body struct {
		Name string `json:"name"`
	}
	if err := readDeclaredJSON(r, &body, maxDocument); err != nil {
		return err
	}
	if err := a.deletions.Confirm(r.Context(), organisationOf(r), callerName(r), body.Name); err != nil {
		return err
	}
	w.Header().Set("Location", deletionPath)
	return a.writeDeletion(w, r, http.StatusAccepted)
}

// checkNotDeleted refuses requests that would change something in an organisation that is being
// deleted. The operations on the deletion itself check its state.
func (a *api) checkNotDeleted(r *http.Request, scope string) error {
	if r.Method == http.MethodGet || r.Method == http.MethodHead || scope == scopeOrganisationWrite {
		return nil
	}
	return a.DB.CheckNotDeleted(r.Context(), organisationOf(r))
}
