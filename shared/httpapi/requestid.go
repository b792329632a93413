package httpapi

import (
	"context"
	"net/http"
	"regexp"

	"github.com/google/uuid"
)

const requestIDHeader = "X-Request-ID"

type requestIDKey struct{}

// safeID is what a request id may look like: it goes into headers, log lines and
// the database as it is.
var safeID = regexp.MustCompile(`^[A-Za-z0-9._:/+=@-]{1,128}$`)

// requestID is the caller's id of the request, or a new one if it has none that
// can be used.
func requestID(r *http.Request) string {
	if id := r.Header.Get(requestIDHeader); safeID.MatchString(id) {
		return id
	}
	return uuid.NewString()
}

func withRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}

func requestIDOf(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}
