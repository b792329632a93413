package openid

import (
	"crypto/rand"
	"sync"
	"time"
)

// maxEntries bounds what is kept of a kind: beyond it nobody signs in until something expires.
const maxEntries = 10_000

// ttlMap holds values for a while, each under a secret that nobody can guess.
type ttlMap[T any] struct {
	mu     sync.Mutex
	values map[string]ttlEntry[T]
}

type ttlEntry[T any] struct {
	value     T
	expiresAt time.Time
}

func newTTLMap[T any]() *ttlMap[T] { return &ttlMap[T]{values: make(map[string]ttlEntry[T])} }

// addSecret keeps a value and returns its secret; false where there is no room.
func (k *ttlMap[T]) addSecret(value T, life time.Duration) (secret string, ok bool) {
	secret = rand.Text()
	return secret, k.put(secret, value, life)
}

// put keeps a value under a secret; false where there is no room, or a value has it.
func (k *ttlMap[T]) put(secret string, value T, life time.Duration) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := time.Now()
	if len(k.values) >= maxEntries {
		for old, e := range k.values {
			if now.After(e.expiresAt) {
				delete(k.values, old)
			}
		}
	}
	if old, taken := k.values[secret]; len(k.values) >= maxEntries || taken && !now.After(old.expiresAt) {
		return false
	}
	k.values[secret] = ttlEntry[T]{value, now.Add(life)}
	return true
}

// get returns the value of a secret, unless it has expired.
func (k *ttlMap[T]) get(secret string) (value T, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	e, ok := k.values[secret]
	if !ok || time.Now().After(e.expiresAt) {
		return value, false
	}
	return e.value, true
}

// remove forgets a value.
func (k *ttlMap[T]) remove(secret string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.values, secret)
}
