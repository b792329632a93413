package httpapi

import (
	"encoding/json"
	"net/http"
	"time"

	"github.com/loadbay/loadbay/shared/imports/review"
	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// planning is what a request for an import says of being rehearsed first. It is called
// the same at every endpoint.
type planning struct {
	Plan     bool         `json:"plan"`
	Approval job.Approval `json:"approval"`
	Guards   *job.Guards  `json:"guards"`
}

// take reads it from a form, in which the guards are JSON.
func (p *planning) take(v *values) {
	p.Plan, p.Approval = v.flag("plan"), job.Approval(v.text("approval"))
	if text := v.json("guards"); text != nil && json.Unmarshal(text, &p.Guards) != nil {
		v.invalid("guards", `As JSON: {"created":100,"updated":"2.5%","fields":{"NAME":10}}.`)
	}
}

func (p *planning) request() submit.Planning {
	return submit.Planning{Asked: p.Plan, Approval: p.Approval, Guards: p.Guards}
}

// importPlan is how an import is rehearsed: ImportPlan in openapi.yaml.
type importPlan struct {
	Asked     bool         `json:"asked"`
	Approval  job.Approval `json:"approval"`
	Guards    *job.Guards  `json:"guards"`
	Digest    *string      `json:"digest"`
	OnStale   *job.OnStale `json:"onStale"`
	AppliedAt *time.Time   `json:"appliedAt"`
	AppliedBy *string      `json:"appliedBy"`
}

func toImportPlan(p *job.Plan) *importPlan {
	if p == nil {
		return nil
	}
	document := &importPlan{
		Asked: p.Asked, Approval: job.ApprovalAny, Guards: guardsOrNull(p.Guards), Digest: orNull(p.Digest),
		OnStale: orNull(p.OnStale), AppliedAt: utc(p.AppliedAt), AppliedBy: orNull(p.AppliedBy),
	}
	if p.Approval != "" {
		document.Approval = p.Approval
	}
	return document
}

func guardsOrNull(g job.Guards) *job.Guards {
	if g.None() {
		return nil
	}
	return &g
}

// application is the body of POST …/apply.
type application struct {
	Digest  string      `json:"digest"`
	OnStale job.OnStale `json:"onStale"`
}

// applyPlan is POST …/apply.
func (a *api) applyPlan(w http.ResponseWriter, r *http.Request) error {
	said := application{OnStale: job.StaleSkipped}
	if err := readJSON(r, &said, maxDocument); err != nil {
		return err
	}
	if !said.OnStale.Valid() {
		return problem.New(problem.ParameterInvalid, "There is no such way with rows that are stale.").
			With("onStale", problem.ParameterInvalid, problem.OneOf([]job.OnStale{job.StaleSkipped, job.StaleAborts, job.StaleOverwritten}))
	}
	j, err := a.Review.Apply(r.Context(), refOf(r), review.Approved{Digest: said.Digest, OnStale: said.OnStale, By: callerOf(r)})
	if err != nil {
		return err
	}
	return writeAccepted(w, toImportJob(j))
}
