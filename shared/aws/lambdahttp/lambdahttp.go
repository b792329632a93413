// Package lambdahttp lets Lambda call an http.Handler: for API Gateway, and for the
// address of the function itself.
package lambdahttp

import (
	"context"
	"fmt"
	"io"
	"net/http"
)

// baseRequest returns the part of an HTTP request that all kinds of events share.
func baseRequest(ctx context.Context, method string, body io.Reader, headers map[string]string) (*http.Request, error) {
	r, err := http.NewRequestWithContext(ctx, method, "/", body)
	if err != nil {
		return nil, fmt.Errorf("event: %w", err)
	}
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	return r, nil
}

// noStoreHeader are the headers of a response that no handler has made.
func noStoreHeader() map[string]string {
	return map[string]string{"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
}
