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

// accessKeyPrefix is the prefix of roles' access keys.
const accessKeyPrefix = "role-"

// Keys derives a secret for every role. A secret reveals nothing about the others.
type Keys struct{ seed []byte }

// OpenKeys reads the seed of all secrets from a file, which it creates if it does not exist.
// Without access to the file a process cannot act as another role.
func OpenKeys(path string) (Keys, error) {
	seed, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		seed = make([]byte, sha256.Size)
		_, _ = rand.Read(seed) // never fails, according to its documentation
		err = os.WriteFile(path, seed, 0o600)
	}
	if err != nil {
		return Keys{}, fmt.Errorf("read role keys: %w", err)
	}
	if len(seed) != sha256.Size {
		return Keys{}, fmt.Errorf("read role keys: %s has %d bytes, want %d", path, len(seed), sha256.Size)
	}
	return Keys{seed}, nil
}

// AccessKey is the public half of a role's credentials.
func AccessKey(role string) string { return accessKeyPrefix + role }

// RoleOf returns the role of an access key, which may not exist.
func RoleOf(accessKey string) (role string, ok bool) {
	return strings.CutPrefix(accessKey, accessKeyPrefix)
}

// Secret returns the secret key for any access key.
func (k Keys) Secret(accessKey string) string {
	mac := hmac.New(sha256.New, k.seed)
	mac.Write([]byte(accessKey))
	return hex.EncodeToString(mac.Sum(nil))[:40]
}
