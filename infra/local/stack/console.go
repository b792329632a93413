package stack

import (
	"cmp"
	"errors"
	"net/http"
	"strings"

	"github.com/loadbay/loadbay/infra/local/console"
)

// withConsole puts the console in front of the API, if the console is built.
func (s *Stack) withConsole(api http.Handler) (http.Handler, error) {
	if s.config.Console == "" {
		return api, nil
	}
	built, err := console.Open(s.config.Console, append([]string{cmp.Or(s.config.PublicURL, s.AWSURL), s.APIURL}, s.issuerURLs...)...)
	if errors.Is(err, console.ErrNotBuilt) {
		return api, nil
	}
	if err != nil {
		return nil, err
	}
	s.Console = true
	return built.Handler(api), nil
}

// consoleOrigins returns the origins of the console's pages, which send files to presigned
// URLs: the API's origin, under both names of this machine, and the public one.
func (s *Stack) consoleOrigins() []string {
	if !s.Console {
		return nil
	}
	names := s.consoleNames()
	if s.config.PublicURL != "" {
		names = append(names, s.config.PublicURL)
	}
	return names
}

// consoleNames returns the API's address under both names of this machine.
func (s *Stack) consoleNames() []string {
	return []string{s.APIURL, strings.Replace(s.APIURL, "127.0.0.1", "localhost", 1)}
}
