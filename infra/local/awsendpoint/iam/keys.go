package iam

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// accessKeyPrefix begins the access keys of roles.
const accessKeyPrefix = "role-"

// Keys gives every role its secret. One secret tells nothing of another.
type Keys struct{ seed []byte }

// OpenKeys reads the file that all secrets follow from, which is made if there is
// none. Who cannot read it cannot act as another role.
func OpenKeys(path string) (Keys, error) {
	seed, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		seed = make([]byte, sha256.Size)
		_, _ = rand.Read(seed) // does not fail, says its documentation
		err = os.WriteFile(path, seed, 0o600)
	}
	if err != nil {
		return Keys{}, fmt.Errorf("keys of the roles: %w", err)
	}
	if len(seed) != sha256.Size {
		return Keys{}, fmt.Errorf("keys of the roles: %s has %d bytes, not %d", path, len(seed), sha256.Size)
	}
	return Keys{seed}, nil
}

// AccessKey is the public half of a role's credentials.
func AccessKey(role string) string { return accessKeyPrefix + role }

// RoleOf is the role of an access key, which need not be one that exists.
func RoleOf(accessKey string) (role string, ok bool) {
	return strings.CutPrefix(accessKey, accessKeyPrefix)
}

// Secret is the other half, of any access key.
func (k Keys) Secret(accessKey string) string {
	mac := hmac.New(sha256.New, k.seed)
	mac.Write([]byte(accessKey))
	return hex.EncodeToString(mac.Sum(nil))[:40]
}
