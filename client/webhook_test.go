package client_test

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/client"
)

// The values are from the tests of the Standard Webhooks reference libraries.
func TestWebhookSignatureMatchesSpecification(t *testing.T) {
	t.Parallel()
	signed, err := client.SignWebhook("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	require.NoError(t, err)
	require.Equal(t, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=", signed)
	_, err = client.SignWebhook("whsec_%%hidden%%", "e", time.Time{}, nil)
	require.Error(t, err)
	require.NotContains(t, err.Error(), "hidden")
}

func TestVerifyWebhook(t *testing.T) {
	t.Parallel()
	secret, body := client.NewWebhookSecret(), []byte(`{"type":"import.completed"}`)
	message := func(secret string, age time.Duration) http.Header {
		when := time.Now().Add(-age)
		signed, err := client.SignWebhook(secret, "e1", when, body)
		require.NoError(t, err)
		h := http.Header{}
		h.Set("webhook-id", "e1")
		h.Set("webhook-timestamp", strconv.FormatInt(when.Unix(), 10))
		h.Set("webhook-signature", "v1,AAAA "+signed)
		return h
	}
	require.NoError(t, client.VerifyWebhook(secret, message(secret, time.Minute), body))
	require.ErrorIs(t, client.VerifyWebhook(secret, message(secret, time.Minute), []byte(`{}`)), client.ErrWebhookSignature)
	require.ErrorIs(t, client.VerifyWebhook(secret, message(secret, 6*time.Minute), body), client.ErrWebhookSignature)
	require.ErrorIs(t, client.VerifyWebhook(secret, message(secret, -6*time.Minute), body), client.ErrWebhookSignature)
	require.ErrorIs(t, client.VerifyWebhook(secret, message(client.NewWebhookSecret(), 0), body), client.ErrWebhookSignature)
	require.ErrorIs(t, client.VerifyWebhook(secret, http.Header{}, body), client.ErrWebhookSignature)
}
