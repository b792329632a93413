// Package lambdahttp runs an http.Handler in Lambda, behind API Gateway or a
// function URL.
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

// noStoreHeader returns the headers of a response that does not come from a handler.
func noStoreHeader() map[string]string {
	return map[string]string{"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
}
