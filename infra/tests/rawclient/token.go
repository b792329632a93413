package rawclient

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// LocalToken requests a token of an organisation from the local stack's issuer.
func LocalToken(ctx context.Context, base string, organisation int64) (string, error) {
	return localToken(ctx, base, fmt.Sprintf("organisation=%d", organisation))
}

// LocalOperatorToken requests an operator's token, for /api/admin.
func LocalOperatorToken(ctx context.Context, base string) (string, error) {
	return localToken(ctx, base, "scope=admin")
}

func localToken(ctx context.Context, base, query string) (string, error) {
	document, err := New(base, "").request(ctx, http.MethodGet, "/local/token?"+query, "", nil)
	if err != nil {
		return "", fmt.Errorf("token for %s: %w", query, err)
	}
	defer document.Body.Close()
	token, err := io.ReadAll(document.Body)
	if err != nil {
		return "", fmt.Errorf("token for %s: %w", query, err)
	}
	return strings.TrimSpace(string(token)), nil
}
