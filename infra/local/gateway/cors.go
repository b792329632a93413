package gateway

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// CORS lets pages of other origins make requests and read the responses, as API Gateway,
// function URLs and S3 do if they have CORS rules.
type CORS struct {
	// Origins are the allowed origins, for example "https://app.example.com"; "*" allows any.
	// If it is empty, responses have no CORS headers and browsers withhold them from every page.
	Origins []string
	Methods []string
	// Headers are the allowed request headers; "*" allows any.
	Headers []string
	// ExposedHeaders are the response headers that pages may read.
	ExposedHeaders []string
	// MaxAge is how long a browser may cache a preflight response.
	MaxAge time.Duration
}

// Handler answers preflight requests itself, before authorisation, because they cannot carry
// a token, and adds CORS headers to all other responses of next.
//
// https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html
func (c CORS) Handler(next http.Handler) http.Handler {
	if len(c.Origins) == 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := c.allowedOrigin(r.Header.Get("Origin"))
		if origin != "" {
			w.Header().Set("Access-Control-Allow-Origin", origin)
			w.Header().Add("Vary", "Origin")
		}
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			c.preflight(w, r, origin)
			return
		}
		if origin != "" && len(c.ExposedHeaders) > 0 {
			w.Header().Set("Access-Control-Expose-Headers", strings.Join(c.ExposedHeaders, ","))
		}
		next.ServeHTTP(w, r)
	})
}

// allowedOrigin returns the value of Access-Control-Allow-Origin for an origin, or "".
func (c CORS) allowedOrigin(origin string) string {
	switch {
	case origin == "":
		return ""
	case slices.Contains(c.Origins, origin):
		return origin
	case slices.Contains(c.Origins, "*"):
		return "*"
	}
	return ""
}

// preflight answers a preflight request; an origin that is not allowed gets no CORS headers.
func (c CORS) preflight(w http.ResponseWriter, r *http.Request, origin string) {
	if origin != "" {
		h := w.Header()
		h.Set("Access-Control-Allow-Methods", strings.Join(c.Methods, ","))
		switch asked := r.Header.Get("Access-Control-Request-Headers"); {
		case slices.Contains(c.Headers, "*") && asked != "":
			h.Set("Access-Control-Allow-Headers", asked)
		case len(c.Headers) > 0:
			h.Set("Access-Control-Allow-Headers", strings.Join(c.Headers, ","))
		}
		if c.MaxAge > 0 {
			h.Set("Access-Control-Max-Age", strconv.Itoa(int(c.MaxAge.Seconds())))
		}
	}
	w.WriteHeader(http.StatusNoContent)
}
