package blueprint

// PublicRoutes are the paths that the API serves to GET without a token; {code} is any segment. All
// other routes, including unknown ones, require one.
func PublicRoutes() []string {
	return []string{"/health", "/openapi.yaml", "/docs", "/redoc.js", "/api/auth", "/problems/{code}"}
}

// KeyPath is the beginning of the paths that callers with API keys use. They are served without a
// token: the API itself checks the key.
const KeyPath = "/key"

// KeyMethods are the methods of KeyPath. They are listed, because a route for all methods would
// also answer CORS preflights.
func KeyMethods() []string { return []string{"GET", "POST", "PUT", "PATCH", "DELETE"} }

// OperatorFunction serves OperatorRoutes; no other function connects as OperatorRole.
const OperatorFunction = "admin"

// Route is a route of API Gateway: a method and a path prefix.
type Route struct{ Method, Prefix string }

// Key returns the route in the syntax of API Gateway.
func (r Route) Key() string { return r.Method + " " + r.Prefix + "{proxy+}" }

// OperatorRoutes are the routes of OperatorFunction; `api` serves all others. They are listed
// by method, because a route for all methods would require a token for CORS preflights.
func OperatorRoutes() []Route {
	const prefix = "/api/admin/"
	return []Route{{"GET", prefix}, {"POST", prefix}, {"PUT", prefix}}
}

// OperatorScope is the token scope for OperatorRoutes: its holder operates the whole
// installation.
const OperatorScope = "admin"

// Scopes are the possible token scopes of an organisation: every scope that a route of the API
// requires, except OperatorScope.
func Scopes() []string {
	return []string{"imports:read", "imports:write", "imports:approve", "exports:read", "exports:write", "webhooks:read", "webhooks:write", "settings:write", "organisation:write", "types:read", "types:write"}
}
