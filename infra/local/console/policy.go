package console

import (
	"net/http"

	"github.com/loadbay/loadbay/infra/blueprint"
)

func setSecurityHeaders(h http.Header, policy string) {
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Permissions-Policy", blueprint.ConsolePermissions)
	h.Set("Cross-Origin-Opener-Policy", blueprint.ConsoleOpener)
}
