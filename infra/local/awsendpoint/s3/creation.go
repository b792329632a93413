package s3

import (
	"mime"
	"net/http"
	"net/url"
	"strings"
)

// creation is a request in progress that creates an object.
type creation struct {
	bucket string
	key    string // "" for a POST form, until the response arrives
	reason string
	id     uint64 // id of its intent in the journal; 0 for none
}

// creationKey is the context key of a request's *creation.
type creationKey struct{}

// The operations that create objects, by their names in EventBridge's "reason".
const (
	reasonPut      = "PutObject"
	reasonCopy     = "CopyObject"
	reasonComplete = "CompleteMultipartUpload"
	reasonForm     = "POST Object"
)

// parseCreation reports whether a request creates an object. S3 distinguishes its operations by
// method, path and the names in the query.
func parseCreation(r *http.Request) (creation, bool) {
	bucket, key, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if bucket == "" {
		return creation{}, false
	}
	query := r.URL.Query()
	switch {
	case r.Method == http.MethodPut && key != "" && isPlain(query):
		reason := reasonPut
		if r.Header.Get("X-Amz-Copy-Source") != "" {
			reason = reasonCopy
		}
		return creation{bucket: bucket, key: key, reason: reason}, true
	case r.Method == http.MethodPost && key != "" && query.Has("uploadId"):
		return creation{bucket: bucket, key: key, reason: reasonComplete}, true
	case r.Method == http.MethodPost && key == "" && isForm(r):
		return creation{bucket: bucket, reason: reasonForm}, true
	}
	return creation{}, false
}

// isPlain reports whether a query has no subresources such as ?tagging or ?partNumber: only
// signatures (X-Amz-...) and the SDK's x-id are allowed.
func isPlain(query url.Values) bool {
	for name := range query {
		name = strings.ToLower(name)
		if name != "x-id" && !strings.HasPrefix(name, "x-amz-") {
			return false
		}
	}
	return true
}

func isForm(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "multipart/form-data"
}

// formKey reads the key of a POST form's object from the response: the path of Location, or its
// query if the form requested a redirect.
func formKey(bucket string, answer *http.Response) (string, bool) {
	location, err := url.Parse(answer.Header.Get("Location"))
	if err != nil {
		return "", false
	}
	if answer.StatusCode == http.StatusSeeOther {
		key := location.Query().Get("key")
		return key, key != ""
	}
	return strings.CutPrefix(location.Path, "/"+bucket+"/")
}
