package provision

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// createSecret creates the secret with its first key.
func (p *Provisioner) createSecret(ctx context.Context, r *Resources) error {
	r.Secret = p.blueprint.Secret.Name
	text, err := blueprint.NewSecretValue()
	if err != nil {
		return err
	}
	if _, err := p.secrets.CreateSecret(ctx, &secretsmanager.CreateSecretInput{Name: &r.Secret, SecretString: &text}); err != nil {
		return fmt.Errorf("secret %s: %w", r.Secret, err)
	}
	return nil
}
