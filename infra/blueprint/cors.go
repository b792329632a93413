package blueprint

import "time"

// CORS says what pages of other origins may ask for, and what of the responses they
// may read. Whose pages those are is set for each installation; unless it is, none may.
type CORS struct {
	Methods        []string
	Headers        []string // that requests may have; "*" for any
	ExposedHeaders []string // headers of responses that pages may read
	MaxAge         time.Duration
}

// corsMaxAge is how long a browser need not ask again.
const corsMaxAge = time.Hour

// APICORS is what holds for the HTTP API: all that it takes and says.
func APICORS() CORS {
	return CORS{
		Methods:        []string{"GET", "POST", "PUT", "PATCH", "DELETE"},
		Headers:        []string{"Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "Prefer", "X-Request-ID"},
		ExposedHeaders: []string{"Content-Disposition", "ETag", "Idempotency-Key-Expires", "Link", "Location", "Preference-Applied", "Retry-After", "X-Request-ID", "X-Total-Count"},
		MaxAge:         corsMaxAge,
	}
}

// FilesCORS is what holds for presigned addresses of files: the ETag of each part is
// needed to complete a large upload.
func FilesCORS() CORS {
	return CORS{Methods: []string{"GET", "PUT"}, Headers: []string{"*"}, ExposedHeaders: []string{"ETag"}, MaxAge: corsMaxAge}
}

// StreamsCORS is what holds for signed addresses of streams.
func StreamsCORS() CORS {
	return CORS{Methods: []string{"GET"}, ExposedHeaders: []string{"Content-Disposition", "X-Request-ID", "X-Total-Count"}}
}
