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

// maxBody limits how much of a request is read for authorisation.
const maxBody = 8 << 20

// lambdaPrefix is the path prefix of Lambda's API.
const lambdaPrefix = "/2015-03-31/functions/"

// Guard passes only authorised requests to the endpoint. The object store, which has the same
// keys, verifies the signatures of S3 requests; a request denied here may therefore be from
// anyone, but one that passes must be signed.
type Guard struct {
	authorizer *Authorizer
	deployment blueprint.Deployment
	machine    string // ARN of the state machine
	hasTags    TagChecker
	next       http.Handler
}

// Guard returns the handler in front of an endpoint. machine is the ARN of the state machine.
func (a *Authorizer) Guard(next http.Handler, machine string, tagged TagChecker) *Guard {
	return &Guard{authorizer: a, deployment: a.config.Deployment, machine: machine, hasTags: tagged, next: next}
}

// ServeHTTP authenticates and authorises a request. Function URLs do so themselves.
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

// serveSigned serves a request after verifying its signature.
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

// authorize checks that the holder of an access key has all permissions for a request. The
// administrator's requests are not even parsed.
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
	if access == "" && r.Method != http.MethodOptions { // pages send a preflight before an upload
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

// invokeRequests returns the permissions for a request to Lambda; operations other than Invoke
// are for the administrator only.
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

// AuthorizeFunctionURL checks that the signer of a function URL may call the function, and
// returns the access key. AWS requires both actions.
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

// principal returns the owner of an access key, or "", which has no policy.
func (a *Authorizer) principal(access string) string {
	if access == a.config.AccessKey {
		return Administrator
	}
	if role, ok := RoleOf(access); ok {
		return role
	}
	return ""
}

// secretKey returns the secret of an access key. That of an unknown key cannot be guessed.
func (a *Authorizer) secretKey(access string) string {
	if access == a.config.AccessKey {
		return a.config.SecretKey
	}
	return a.config.Keys.Secret(access)
}
