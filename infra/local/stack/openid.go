package stack

import (
	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/gateway"
	"github.com/loadbay/loadbay/infra/local/openid"
	"github.com/loadbay/loadbay/shared/runtime/signin"
)

// OpenID clients of the local stack.
const (
	consoleClient = "loadbay-console"
	commandClient = "loadbay-command"
)

// developmentOrigins returns the origins of `make console-dev`.
func developmentOrigins() []string { return []string{"http://127.0.0.1:5173", "http://localhost:5173"} }

// newProvider configures the local OpenID provider, which replaces the customer's issuer on AWS.
func (s *Stack) newProvider() openid.Config {
	console, command := openid.Client{ID: consoleClient}, openid.Client{ID: commandClient, RedirectURLs: signin.CommandRedirects()}
	for _, origin := range append(s.consoleNames(), developmentOrigins()...) {
		console.RedirectURLs = append(console.RedirectURLs, origin+signin.Path)
		console.LogoutURLs = append(console.LogoutURLs, origin+"/")
	}
	return openid.Config{Issuer: s.issuer, Clients: []openid.Client{console, command}, Scopes: blueprint.Scopes(), Operator: blueprint.OperatorScope}
}

// claimNames returns the claim names of local tokens, if the functions read others.
func (s *Stack) claimNames() map[string]string {
	organisation, _ := s.config.Setting(blueprint.AuthOrganisationClaim)
	scopes, _ := s.config.Setting(blueprint.AuthScopeClaim)
	return map[string]string{gateway.OrganisationClaim: organisation, gateway.ScopeClaim: scopes}
}
