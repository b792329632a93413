package httpapi

import "net/http"

// parameterRedirect is the parameter by which callers request the address instead of a redirect.
// Browsers cannot follow the redirect: after a redirect from one origin to another, they send the
// origin null, which CORS rejects.
const parameterRedirect = "redirect"

// writeDownload redirects to a file.
func writeDownload(w http.ResponseWriter, r *http.Request, address string) error {
	return redirectTo(w, r, http.StatusFound, address, map[string]any{"url": address, "expires_in": int(downloadLifetime.Seconds())})
}

// redirectTo redirects to an external address, or returns it in the body if the caller requests that.
func redirectTo(w http.ResponseWriter, r *http.Request, status int, address string, document map[string]any) error {
	redirect, err := wantsRedirect(r)
	if err != nil {
		return err
	}
	if !redirect {
		return writeJSON(w, http.StatusOK, document)
	}
	w.Header().Set("Location", address)
	return writeJSON(w, status, document)
}

// wantsRedirect reports whether the caller wants a redirect.
func wantsRedirect(r *http.Request) (bool, error) {
	v := newValues(r.URL.Query())
	given := v.optionalFlag(parameterRedirect)
	return given == nil || *given, v.err()
}
