package awsendpoint

import (
	"encoding/xml"
	"fmt"
	"net/http"
	"strings"
)

// maxForm limits the body that is read to name the operation of a rejected request.
const maxForm = 64 << 10

// isQueryProtocol reports whether a request uses the query protocol (STS, IAM, EC2,
// CloudFormation, SQS of old SDKs): a form posted to "/".
func isQueryProtocol(r *http.Request) bool {
	return r.Method == http.MethodPost && r.URL.Path == "/" &&
		strings.HasPrefix(r.Header.Get("Content-Type"), "application/x-www-form-urlencoded")
}

// isOtherService reports whether a path belongs to a service other than S3: Smithy RPC v2
// (/service/<name>/operation/<name>), or a REST API with paths that begin with the date of its
// version, such as Lambda's.
func isOtherService(r *http.Request) bool {
	first, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	dated := len(first) == len("2015-03-31") && first[4] == '-' && first[7] == '-' && strings.Trim(first, "0123456789-") == ""
	return dated || first == "service" && strings.Contains(rest, "/operation/")
}

// refuseQuery writes an error that names the action, in the XML format of the protocol.
func refuseQuery(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	action := "an operation of the query protocol"
	if err := r.ParseForm(); err == nil && r.PostForm.Get("Action") != "" {
		action = r.PostForm.Get("Action") + " (version " + r.PostForm.Get("Version") + ")"
	}
	type queryError struct {
		Type, Code, Message string
	}
	body, err := xml.Marshal(struct {
		XMLName xml.Name `xml:"ErrorResponse"`
		Error   queryError
	}{Error: queryError{"Sender", "InvalidAction", "the local endpoint does not implement " + action}})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/xml")
	w.WriteHeader(http.StatusBadRequest)
	_, _ = fmt.Fprintf(w, "%s", body) // the caller may have disconnected
}
