package stack

import (
	"net/http"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	"github.com/loadbay/loadbay/infra/local/gateway"
)

// cors are rules of the blueprint for the origins that are set here.
func (s *Stack) cors(rules blueprint.CORS) gateway.CORS {
	return gateway.CORS{Origins: slices.Concat(s.config.Origins, s.consoleOrigins()), Methods: rules.Methods, Headers: rules.Headers, Exposed: rules.Exposed, MaxAge: rules.MaxAge}
}

// forPages lets pages use signed addresses: those of files and those of streams. All
// else of the AWS endpoint has nothing for them, as on AWS.
func (s *Stack) forPages(endpoint http.Handler) http.Handler {
	files, streams := s.cors(blueprint.FilesCORS()).Handler(endpoint), s.cors(blueprint.StreamsCORS()).Handler(endpoint)
	bucket := "/" + blueprint.LocalPlace().Bucket(s.config.Blueprint.Bucket.Name) + "/"
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
