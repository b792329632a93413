package stack

import (
	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/gateway"
	"github.com/loadbay/loadbay/infra/local/openid"
	"github.com/loadbay/loadbay/shared/runtime/signin"
)

// The clients that people sign in with.
const (
	consoleClient = "loadbay-console"
	commandClient = "loadbay-command"
)

// developmentOrigins are those of `make console-dev`.
func developmentOrigins() []string { return []string{"http://127.0.0.1:5173", "http://localhost:5173"} }

// newProvider is who signs people in here, as an issuer of theirs does on AWS.
func (s *Stack) newProvider() openid.Config {
	console, command := openid.Client{ID: consoleClient}, openid.Client{ID: commandClient, RedirectURLs: signin.CommandRedirects()}
	for _, origin := range append(s.consoleNames(), developmentOrigins()...) {
		console.RedirectURLs = append(console.RedirectURLs, origin+signin.Path)
		console.LogoutURLs = append(console.LogoutURLs, origin+"/")
	}
	return openid.Config{Issuer: s.issuer, Clients: []openid.Client{console, command}, Scopes: blueprint.Scopes(), Operator: blueprint.OperatorScope}
}

// claimNames are what the claims of local tokens are called where the functions read others.
func (s *Stack) claimNames() map[string]string {
	organisation, _ := s.config.Setting(blueprint.AuthOrganisationClaim)
	scopes, _ := s.config.Setting(blueprint.AuthScopeClaim)
	return map[string]string{gateway.OrganisationClaim: organisation, gateway.ScopeClaim: scopes}
}
