// Package awsendpoint provides AWS on one port of one machine: S3, SQS, Step Functions, DynamoDB,
// EventBridge, Secrets Manager, SES and Lambda Invoke, as far as Loadbay uses them, with their
// wire protocols. SDKs and the aws CLI reach it through AWS_ENDPOINT_URL or --endpoint-url;
// unimplemented operations are rejected with an error that names them.
//
// Package iam authorises requests first. The account is Account, the region s3.Region. GET
// HealthPath reports the available services, with 200 once all of them are up.
package awsendpoint

import (
	"errors"
	"net/http"
	"strings"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/ses"
)

// Account owns all resources of the local stack.
const Account = "000000000000"

// FunctionURLPath is the path prefix of function URLs.
const FunctionURLPath = "/_loadbay/function-url/"

// HealthPath belongs to no service: no bucket can have this name.
const HealthPath = "/_loadbay/health"

// lambdaPrefix is the path prefix of Lambda's API, with the API's date.
const lambdaPrefix = "/2015-03-31/functions/"

// Config contains the handlers of the services. Requests for a nil handler are rejected.
type Config struct {
	// Services use the JSON protocol: SQS, Step Functions, DynamoDB, EventBridge, Secrets Manager.
	Services []awsjson.Service
	// Lambda serves paths under /2015-03-31/functions/.
	Lambda http.Handler
	// Mail serves paths under ses.Prefix.
	Mail http.Handler
	// URLs serves paths under FunctionURLPath.
	URLs http.Handler
	// Objects serves all other paths: S3 has no prefix of its own.
	Objects http.Handler
}

// Handler returns the handler of all services.
func Handler(config Config) (http.Handler, error) {
	targets := make([]string, 0, len(config.Services))
	for _, service := range config.Services {
		if service == nil {
			return nil, errors.New("AWS endpoint: a service is nil")
		}
		targets = append(targets, service.Target())
	}
	return &endpoint{config: config, json: awsjson.Handler(config.Services...), targets: targets}, nil
}

type endpoint struct {
	config  Config
	json    http.Handler
	targets []string
}

// ServeHTTP selects the service by the header of the JSON protocol, or by path, with S3 as the
// default.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Header.Get("X-Amz-Target") != "":
		e.json.ServeHTTP(w, r)
	case r.URL.Path == HealthPath:
		e.health(w, r)
	case strings.HasPrefix(r.URL.Path, lambdaPrefix) && e.config.Lambda != nil:
		e.config.Lambda.ServeHTTP(w, r)
	case strings.HasPrefix(r.URL.Path, ses.Prefix) && e.config.Mail != nil:
		e.config.Mail.ServeHTTP(w, r)
	case strings.HasPrefix(r.URL.Path, FunctionURLPath) && e.config.URLs != nil:
		e.config.URLs.ServeHTTP(w, r)
	case isQueryProtocol(r):
		refuseQuery(w, r)
	case isOtherService(r) || e.config.Objects == nil:
		awsjson.WriteError(w, awsjson.Unsupported("endpoint", r.Method+" "+r.URL.Path))
	default:
		e.config.Objects.ServeHTTP(w, r)
	}
}
