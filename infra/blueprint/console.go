package blueprint

import "strings"

// APIPaths are what the API serves: each of them and all below it. Every other path of
// the console's origin is the console's, and an unknown one below these stays the API's 404.
func APIPaths() []string {
	return []string{"/api", "/v1", "/docs", "/health", "/openapi.yaml", "/redoc.js"}
}

// pressableStyleHash is the hash of the one style that React Aria adds by script: what a finger
// may do on what can be pressed.
const pressableStyleHash = "'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o='"

// ConsolePolicy is the Content-Security-Policy of the console's pages: nothing but what
// comes from their own origin runs or is shown, and they send nothing but to that and to
// the origins that files go to and that people sign in at.
func ConsolePolicy(origins ...string) string {
	return "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' " + pressableStyleHash +
		"; img-src 'self' blob:; font-src 'self'; connect-src " + strings.Join(append([]string{"'self'"}, origins...), " ") +
		"; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
}

// The other security headers of the console's pages, beside those that every server knows:
// X-Content-Type-Options: nosniff and Referrer-Policy: no-referrer.
const (
	ConsolePermissions = "camera=(), microphone=(), geolocation=(), payment=()"
	ConsoleOpener      = "same-origin"
)
