package stack

import (
	"net/http"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	"github.com/loadbay/loadbay/infra/local/gateway"
)

// corsRules returns CORS rules of the blueprint with the configured origins.
func (s *Stack) corsRules(rules blueprint.CORS) gateway.CORS {
	return gateway.CORS{Origins: slices.Concat(s.config.Origins, s.consoleOrigins()), Methods: rules.Methods, Headers: rules.Headers, ExposedHeaders: rules.ExposedHeaders, MaxAge: rules.MaxAge}
}

// withCORS lets pages use presigned URLs of files and of streams. The rest of the AWS
// endpoint allows no cross-origin requests, as on AWS.
func (s *Stack) withCORS(endpoint http.Handler) http.Handler {
	files, streams := s.corsRules(blueprint.FilesCORS()).Handler(endpoint), s.corsRules(blueprint.StreamsCORS()).Handler(endpoint)
	bucket := "/" + blueprint.LocalDeployment().Bucket(s.config.Blueprint.Bucket.Name) + "/"
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, bucket):
			files.ServeHTTP(w, r)
		case strings.HasPrefix(r.URL.Path, awsendpoint.FunctionURLPath):
			streams.ServeHTTP(w, r)
		default:
			endpoint.ServeHTTP(w, r)
		}
	})
}
