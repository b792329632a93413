package httpapi

import (
	"context"
	"net/http"
	"regexp"

	"github.com/google/uuid"
)

const requestIDHeader = "X-Request-ID"

type requestIDKey struct{}

// safeID matches valid request ids, which are copied unchanged into headers, log lines and the
// database.
var safeID = regexp.MustCompile(`^[A-Za-z0-9._:/+=@-]{1,128}$`)

// requestID returns the caller's id of the request, or a new one if it is absent or invalid.
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
