package stack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/lambdaapi"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/ses"
	"github.com/loadbay/loadbay/infra/local/gateway"
	"github.com/loadbay/loadbay/infra/local/openid"
)

// headerTimeout limits how long a client may take to send a request's headers.
const headerTimeout = 10 * time.Second

// serve handles requests to the names of this machine until the stack stops.
func (s *Stack) serve(what string, l net.Listener, address string, h http.Handler) {
	server := &http.Server{Handler: gateway.RestrictHosts(address, h, s.publicHost()), ReadHeaderTimeout: headerTimeout}
	s.onStop(func(context.Context) error { return server.Close() })
	go func() {
		if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			s.failed <- fmt.Errorf("%s: %w", what, err)
		}
	}()
}

// serveAWS serves SDKs and the CLI. S3 starts later than the rest.
func (s *Stack) serveAWS(context.Context) error {
	handler, err := awsendpoint.Handler(awsendpoint.Config{
		Services: []awsjson.Service{s.queues, s.tables, s.workflows, s.newEventBus(), s.secrets},
		Lambda:   lambdaapi.Handler(s.Functions),
		Mail:     ses.Handler(s.config.path("mailbox")),
		URLs:     gateway.NewFunctionURLs(streamingFunctions(s.resources), s.Functions, s.authorizer, s.config.Logger),
		Objects:  http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.objects.ServeHTTP(w, r) }),
	})
	if err != nil {
		return err
	}
	s.aws = s.withCORS(s.guard(handler))
	s.serve("the AWS endpoint", s.awsListener, s.config.AWSAddr, s.aws)
	return nil
}

// siteHandler returns the handler of everything served at APIURL.
func (s *Stack) siteHandler(ctx context.Context) (http.Handler, error) {
	verifier, err := s.openIssuer(ctx)
	if err != nil {
		return nil, err
	}
	api, err := s.apiHandler(verifier)
	if err != nil {
		return nil, err
	}
	site, err := s.withConsole(api)
	if err != nil {
		return nil, err
	}
	return s.withPublicFiles(site), nil
}

// apiHandler returns the HTTP API with the additional routes of the local stack:
//
//	/local/openid/      OpenID provider, unless there is another issuer
//	GET /local/token    tokens of the local issuer, unless there is another issuer
//	GET /local/figures  resource usage of functions and processes, in JSON, only for this machine
//	GET /metrics        the same and the functions' own metrics, for Prometheus, only for this machine
func (s *Stack) apiHandler(verifier gateway.Verifier) (http.Handler, error) {
	scopes := strings.Join(blueprint.Scopes(), " ")
	api, err := gateway.New(gateway.Config{
		Function: apiFunction, Invoker: invoker{s}, Verifier: verifier, PublicHost: s.publicHost(),
		Routes:       operatorRoutes(),
		PublicRoutes: blueprint.PublicRoutes(), KeyPath: blueprint.KeyPath, TokenRequired: s.config.TokenRequired,
		Anonymous: s.anonymousClaims(scopes),
		CORS:      s.corsRules(blueprint.APICORS()),
		Ready:     s.available.Load, Logger: s.config.Logger,
	})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", s.refuseIfFull(api))
	if s.issuer != nil {
		provider, err := openid.New(s.newProvider())
		if err != nil {
			return nil, err
		}
		mux.Handle(gateway.OpenIDPath+"/", provider)
		mux.Handle("GET /local/token", gateway.TokenHandler(s.issuer, scopes))
	}
	mux.HandleFunc("GET /local/figures", s.requireDirect(s.requireAvailable(s.writeStats)))
	mux.HandleFunc("GET /metrics", s.requireDirect(s.requireAvailable(s.writeMetrics)))
	return mux, nil
}

func operatorRoutes() map[string]string {
	routes := make(map[string]string)
	for _, r := range blueprint.OperatorRoutes() {
		routes[r.Key()] = blueprint.OperatorFunction
	}
	return routes
}

// invoker refers to the function host, which starts after the API listens.
type invoker struct{ s *Stack }

func (i invoker) Invoke(ctx context.Context, function string, payload []byte) ([]byte, string, error) {
	return i.s.Functions.Invoke(ctx, function, payload)
}

func (s *Stack) requireAvailable(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !s.available.Load() {
			http.Error(w, "the stack is not running yet", http.StatusServiceUnavailable)
			return
		}
		serve(w, r)
	}
}

func (s *Stack) writeStats(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(s.Stats()) // the client has disconnected
}
