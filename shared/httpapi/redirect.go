package httpapi

import "net/http"

// parameterRedirect is the parameter by which callers say that they go to an address
// elsewhere themselves. Browsers cannot be led there: once a redirect leads from one origin
// to another, they say that the request is from none, which CORS refuses.
const parameterRedirect = "redirect"

// writeDownload leads to a file.
func writeDownload(w http.ResponseWriter, r *http.Request, address string) error {
	return redirectTo(w, r, http.StatusFound, address, map[string]any{"url": address, "expires_in": int(downloadLifetime.Seconds())})
}

// redirectTo redirects to an address elsewhere, or says it where the caller asks for that.
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

// wantsRedirect reports whether the caller wants to be redirected.
func wantsRedirect(r *http.Request) (bool, error) {
	v := newValues(r.URL.Query())
	given := v.optionalFlag(parameterRedirect)
	return given == nil || *given, v.err()
}
