// Package webhook signs messages as specified by Standard Webhooks, and sends them to an
// address that an organisation has registered.
//
// https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The headers of a message.
const (
	headerID        = "webhook-id"
	headerTimestamp = "webhook-timestamp"
	headerSignature = "webhook-signature"
)

// secretPrefix is the prefix of a secret; its bytes follow in base64.
const secretPrefix = "whsec_"

// secretBytes is the length of a new secret, equal to that of a SHA-256 hash.
const secretBytes = 32

// NewSecret returns a new secret.
func NewSecret() string {
	key := make([]byte, secretBytes)
	_, _ = rand.Read(key) // never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(key)
}

// signatures returns the value of the header: for each secret "v1," and the HMAC-SHA256 of
// "id.timestamp.body" in base64, separated by spaces.
func signatures(secrets []string, id string, when time.Time, body string) (string, error) {
	all := make([]string, len(secrets))
	for i, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, secretPrefix))
		if err != nil {
			return "", fmt.Errorf("sign message %s: the secret is not base64", id) // err would contain a part of it
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + strconv.FormatInt(when.Unix(), 10) + "." + body))
		all[i] = "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	return strings.Join(all, " "), nil
}
