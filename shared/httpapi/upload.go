package httpapi

import (
	"net/http"
	"net/url"
	"time"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/submit"
)

// upload says where a file is to be sent.
type upload struct {
	Method    string            `json:"method"`
	URL       string            `json:"url"`
	Headers   map[string]string `json:"headers"`
	ExpiresAt time.Time         `json:"expiresAt"`
}

// partsUpload says where the parts of a large file are to be sent, each by PUT,
// and where to say that all have been.
type partsUpload struct {
	UploadID      string    `json:"uploadId"`
	PartSizeBytes int64     `json:"partSizeBytes"`
	Parts         []part    `json:"parts"`
	CompleteURL   string    `json:"completeUrl"`
	ExpiresAt     time.Time `json:"expiresAt"`
}

type part struct {
	PartNumber int    `json:"partNumber"`
	URL        string `json:"url"`
}

// withUpload adds to a job's document where its file is to be sent, if it is.
func (a *api) withUpload(document importJob, u *submit.Upload) importJob {
	switch {
	case u == nil:
	case u.Whole != nil:
		document.Upload = &upload{Method: u.Whole.Method, URL: u.Whole.URL, Headers: u.Whole.Headers, ExpiresAt: u.Whole.Expires.UTC()}
	case u.Parts != nil:
		parts := make([]part, len(u.Parts.URLs))
		for i, address := range u.Parts.URLs {
			parts[i] = part{PartNumber: i + 1, URL: address}
		}
		document.Upload = &partsUpload{
			UploadID: u.Parts.UploadID, PartSizeBytes: a.Imports.PartBytes(), Parts: parts, ExpiresAt: u.Parts.Expires.UTC(),
			CompleteURL: "/api/imports/" + string(document.Identifier) + "/upload/complete?" + url.Values{"uploadId": {u.Parts.UploadID}}.Encode(),
		}
	}
	return document
}

// completeUpload is POST …/upload/complete: all parts have been sent.
func (a *api) completeUpload(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	uploadID := v.text("uploadId")
	v.rejectUnknown("uploadId")
	if err := v.err(); err != nil {
		return err
	}
	if uploadID == "" {
		return problem.New(problem.ParameterInvalid, "Say which upload is complete.").
			With("uploadId", problem.ParameterInvalid, "As in the response to POST /api/imports.")
	}
	j, err := a.Imports.Complete(r.Context(), refOf(r), uploadID)
	if err != nil {
		return err
	}
	if j, err = a.awaited(w, r, j); err != nil {
		return err
	}
	return writeAccepted(w, toImportJob(j))
}
