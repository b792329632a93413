package blueprint

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
)

// NewSecretValue returns the initial value of a Secret that CloudFormation does not create.
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
