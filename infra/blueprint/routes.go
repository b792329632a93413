package blueprint

// PublicRoutes are the paths that the API serves to GET without a token. Every
// other route, also one that does not exist, asks for one.
func PublicRoutes() []string {
	return []string{"/health", "/openapi.yaml", "/docs", "/redoc.js", "/api/auth"}
}

// OperatorFunction serves OperatorRoutes; it alone connects as OperatorRole.
const OperatorFunction = "admin"

// Route is what API Gateway sends to a function: a method, and the paths that begin with
// a prefix.
type Route struct{ Method, Prefix string }

// Key is the route as API Gateway writes it.
func (r Route) Key() string { return r.Method + " " + r.Prefix + "{proxy+}" }

// OperatorRoutes are those of OperatorFunction; all others are those of `api`. They
// are no route for all methods: that would ask browsers' preflights for a token.
func OperatorRoutes() []Route {
	const prefix = "/api/admin/"
	return []Route{{"GET", prefix}, {"POST", prefix}, {"PUT", prefix}}
}

// OperatorScope is what a token must hold for OperatorRoutes: its holder operates the
// whole installation.
const OperatorScope = "admin"

// Scopes are what the tokens of an organisation may hold: every scope that a route of
// the API asks for, but OperatorScope.
func Scopes() []string {
	return []string{"imports:read", "imports:write", "imports:approve", "exports:read", "exports:write", "webhooks:read", "webhooks:write", "settings:write"}
}
