package client

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// webhookSecretPrefix is the beginning of a webhook's secret; its key follows in base64.
const webhookSecretPrefix = "whsec_"

// webhookTolerance is how far the time of a message may be from now.
const webhookTolerance = 5 * time.Minute

// NewWebhookSecret returns a random secret, for tests of a receiver.
func NewWebhookSecret() string {
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // never fails
	return webhookSecretPrefix + base64.StdEncoding.EncodeToString(key)
}

// SignWebhook returns the value of the header webhook-signature for a message, as Standard Webhooks
// specifies.
func SignWebhook(secret, id string, when time.Time, body []byte) (string, error) {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, webhookSecretPrefix))
	if err != nil || len(key) == 0 {
		return "", errors.New("the secret of a webhook is whsec_ and base64") // err would contain a part of it
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + strconv.FormatInt(when.Unix(), 10) + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)), nil
}

// ErrWebhookSignature means that a message was not signed with the secret of the webhook, or too
// long ago.
var ErrWebhookSignature = errors.New("the message is not signed with the secret of the webhook, or too old")

// VerifyWebhook checks that a message comes from the installation and is not a repetition of an old
// one. body is the body as it was received. While a secret is rotated, messages have signatures of
// both secrets, so either is accepted. Ignore a webhook-id that you have processed before.
func VerifyWebhook(secret string, header http.Header, body []byte) error {
	seconds, err := strconv.ParseInt(header.Get("webhook-timestamp"), 10, 64)
	if err != nil {
		return fmt.Errorf("%w: it has no webhook-timestamp", ErrWebhookSignature)
	}
	when := time.Unix(seconds, 0)
	if age := time.Since(when); age > webhookTolerance || age < -webhookTolerance {
		return ErrWebhookSignature
	}
	want, err := SignWebhook(secret, header.Get("webhook-id"), when, body)
	if err != nil {
		return err
	}
	for signature := range strings.FieldsSeq(header.Get("webhook-signature")) {
		if hmac.Equal([]byte(want), []byte(signature)) {
			return nil
		}
	}
	return ErrWebhookSignature
}
