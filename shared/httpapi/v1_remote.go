package httpapi

import (
	"encoding/json"
	"net/http"

	"github.com/loadbay/loadbay/shared/problem"
)

// createRemoteImportV1 is POST /v1/imports with a document: the file is fetched from its address.
func (a *api) createRemoteImportV1(w http.ResponseWriter, r *http.Request) error {
	var members map[string]json.RawMessage
	if err := readJSON(r, &members, maxDocument); err != nil {
		return err
	}
	c := importRequest{unattended: true}
	if err := takeOptionsV1(members, &c.ImportOptions); err != nil {
		return err
	}
	var in struct {
		ResourceType string          `json:"resource_type"`
		URL          string          `json:"url"`
		ContextID    *int64          `json:"context_id"`
		Options      json.RawMessage `json:"options"`
		Mapping      json.RawMessage `json:"mapping"`
	}
	if err := decodeMembers(members, &in); err != nil {
		return err
	}
	if in.URL == "" {
		return problem.New(problem.ParameterInvalid, "The URL of the file is missing.").With("url", problem.ParameterInvalid, "A URL that starts with https://.")
	}
	c.ContextID, c.Options, c.Mapping, c.sourceURL = in.ContextID, in.Options, in.Mapping, in.URL
	return a.acceptImportV1(w, r, in.ResourceType, c)
}
