package iam

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/ses"
)

// maxBody bounds what is read of a request to know what it is for.
const maxBody = 8 << 20

// lambdaPrefix begins the paths of Lambda's API.
const lambdaPrefix = "/2015-03-31/functions/"

// Guard lets requests through to the endpoint that their callers may make.
// Signatures of requests to S3 are verified by the object store, which knows the
// same keys; so what is refused here may have come from anybody, and what gets
// through has to be signed.
type Guard struct {
	authorizer *Authorizer
	deployment blueprint.Deployment
	machine    string // ARN of the state machine
	hasTags    TagChecker
	next       http.Handler
}

// Guard returns the handler before an endpoint. machine is the ARN of the one
// state machine.
func (a *Authorizer) Guard(next http.Handler, machine string, tagged TagChecker) *Guard {
	return &Guard{authorizer: a, deployment: a.config.Deployment, machine: machine, hasTags: tagged, next: next}
}

// ServeHTTP finds out who wants what. Addresses of functions ask for themselves.
func (g *Guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == awsendpoint.HealthPath, strings.HasPrefix(r.URL.Path, awsendpoint.FunctionURLPath):
		g.next.ServeHTTP(w, r)
	case r.Header.Get("X-Amz-Target") != "":
		g.serveSigned(w, r, refuseJSON, func(body []byte) ([]Request, error) { return g.operationRequests(r.Header.Get("X-Amz-Target"), body) })
	case strings.HasPrefix(r.URL.Path, ses.Prefix):
		g.serveSigned(w, r, refuseLambda, g.emailRequests)
	case strings.HasPrefix(r.URL.Path, lambdaPrefix):
		g.serveSigned(w, r, refuseLambda, func([]byte) ([]Request, error) { return g.invokeRequests(r) })
	default:
		g.serveObject(w, r)
	}
}

// serveSigned serves a request whose signature is verified here.
func (g *Guard) serveSigned(w http.ResponseWriter, r *http.Request, refuse func(http.ResponseWriter, error), requests func(body []byte) ([]Request, error)) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		refuse(w, err)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	access, err := verifyHeader(r, body, g.authorizer.secretKey)
	if err == nil {
		err = g.authorize(access, func() ([]Request, error) { return requests(body) })
	}
	if err != nil {
		refuse(w, err)
		return
	}
	g.next.ServeHTTP(w, r)
}

// authorize lets the holder of an access key do all that a request needs. The
// administrator's requests need not even be understood.
func (g *Guard) authorize(access string, needs func() ([]Request, error)) error {
	principal := g.authorizer.principal(access)
	if principal == Administrator {
		return nil
	}
	requests, err := needs()
	if err != nil {
		return err
	}
	for _, request := range requests {
		if err := g.authorizer.authorize(principal, request); err != nil {
			return err
		}
	}
	return nil
}

// serveObject serves a request to S3.
func (g *Guard) serveObject(w http.ResponseWriter, r *http.Request) {
	access := accessKeyOf(r)
	if access == "" && r.Method != http.MethodOptions { // pages ask before they upload
		refuseObject(w, errUnsigned)
		return
	}
	if access == "" || g.authorizer.principal(access) == Administrator {
		g.next.ServeHTTP(w, r)
		return
	}
	if err := g.authorize(access, func() ([]Request, error) { return g.objectRequests(r) }); err != nil {
		refuseObject(w, err)
		return
	}
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		bucket, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
		w = &notFoundHider{ResponseWriter: w, mayList: func() error {
			return g.authorizer.authorize(g.authorizer.principal(access), Request{Action: "s3:ListBucket", Resource: g.objectARN(bucket, "")})
		}}
	}
	g.next.ServeHTTP(w, r)
}

// invokeRequests is what a request to Lambda needs; all but Invoke is the
// administrator's.
func (g *Guard) invokeRequests(r *http.Request) ([]Request, error) {
	function, operation, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, lambdaPrefix), "/")
	if operation != "invocations" {
		return nil, errors.New("only Invoke is open to roles")
	}
	if !strings.HasPrefix(function, "arn:") {
		p := g.deployment
		function = strings.Join([]string{"arn", p.Partition, "lambda", p.Region, p.Account, "function", function}, ":")
	}
	return []Request{{Action: "lambda:InvokeFunction", Resource: function}}, nil
}

// AuthorizeFunctionURL lets the signer of a function's address call the function, and
// says who that is. AWS asks for both actions.
// https://docs.aws.amazon.com/lambda/latest/dg/urls-auth.html
func (a *Authorizer) AuthorizeFunctionURL(r *http.Request, function string) (accessKey string, err error) {
	if accessKey, err = verifyQuery(r, a.secretKey); err != nil {
		return "", err
	}
	for _, action := range []blueprint.Action{"lambda:InvokeFunctionUrl", "lambda:InvokeFunction"} {
		if err := a.authorize(a.principal(accessKey), Request{Action: action, Resource: a.config.Deployment.FunctionARN(function)}); err != nil {
			return "", err
		}
	}
	return accessKey, nil
}

// principal is whose an access key is; "" is nobody, who has no policy.
func (a *Authorizer) principal(access string) string {
	if access == a.config.AccessKey {
		return Administrator
	}
	if role, ok := RoleOf(access); ok {
		return role
	}
	return ""
}

// secretKey is what belongs to an access key. That of nobody's is nobody's guess.
func (a *Authorizer) secretKey(access string) string {
	if access == a.config.AccessKey {
		return a.config.SecretKey
	}
	return a.config.Keys.Secret(access)
}
