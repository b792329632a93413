package blueprint

// PublicRoutes are the paths that the API serves to GET without a token. Every
// other route, also one that does not exist, asks for one.
func PublicRoutes() []string { return []string{"/health", "/openapi.yaml"} }
