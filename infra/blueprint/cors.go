package blueprint

import "time"

// CORS defines which requests pages of other origins may send and which response headers they
// may read. The origins are set for each installation; by default none is allowed.
type CORS struct {
	Methods        []string
	Headers        []string // allowed request headers; "*" for any
	ExposedHeaders []string // response headers that pages may read
	MaxAge         time.Duration
}

// corsMaxAge is the time for which browsers cache a preflight response.
const corsMaxAge = time.Hour

// APICORS covers the HTTP API: all of its methods and headers.
func APICORS() CORS {
	return CORS{
		Methods:        []string{"GET", "POST", "PUT", "PATCH", "DELETE"},
		Headers:        []string{"Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "Prefer", "X-Request-ID"},
		ExposedHeaders: []string{"Content-Disposition", "ETag", "Idempotency-Key-Expires", "Link", "Location", "Preference-Applied", "RateLimit", "RateLimit-Policy", "Retry-After", "X-Request-ID", "X-Total-Count"},
		MaxAge:         corsMaxAge,
	}
}

// FilesCORS covers presigned addresses of files: the ETag of each part is needed to complete a
// large upload.
func FilesCORS() CORS {
	return CORS{Methods: []string{"GET", "PUT"}, Headers: []string{"*"}, ExposedHeaders: []string{"ETag"}, MaxAge: corsMaxAge}
}

// StreamsCORS covers signed addresses of streams.
func StreamsCORS() CORS {
	return CORS{Methods: []string{"GET"}, ExposedHeaders: []string{"Content-Disposition", "X-Request-ID", "X-Total-Count"}}
}
