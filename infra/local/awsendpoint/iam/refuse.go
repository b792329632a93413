package iam

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"net/http"

	"github.com/google/uuid"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
)

// errorCode returns the error code of a denial in services with JSON.
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

// refuseJSON writes an error for SQS, Step Functions, DynamoDB and EventBridge.
func refuseJSON(w http.ResponseWriter, err error) {
	awsjson.WriteError(w, awsjson.Errorf(errorCode(err), "%v", err))
}

// refuseLambda writes an error for Lambda.
func refuseLambda(w http.ResponseWriter, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Amzn-ErrorType", errorCode(err))
	w.WriteHeader(http.StatusForbidden)
	// Fails only if the caller has disconnected.
	_ = json.NewEncoder(w).Encode(struct{ Message string }{err.Error()})
}

// refuseObject writes an error for S3.
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
	_, _ = w.Write(body) // a response to HEAD has no body, and the caller may have disconnected
}
