package httpapi

import (
	"encoding/json"
	"net/http"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// createRemoteImportV1 is POST /v1/imports with a document: the file is fetched from its address.
func (a *api) createRemoteImportV1(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		ResourceType string          `json:"resource_type"`
		URL          string          `json:"url"`
		Mode         string          `json:"mode"`
		ContextID    *int64          `json:"context_id"`
		Options      json.RawMessage `json:"options"`
		Mapping      json.RawMessage `json:"mapping"`
		Review       job.Review      `json:"review"`
		DryRun       bool            `json:"dry_run"`
		Profile      string          `json:"profile"`
		Label        string          `json:"label"`
		MaxErrors    job.ErrorLimit  `json:"max_errors"`
		Notify       []string        `json:"notify"`
		planOptions
	}
	if err := readJSON(r, &in, maxDocument); err != nil {
		return err
	}
	if in.URL == "" {
		return problem.New(problem.ParameterInvalid, "The URL of the file is missing.").With("url", problem.ParameterInvalid, "A URL that starts with https://.")
	}
	return a.acceptImportV1(w, r, in.ResourceType, importRequest{
		Mode: in.Mode, ContextID: in.ContextID, Options: in.Options, Mapping: in.Mapping, unattended: true, Review: in.Review, DryRun: in.DryRun, Profile: in.Profile,
		Label: in.Label, MaxErrors: in.MaxErrors, Notify: in.Notify, sourceURL: in.URL, planOptions: in.planOptions,
	})
}
