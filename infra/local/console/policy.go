package console

import (
	"net/http"
	"strings"
)

// pressable is the hash of the one style that React Aria adds by script: what a finger
// may do on what can be pressed.
const pressable = "'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o='"

// Policy is the Content-Security-Policy of the console's pages: nothing but what comes
// from their own origin runs or is shown, and they send nothing but to that and to the origins
// that files go to and that people sign in at.
func Policy(origins ...string) string {
	return "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' " + pressable +
		"; img-src 'self' blob:; font-src 'self'; connect-src 'self' " + strings.Join(origins, " ") +
		"; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
}

func setSecurity(h http.Header, policy string) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), payment=()")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
}
