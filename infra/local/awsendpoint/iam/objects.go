package iam

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// maxDelete limits the body of a DeleteObjects request: 1000 keys.
const maxDelete = 2 << 20

// objectOperation returns the action that a request to S3 needs on its bucket or object. S3
// distinguishes operations by method, path and the names in the query.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-with-s3-policy-actions.html
func objectOperation(r *http.Request, key string) blueprint.Action {
	query := r.URL.Query()
	if key == "" {
		switch {
		case r.Method == http.MethodHead, r.Method == http.MethodGet && (query.Has("list-type") || len(query) == 0):
			return "s3:ListBucket"
		}
		return unknownAction(r)
	}
	switch {
	case query.Has("tagging"):
		return map[string]blueprint.Action{
			http.MethodGet: "s3:GetObjectTagging", http.MethodPut: "s3:PutObjectTagging", http.MethodDelete: "s3:DeleteObjectTagging",
		}[r.Method]
	case query.Has("uploadId") && r.Method == http.MethodGet:
		return "s3:ListMultipartUploadParts"
	case query.Has("uploadId") && r.Method == http.MethodDelete:
		return "s3:AbortMultipartUpload"
	case query.Has("uploadId") || query.Has("uploads"):
		return "s3:PutObject"
	}
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		return "s3:GetObject"
	case http.MethodPut:
		return "s3:PutObject"
	case http.MethodDelete:
		return "s3:DeleteObject"
	}
	return unknownAction(r)
}

// unknownAction returns an action that no policy grants.
func unknownAction(r *http.Request) blueprint.Action {
	return blueprint.Action("s3:" + r.Method + " " + r.URL.RawQuery)
}

// objectRequests returns all permissions for a request to S3.
func (g *Guard) objectRequests(r *http.Request) ([]Request, error) {
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if r.Method == http.MethodPost && key == "" && r.URL.Query().Has("delete") {
		return g.deleteRequests(r, bucket)
	}
	action := objectOperation(r, key)
	requests := []Request{{Action: action, Resource: g.objectARN(bucket, key)}}
	if action != "s3:PutObject" || r.Method != http.MethodPut {
		return requests, nil
	}
	if r.Header.Get("X-Amz-Tagging") != "" {
		requests = append(requests, Request{Action: "s3:PutObjectTagging", Resource: g.objectARN(bucket, key)})
	}
	source := r.Header.Get("X-Amz-Copy-Source")
	if source == "" {
		return requests, nil
	}
	copied, err := g.copyRequests(r, source, g.objectARN(bucket, key))
	return append(requests, copied...), err
}

// copyRequests returns the permissions for reading the source of a copy and, if it has tags, for
// reading and writing those.
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html
func (g *Guard) copyRequests(r *http.Request, source, to string) ([]Request, error) {
	path, err := url.PathUnescape(source)
	if err != nil {
		return nil, fmt.Errorf("source of a copy: %w", err)
	}
	bucket, key, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	from := g.objectARN(bucket, key)
	requests := []Request{{Action: "s3:GetObject", Resource: from}}
	if r.Header.Get("X-Amz-Tagging-Directive") == "REPLACE" {
		return requests, nil
	}
	tagged, err := g.hasTags(r.Context(), bucket, key)
	if tagged {
		requests = append(requests, Request{Action: "s3:GetObjectTagging", Resource: from}, Request{Action: "s3:PutObjectTagging", Resource: to})
	}
	return requests, err
}

// deleteRequests returns the permissions for deleting a list of objects. S3 would delete those
// that the caller may delete; here, it is all or none.
func (g *Guard) deleteRequests(r *http.Request, bucket string) ([]Request, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxDelete))
	if err != nil {
		return nil, fmt.Errorf("list of objects: %w", err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var list struct {
		Object []struct{ Key string }
	}
	if err := xml.Unmarshal(body, &list); err != nil {
		return nil, fmt.Errorf("list of objects: %w", err)
	}
	requests := make([]Request, len(list.Object))
	for i, o := range list.Object {
		requests[i] = Request{Action: "s3:DeleteObject", Resource: g.objectARN(bucket, o.Key)}
	}
	return requests, nil
}

// objectARN returns the ARN of an object, or of the bucket.
func (g *Guard) objectARN(bucket, key string) string {
	arn := "arn:" + g.deployment.Partition + ":s3:::" + bucket
	if key != "" {
		arn += "/" + key
	}
	return arn
}

// TagChecker reports whether an object has tags.
type TagChecker func(ctx context.Context, bucket, key string) (bool, error)

// notFoundHider hides from callers without list permission whether an object exists.
type notFoundHider struct {
	http.ResponseWriter
	mayList func() error
	hidden  error
}

// WriteHeader replaces "not found" with "forbidden".
func (h *notFoundHider) WriteHeader(status int) {
	if status == http.StatusNotFound {
		if h.hidden = h.mayList(); h.hidden != nil {
			refuseObject(h.ResponseWriter, h.hidden)
			return
		}
	}
	h.ResponseWriter.WriteHeader(status)
}

// Write discards the body of a hidden response.
func (h *notFoundHider) Write(p []byte) (int, error) {
	if h.hidden != nil {
		return len(p), nil
	}
	return h.ResponseWriter.Write(p)
}

// Unwrap supports http.ResponseController.
func (h *notFoundHider) Unwrap() http.ResponseWriter { return h.ResponseWriter }
