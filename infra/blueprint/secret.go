package blueprint

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
)

// NewSecretValue is what a Secret holds at first, where no CloudFormation makes it.
func NewSecretValue() (string, error) {
	var key string
	for len(key) < SecretLength {
		key += rand.Text()
	}
	text, err := json.Marshal(map[string]string{SecretCurrent: SecretFirstKey, SecretFirstKey: key[:SecretLength]})
	if err != nil {
		return "", fmt.Errorf("new secret: %w", err)
	}
	return string(text), nil
}
