package blueprint

// PublicRoutes are the paths that the API serves to GET without a token. Every
// other route, also one that does not exist, asks for one.
func PublicRoutes() []string { return []string{"/health", "/openapi.yaml"} }

// Scopes are what a token may hold: every scope that a route of the API asks for.
func Scopes() []string {
	return []string{"imports:read", "imports:write", "exports:read", "exports:write"}
}
