// Package seal encrypts short texts that the database keeps and that nobody should find
// in a copy of it. A sealed text names the key that it is sealed with, so that keys can be
// replaced while texts of older ones are still there.
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

// Keys are the keys that there are, one of which seals.
type Keys struct {
	current string
	aeads   map[string]cipher.AEAD
}

// minKeyLength is the least length of a key: 256 bits, if its characters are letters and digits.
const minKeyLength = 43

var idPattern = regexp.MustCompile(`^[a-z0-9]{1,20}$`)

// ParseKeys reads keys by their ids, as {"current":"2","1":"…","2":"…"}: any texts that
// cannot be guessed. Errors repeat none of them.
func ParseKeys(document string) (*Keys, error) {
	var texts map[string]string
	if json.Unmarshal([]byte(document), &texts) != nil {
		return nil, errors.New("keys: not a JSON object of texts")
	}
	k := &Keys{current: texts["current"], aeads: make(map[string]cipher.AEAD)}
	delete(texts, "current")
	for id, text := range texts {
		if !idPattern.MatchString(id) || len(text) < minKeyLength {
			return nil, fmt.Errorf("keys: an id is not lower-case letters and digits, or a key has less than %d characters", minKeyLength)
		}
		aead, err := newAEAD(text)
		if err != nil {
			return nil, err
		}
		k.aeads[id] = aead
	}
	if k.aeads[k.current] == nil {
		return nil, errors.New("keys: current names none of them")
	}
	return k, nil
}

// newAEAD makes AES-256-GCM of a text, with a random nonce for each message.
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

// prefix begins a sealed text; the key's id and the rest follow, with colons between.
const prefix = "sealed:"

// Seal encrypts a text that belongs to owner. Only for the same owner it opens again, so
// that copied to another's row it is worth nothing.
func (k *Keys) Seal(text, owner string) string {
	sealed := k.aeads[k.current].Seal(nil, nil, []byte(text), []byte(owner))
	return prefix + k.current + ":" + base64.RawStdEncoding.EncodeToString(sealed)
}

// ErrUnknownKey is of a text that is sealed with a key which is not there.
var ErrUnknownKey = errors.New("the text is sealed with a key that is not there")

// errBroken repeats nothing of what cannot be opened.
var errBroken = errors.New("the text is not sealed for its owner, or damaged")

// Open returns the text that was sealed.
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

// IsCurrent reports whether a text is sealed with the key that seals now.
func (k *Keys) IsCurrent(sealed string) bool { return strings.HasPrefix(sealed, prefix+k.current+":") }

// IsSealed reports whether a text is sealed at all.
func IsSealed(text string) bool { return strings.HasPrefix(text, prefix) }
