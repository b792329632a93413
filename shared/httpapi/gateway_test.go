package httpapi_test

import (
	"encoding/json"
	"net/http"
	"os"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/aws/lambdahttp"
	"github.com/loadbay/loadbay/shared/httpapi"
)

// The sample event, with a token of organisation 1, is sent through the API.
func TestGatewayEventCarriesClaims(t *testing.T) {
	t.Parallel()
	b := setup(t)
	require.Equal(t, http.StatusAccepted, b.importRoster(t, nil).Code)
	text, err := os.ReadFile("../../events/api.json")
	require.NoError(t, err)
	var e events.APIGatewayV2HTTPRequest
	require.NoError(t, json.Unmarshal(text, &e))
	handle := lambdahttp.Gateway(b.handler, httpapi.WithClaims)

	out, err := handle(t.Context(), e)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, out.StatusCode, out.Body)
	require.False(t, out.IsBase64Encoded)
	require.Equal(t, "1", out.Headers["X-Total-Count"])
	require.Equal(t, "sample-request", out.Headers["X-Request-Id"])

	e.RequestContext.Authorizer = nil
	out, err = handle(t.Context(), e)
	require.NoError(t, err)
	require.Equal(t, http.StatusUnauthorized, out.StatusCode)
}
