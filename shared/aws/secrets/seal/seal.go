// Package seal encrypts short texts stored in the database, so that a copy of the database
// does not reveal them. A sealed text contains the id of its key, so that keys can be
// rotated while texts sealed with older keys still exist.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Keys contains the available keys, one of which seals new texts.
type Keys struct {
	current string
	aeads   map[string]cipher.AEAD
}

// minKeyLength is the minimum length of a key: 256 bits if it consists of letters and digits.
const minKeyLength = 43

var idPattern = regexp.MustCompile(`^[a-z0-9]{1,20}$`)

// ParseKeys parses keys by id, for example {"current":"2","1":"…","2":"…"}. Keys are arbitrary
// texts that cannot be guessed. Errors contain none of them.
func ParseKeys(document string) (*Keys, error) {
	var texts map[string]string
	if json.Unmarshal([]byte(document), &texts) != nil {
		return nil, errors.New("keys: not a JSON object of strings")
	}
	k := &Keys{current: texts["current"], aeads: make(map[string]cipher.AEAD)}
	delete(texts, "current")
	for id, text := range texts {
		if !idPattern.MatchString(id) || len(text) < minKeyLength {
			return nil, fmt.Errorf("keys: an ID has characters other than lower-case letters and digits, or a key has less than %d characters", minKeyLength)
		}
		aead, err := newAEAD(text)
		if err != nil {
			return nil, err
		}
		k.aeads[id] = aead
	}
	if k.aeads[k.current] == nil {
		return nil, errors.New("keys: current is not one of the keys")
	}
	return k, nil
}

// newAEAD derives AES-256-GCM from a text, with a random nonce for each message.
func newAEAD(text string) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, []byte(text), nil, "loadbay seal v1", sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// prefix begins a sealed text; the key's id and the ciphertext follow, separated by colons.
const prefix = "sealed:"

// Seal encrypts a text that belongs to owner. Only the same owner can open it, so
// that a copy in another owner's row is useless.
func (k *Keys) Seal(text, owner string) string {
	sealed := k.aeads[k.current].Seal(nil, nil, []byte(text), []byte(owner))
	return prefix + k.current + ":" + base64.RawStdEncoding.EncodeToString(sealed)
}

// ErrUnknownKey means that a text is sealed with a key that is not available.
var ErrUnknownKey = errors.New("the text is sealed with an unknown key")

// errBroken contains nothing of the text that cannot be opened.
var errBroken = errors.New("the text is sealed for another owner or damaged")

// Open decrypts a sealed text.
func (k *Keys) Open(sealed, owner string) (string, error) {
	rest, ok := strings.CutPrefix(sealed, prefix)
	id, encoded, named := strings.Cut(rest, ":")
	if !ok || !named {
		return "", errBroken
	}
	aead := k.aeads[id]
	if aead == nil {
		return "", ErrUnknownKey
	}
	bytes, err := base64.RawStdEncoding.DecodeString(encoded)
	if err != nil {
		return "", errBroken
	}
	text, err := aead.Open(nil, nil, bytes, []byte(owner))
	if err != nil {
		return "", errBroken
	}
	return string(text), nil
}

// IsCurrent reports whether a text is sealed with the current key.
func (k *Keys) IsCurrent(sealed string) bool { return strings.HasPrefix(sealed, prefix+k.current+":") }

// IsSealed reports whether a text is sealed.
func IsSealed(text string) bool { return strings.HasPrefix(text, prefix) }
