package httpapi

import (
	"context"
	"net/http"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// cancelledWork describes work that an operator has cancelled.
type cancelledWork struct {
	ID             string    `json:"id"`
	OrganisationID tenant.ID `json:"organisationId"`
	Status         string    `json:"status"`
}

// operatorCancelImport is DELETE /api/admin/organisations/{organisationId}/imports/{importId}. Like
// erasePerson, it is served by the function for organisations, because the operator function
// cannot change imports. It is idempotent.
func (a *api) operatorCancelImport(w http.ResponseWriter, r *http.Request) error {
	organisation, err := organisationFromPath(r)
	if err != nil {
		return err
	}
	ref := job.Ref{JobID: jobID(r, "importId"), OrganisationID: organisation}
	j, err := a.Canceller.Cancel(r.Context(), ref)
	if problem.CodeOf(err) == problem.StateConflict {
		j, err = a.loadCancelled(r.Context(), ref, err)
	} else if err == nil {
		a.Log.InfoContext(r.Context(), "operator", "action", "import cancelled", "by", callerName(r), "of_organisation", organisation, "job_id", ref.JobID)
	}
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, cancelledWork{string(j.ID), organisation, string(j.Status)})
}

// loadCancelled returns the import if the refusal is due to its being cancelled already.
func (a *api) loadCancelled(ctx context.Context, ref job.Ref, refusal error) (j *job.Job, err error) {
	err = a.DB.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		j, err = a.DB.Job(ctx, tx, ref.JobID)
		return err
	})
	if err == nil && j.Status != job.Cancelled {
		err = refusal
	}
	return j, err
}

// operatorCancelExport is DELETE /api/admin/organisations/{organisationId}/exports/{exportId}. It is
// idempotent.
func (a *api) operatorCancelExport(w http.ResponseWriter, r *http.Request) error {
	organisation, err := organisationFromPath(r)
	if err != nil {
		return err
	}
	e, err := a.cancelExportByID(r.Context(), organisation, exportID(r))
	if problem.CodeOf(err) == problem.StateConflict && e.Status == job.ExportCancelled {
		err = nil
	} else if err == nil {
		a.Log.InfoContext(r.Context(), "operator", "action", "export cancelled", "by", callerName(r), "of_organisation", organisation, "export_id", e.ID)
	}
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, cancelledWork{string(e.ID), organisation, exportStatusName(string(e.Status))})
}
