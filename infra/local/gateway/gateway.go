// Package gateway emulates API Gateway's HTTP API on one machine: it converts each
// request into an event of payload format 2.0 for one function, and the function's
// result into a response, with the same limits, and with a JWT authorizer for
// tokens that it issues itself or that an OpenID Connect issuer signed.
//
// Sources: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html,
// …/http-api-jwt-authorizer.html and …/http-api-quotas.html.
package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
)

// Limits of HTTP APIs that cannot be raised.
const (
	maxRequest         = 10 << 20
	integrationTimeout = 30 * time.Second
)

// Invoker runs functions, as the Lambda host does.
type Invoker interface {
	Invoke(ctx context.Context, function string, payload []byte) (output []byte, functionError string, err error)
}

// Verifier returns the claims of a valid token. Its errors are shown to the caller.
type Verifier interface {
	Verify(ctx context.Context, token string) (Claims, error)
}

// Config configures the function, its callers and its limits.
type Config struct {
	// Function handles all requests except those of Routes.
	Function string
	// Routes maps some routes, such as "GET /api/admin/{proxy+}", to their functions.
	Routes  map[string]string
	Invoker Invoker
	// Verifier checks tokens: an *Issuer or a *RemoteIssuer.
	Verifier Verifier
	// PublicRoutes are the paths that GET serves without a token; a segment in braces, such as
	// {code}, is any segment.
	PublicRoutes []string
	// KeyPath is the beginning of paths that are served without a token and without claims, such as
	// /key; "" if there is none. The function checks the API key itself.
	KeyPath string
	// TokenRequired rejects requests without a token, as AWS does. Otherwise they
	// have the claims of Anonymous. An invalid token is always rejected.
	TokenRequired bool
	Anonymous     Claims
	// CORS configures which pages of other origins may call.
	CORS CORS
	// PublicHost is the host, with its port if that is not 443, at which a TLS proxy on this machine
	// serves the API; "" if there is none. The headers that the proxy adds are believed only in
	// requests to it.
	PublicHost string
	// Ready reports whether the stack is up; until then every response has status 503.
	Ready  func() bool
	Logger *slog.Logger
	// Timeout limits an invocation; 0 means API Gateway's limit.
	Timeout time.Duration
}

type gateway struct{ Config }

// New returns the HTTP API.
func New(c Config) (http.Handler, error) {
	if c.Function == "" || c.Invoker == nil || c.Verifier == nil || c.Ready == nil || c.Logger == nil {
		return nil, errors.New("gateway: Function, Invoker, Verifier, Ready and Logger are needed")
	}
	if c.Timeout == 0 {
		c.Timeout = integrationTimeout
	}
	return c.CORS.Handler(&gateway{c}), nil
}

// ServeHTTP implements http.Handler.
func (g *gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := uuid.NewString()
	w.Header().Set("Apigw-Requestid", id)
	if !g.Ready() {
		WriteError(w, http.StatusServiceUnavailable, "Service Unavailable")
		return
	}
	who, err := g.authorize(r)
	if err != nil {
		w.Header().Set("WWW-Authenticate", challengeHeader(err))
		WriteError(w, http.StatusUnauthorized, "Unauthorized")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			WriteError(w, http.StatusRequestEntityTooLarge, "Request Entity Too Large")
			return
		}
		WriteError(w, http.StatusBadRequest, "Bad Request")
		return
	}
	event, err := json.Marshal(newEvent(r, origin(r, g.PublicHost), g.routeKey(r), id, body, who))
	if err != nil {
		g.writeInternalError(w, r, id, err)
		return
	}
	g.serve(w, r, id, event)
}

// serve invokes the function and writes its response.
func (g *gateway) serve(w http.ResponseWriter, r *http.Request, id string, event []byte) {
	// A function continues to run when its client has disconnected, as on AWS.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), g.Timeout)
	defer cancel()
	output, functionError, err := g.Invoker.Invoke(ctx, g.functionFor(r), event)
	var apiErr *awsjson.Error
	switch {
	case errors.As(err, &apiErr) && apiErr.Code == "RequestTooLargeException":
		WriteError(w, http.StatusRequestEntityTooLarge, "Request Entity Too Large")
	case errors.As(err, &apiErr) && apiErr.Code == "TooManyRequestsException", errors.Is(err, context.DeadlineExceeded):
		WriteError(w, http.StatusServiceUnavailable, "Service Unavailable")
	case err != nil:
		g.writeInternalError(w, r, id, err)
	case functionError != "":
		g.writeInternalError(w, r, id, errors.New(string(output)))
	default:
		resp, err := readResponse(output)
		if err != nil {
			g.writeInternalError(w, r, id, err)
			return
		}
		resp.write(w)
	}
}

// writeInternalError responds with status 500 and writes the error only to the log, without the path,
// which can contain the key of an entity.
func (g *gateway) writeInternalError(w http.ResponseWriter, r *http.Request, id string, err error) {
	g.Logger.Error("an API request failed", "route", g.routeKey(r), "apiRequestId", id, "error", err)
	WriteError(w, http.StatusInternalServerError, "Internal Server Error")
}

// WriteError writes an error in the form of API Gateway.
func WriteError(w http.ResponseWriter, status int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, `{"message":"`+message+`"}`) // the client has disconnected
}

// routeKey returns the route that API Gateway would choose.
func (g *gateway) routeKey(r *http.Request) string {
	if method, route, ok := g.publicRoute(r); ok {
		return method + " " + route
	}
	for key := range g.Routes {
		method, path, _ := strings.Cut(key, " ")
		if prefix, greedy := strings.CutSuffix(path, "{proxy+}"); greedy && r.Method == method && strings.HasPrefix(r.URL.Path, prefix) {
			return key
		}
	}
	return "$default"
}

// functionFor returns the function that handles the request.
func (g *gateway) functionFor(r *http.Request) string {
	if function, ok := g.Routes[g.routeKey(r)]; ok {
		return function
	}
	return g.Function
}

// publicRoute returns the public route that serves a request, if any.
func (g *gateway) publicRoute(r *http.Request) (method, route string, ok bool) {
	if g.KeyPath != "" && strings.HasPrefix(r.URL.Path, g.KeyPath+"/") {
		return r.Method, g.KeyPath + "/{proxy+}", true
	}
	if r.Method != http.MethodGet {
		return "", "", false
	}
	for _, route := range g.PublicRoutes {
		if matchesPath(route, r.URL.Path) {
			return r.Method, route, true
		}
	}
	return "", "", false
}

// matchesPath reports whether a path has the segments of a route.
func matchesPath(route, path string) bool {
	want, segments := strings.Split(route, "/"), strings.Split(path, "/")
	return slices.EqualFunc(want, segments, func(w, segment string) bool {
		return w == segment || strings.HasPrefix(w, "{") && segment != ""
	})
}
