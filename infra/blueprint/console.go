package blueprint

import "strings"

// APIPaths are the paths of the API, including all paths below them. The other paths of the
// console's origin belong to the console; an unknown path below these gets the API's 404.
func APIPaths() []string {
	return []string{"/api", "/v1", "/docs", "/health", "/openapi.yaml", "/redoc.js", "/problems", KeyPath}
}

// pressableStyleHash is the hash of the only style that React Aria adds by script: the touch
// actions on pressable elements.
const pressableStyleHash = "'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o='"

// ConsolePolicy is the Content-Security-Policy of the console's pages: they load and run only
// resources of their own origin, and connect only to that and to the origins of files and of the
// token issuer.
func ConsolePolicy(origins ...string) string {
	return "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' " + pressableStyleHash +
		"; img-src 'self' blob:; font-src 'self'; connect-src " + strings.Join(append([]string{"'self'"}, origins...), " ") +
		"; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
}

// The other security headers of the console's pages, in addition to the common
// X-Content-Type-Options: nosniff and Referrer-Policy: no-referrer.
const (
	ConsolePermissions = "camera=(), microphone=(), geolocation=(), payment=()"
	ConsoleOpener      = "same-origin"
)
