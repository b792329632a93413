// Package apikey defines API keys: credentials of an organisation for programs without an identity
// provider. Only the hash of a key is stored. A key names its organisation, so that it is looked up
// under the policies of that organisation.
package apikey

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/loadbay/loadbay/shared/job/tenant"
)

// Prefix is the beginning of every key, by which programs that search for secrets recognise it.
const Prefix = "lbk_"

// SubjectPrefix is the beginning of a key's name as a caller.
const SubjectPrefix = "key:"

// MaxActive is the maximum number of keys of an organisation that are neither revoked nor expired.
const MaxActive = 50

// The lifetime of keys, in days.
const (
	DefaultDays = 90
	MaxDays     = 366
)

// Overlap is how long the former key is accepted after a rotation.
const Overlap = 24 * time.Hour

// secretBytes is the length of a secret: it is random, so that a fast hash protects it.
const secretBytes = 32

// Key is a stored key. Its secret is not known.
type Key struct {
	ID            string
	Name          string
	Scopes        []string
	CreatedBy     string
	CreatedAt     time.Time
	RotatedAt     *time.Time
	PreviousUntil *time.Time // the key before the rotation is accepted until then
	ExpiresAt     time.Time
	LastUsedAt    *time.Time // up to five minutes old
	RevokedAt     *time.Time
	RevokedBy     string
}

// Token is a key as its holder sends it: lbk_, the organisation, the id and the secret.
type Token struct {
	Organisation tenant.ID
	ID           uuid.UUID
	secret       string
}

// NewToken returns a token with a new secret.
func NewToken(organisation tenant.ID, id uuid.UUID) Token {
	secret := make([]byte, secretBytes)
	_, _ = rand.Read(secret) // never fails
	return Token{organisation, id, base64.RawURLEncoding.EncodeToString(secret)}
}

// Text is the token for its holder. It is no method String, so that no log contains it by mistake.
func (t Token) Text() string {
	return fmt.Sprintf("%s%d_%s_%s", Prefix, t.Organisation, strings.ReplaceAll(t.ID.String(), "-", ""), t.secret)
}

// Hash is what is stored of a token.
func (t Token) Hash() []byte {
	sum := sha256.Sum256([]byte(t.Text()))
	return sum[:]
}

// Parse returns the token in a text; ok is false if it cannot be one.
func Parse(text string) (t Token, ok bool) {
	rest, found := strings.CutPrefix(text, Prefix)
	parts := strings.SplitN(rest, "_", 3)
	if !found || len(parts) != 3 || len(parts[1]) != 32 {
		return Token{}, false
	}
	organisation, err := tenant.Parse(parts[0])
	if err != nil {
		return Token{}, false
	}
	id, err := uuid.Parse(parts[1])
	if err != nil {
		return Token{}, false
	}
	if secret, err := base64.RawURLEncoding.DecodeString(parts[2]); err != nil || len(secret) != secretBytes {
		return Token{}, false
	}
	return Token{organisation, id, parts[2]}, true
}
