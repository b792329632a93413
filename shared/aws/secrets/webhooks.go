// Package secrets encrypts the signing secrets of webhooks with keys that Secrets Manager stores,
// themselves encrypted with the KMS key of the stage.
//
// Tested by infra/tests/conformance: encryption, decryption and key rotation, through AWS's SDK.
package secrets

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/loadbay/loadbay/shared/aws/secrets/seal"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Settings configures the location of the keys.
type Settings struct {
	// Keys is the name of the secret that contains the keys, in the format of seal.ParseKeys.
	Keys string `env:"WEBHOOK_KEYS_SECRET,required"`
}

// keyCacheTTL is how long loaded keys are cached: after that time every process
// seals with a new key.
const keyCacheTTL = 5 * time.Minute

// WebhookSealer seals and opens the secrets of webhooks.
type WebhookSealer struct {
	client     *secretsmanager.Client
	secretName string

	mu     sync.Mutex
	keys   *seal.Keys
	readAt time.Time
}

// NewWebhookSealer returns a sealer. The keys are loaded on first use.
func NewWebhookSealer(c aws.Config, s Settings) *WebhookSealer {
	return &WebhookSealer{client: secretsmanager.NewFromConfig(c), secretName: s.Keys}
}

// HasKeys returns an error if the keys cannot be loaded.
func (w *WebhookSealer) HasKeys(ctx context.Context) error {
	_, err := w.loadKeys(ctx, false)
	return err
}

// Seal encrypts the secret of an organisation's webhook.
func (w *WebhookSealer) Seal(ctx context.Context, organisation tenant.ID, secret string) (job.SealedSecret, error) {
	keys, err := w.loadKeys(ctx, false)
	if err != nil {
		return "", err
	}
	return job.SealedSecret(keys.Seal(secret, secretOwner(organisation))), nil
}

// plainPrefix begins secrets stored in plain text by releases before 0.2. They are
// accepted until migrate has sealed them.
const plainPrefix = "whsec_"

// Open returns the secret of an organisation's webhook. An unknown key may be new, so Open
// reloads the keys once.
func (w *WebhookSealer) Open(ctx context.Context, organisation tenant.ID, sealed job.SealedSecret) (string, error) {
	if strings.HasPrefix(string(sealed), plainPrefix) {
		return string(sealed), nil
	}
	keys, err := w.loadKeys(ctx, false)
	if err != nil {
		return "", err
	}
	secret, err := keys.Open(string(sealed), secretOwner(organisation))
	if errors.Is(err, seal.ErrUnknownKey) {
		if keys, err = w.loadKeys(ctx, true); err != nil {
			return "", err
		}
		secret, err = keys.Open(string(sealed), secretOwner(organisation))
	}
	if err != nil {
		return "", fmt.Errorf("open webhook secret of organisation %d: %w", organisation, err)
	}
	return secret, nil
}

// Reseal seals a secret with the current key. changed is false if it already is.
func (w *WebhookSealer) Reseal(ctx context.Context, organisation tenant.ID, sealed job.SealedSecret) (renewed job.SealedSecret, changed bool, err error) {
	keys, err := w.loadKeys(ctx, false)
	if err != nil || keys.IsCurrent(string(sealed)) {
		return sealed, false, err
	}
	secret, err := w.Open(ctx, organisation, sealed)
	if err != nil {
		return "", false, err
	}
	renewed, err = w.Seal(ctx, organisation, secret)
	return renewed, err == nil, err
}

// secretOwner returns the owner to which a secret is bound.
func secretOwner(organisation tenant.ID) string {
	return "webhook of organisation " + organisation.String()
}

// loadKeys returns the cached keys; if now is set or the cache has expired, it reloads them.
func (w *WebhookSealer) loadKeys(ctx context.Context, now bool) (*seal.Keys, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.keys != nil && !now && time.Since(w.readAt) < keyCacheTTL {
		return w.keys, nil
	}
	out, err := w.client.GetSecretValue(ctx, &secretsmanager.GetSecretValueInput{SecretId: &w.secretName})
	if err != nil {
		return nil, fmt.Errorf("load webhook keys: %w", err)
	}
	keys, err := seal.ParseKeys(aws.ToString(out.SecretString))
	if err != nil {
		return nil, fmt.Errorf("load webhook keys: %w", err)
	}
	w.keys, w.readAt = keys, time.Now()
	return keys, nil
}
