package iam

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"net/http"

	"github.com/google/uuid"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
)

// codes of refusals, as services with JSON word them.
func errorCode(err error) string {
	var denied *Denied
	switch {
	case errors.As(err, &denied):
		return "AccessDeniedException"
	case errors.Is(err, errUnsigned):
		return "MissingAuthenticationTokenException"
	default:
		return "InvalidSignatureException"
	}
}

// refuseJSON answers for SQS, Step Functions, DynamoDB and EventBridge.
func refuseJSON(w http.ResponseWriter, err error) {
	awsjson.WriteError(w, awsjson.Errorf(errorCode(err), "%v", err))
}

// refuseLambda answers for Lambda.
func refuseLambda(w http.ResponseWriter, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Amzn-ErrorType", errorCode(err))
	w.WriteHeader(http.StatusForbidden)
	// The caller has gone if this fails; there is nobody to tell.
	_ = json.NewEncoder(w).Encode(struct{ Message string }{err.Error()})
}

// refuseObject answers for S3.
func refuseObject(w http.ResponseWriter, err error) {
	body, fault := xml.Marshal(struct {
		XMLName                  xml.Name `xml:"Error"`
		Code, Message, RequestId string
	}{Code: "AccessDenied", Message: err.Error(), RequestId: uuid.NewString()})
	if fault != nil {
		http.Error(w, fault.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Del("Content-Length")
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(http.StatusForbidden)
	_, _ = w.Write(body) // a HEAD request has none, and a caller may have gone
}
