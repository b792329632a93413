package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// LocalToken gets a token of an organisation from the local stack's issuer.
func LocalToken(ctx context.Context, base string, organisation int64) (string, error) {
	document, err := New(base, "").request(ctx, http.MethodGet, fmt.Sprintf("/local/token?organisation=%d", organisation), "", nil)
	if err != nil {
		return "", fmt.Errorf("token of organisation %d: %w", organisation, err)
	}
	defer document.Body.Close()
	token, err := io.ReadAll(document.Body)
	if err != nil {
		return "", fmt.Errorf("token of organisation %d: %w", organisation, err)
	}
	return strings.TrimSpace(string(token)), nil
}
