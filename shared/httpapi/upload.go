package httpapi

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/problem"
)

// wholeUpload describes how to send a file.
type wholeUpload struct {
	Method    string            `json:"method"`
	URL       string            `json:"url"`
	Headers   map[string]string `json:"headers"`
	ExpiresAt time.Time         `json:"expiresAt"`
}

// partsUpload describes how to send the parts of a large file, each by PUT, and the address to call
// when all parts have been sent.
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

// withUpload adds the upload to a job's document if the file has yet to be sent.
func (a *api) withUpload(document importJob, u *submit.Upload) importJob {
	switch {
	case u == nil:
	case u.Whole != nil:
		document.Upload = &wholeUpload{Method: u.Whole.Method, URL: u.Whole.URL, Headers: u.Whole.Headers, ExpiresAt: u.Whole.Expires.UTC()}
	case u.Parts != nil:
		document.Upload = a.toPartsUpload(document.Identifier, u.Parts, nil)
	}
	return document
}

// toPartsUpload describes how to send the missing parts of a file.
func (a *api) toPartsUpload(id job.ID, p *object.Parts, arrived []int) *partsUpload {
	parts := []part{}
	for i, address := range p.URLs {
		if !slices.Contains(arrived, i+1) {
			parts = append(parts, part{PartNumber: i + 1, URL: address})
		}
	}
	return &partsUpload{
		UploadID: p.UploadID, PartSizeBytes: a.Imports.PartBytes(), Parts: parts, ExpiresAt: p.Expires.UTC(),
		CompleteURL: "/api/imports/" + string(id) + "/upload/complete?" + url.Values{"uploadId": {p.UploadID}}.Encode(),
	}
}

// pendingUpload is an incomplete upload.
type pendingUpload struct {
	SizeBytes    int64 `json:"sizeBytes"`
	ArrivedBytes int64 `json:"arrivedBytes"`
	ArrivedParts []int `json:"arrivedParts"`
	Upload       any   `json:"upload"` // an upload, or a partsUpload of the missing parts
}

// getUpload is GET …/upload: the parts that have arrived, and how to send the rest.
func (a *api) getUpload(w http.ResponseWriter, r *http.Request) error {
	p, err := a.Imports.PendingUpload(r.Context(), jobRef(r), callerName(r))
	if err != nil {
		return err
	}
	document := pendingUpload{SizeBytes: p.Job.SizeBytes, ArrivedParts: []int{}}
	for _, sent := range p.Sent {
		document.ArrivedParts = append(document.ArrivedParts, sent.Number)
		document.ArrivedBytes += sent.Size
	}
	if document.Upload = a.withUpload(importJob{}, p.Upload).Upload; p.Upload.Parts != nil {
		document.Upload = a.toPartsUpload(p.Job.ID, p.Upload.Parts, document.ArrivedParts)
	}
	return writeJSON(w, http.StatusOK, document)
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
		return problem.New(problem.ParameterInvalid, "The upload is not specified.").
			With("uploadId", problem.ParameterInvalid, "The value from the response to POST /api/imports.")
	}
	j, err := a.Imports.CompleteUpload(r.Context(), jobRef(r), uploadID)
	if err != nil {
		return err
	}
	return writeAccepted(w, toImportJob(languageOf(r), j))
}
