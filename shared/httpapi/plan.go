package httpapi

import (
	"net/http"
	"time"

	"github.com/loadbay/loadbay/shared/imports/review"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// importPlan describes the plan of an import: ImportPlan in openapi.yaml.
type importPlan struct {
	Asked     bool             `json:"asked"`
	Approval  job.Approval     `json:"approval"`
	Guards    *job.Guards      `json:"guards"`
	Digest    *string          `json:"digest"`
	OnStale   *job.StalePolicy `json:"onStale"`
	AppliedAt *time.Time       `json:"appliedAt"`
	AppliedBy *string          `json:"appliedBy"`
}

func toImportPlan(p *job.Plan) *importPlan {
	if p == nil {
		return nil
	}
	document := &importPlan{
		Asked: p.Requested, Approval: job.ApprovalAny, Guards: nilIfNoGuards(p.Guards), Digest: nilIfZero(p.Digest),
		OnStale: nilIfZero(p.OnStale), AppliedAt: utcOrNil(p.AppliedAt), AppliedBy: nilIfZero(p.AppliedBy),
	}
	if p.Approval != "" {
		document.Approval = p.Approval
	}
	return document
}

func nilIfNoGuards(g job.Guards) *job.Guards {
	if g.Empty() {
		return nil
	}
	return &g
}

// applyRequest is the body of POST …/apply.
type applyRequest struct {
	Digest  string          `json:"digest"`
	OnStale job.StalePolicy `json:"onStale"`
}

// applyPlan is POST …/apply.
func (a *api) applyPlan(w http.ResponseWriter, r *http.Request) error {
	request := applyRequest{OnStale: job.SkipStale}
	if err := readJSON(r, &request, maxDocument); err != nil {
		return err
	}
	if !request.OnStale.Valid() {
		return problem.New(problem.ParameterInvalid, "Unknown setting for stale rows.").
			With("onStale", problem.ParameterInvalid, problem.OneOf([]job.StalePolicy{job.SkipStale, job.AbortOnStale, job.OverwriteStale}))
	}
	j, err := a.Review.Apply(r.Context(), jobRef(r), review.Approval{Digest: request.Digest, OnStale: request.OnStale, By: callerName(r)})
	if err != nil {
		return err
	}
	return writeAccepted(w, toImportJob(languageOf(r), j))
}
