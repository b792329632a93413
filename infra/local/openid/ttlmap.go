package openid

import (
	"crypto/rand"
	"sync"
	"time"
)

// maxEntries limits the entries of each map: when it is full, nobody can sign in until an entry
// expires.
const maxEntries = 10_000

// ttlMap stores values for a limited time, each under an unguessable secret.
type ttlMap[T any] struct {
	mu     sync.Mutex
	values map[string]ttlEntry[T]
}

type ttlEntry[T any] struct {
	value     T
	expiresAt time.Time
}

func newTTLMap[T any]() *ttlMap[T] { return &ttlMap[T]{values: make(map[string]ttlEntry[T])} }

// addSecret stores a value and returns its new secret; ok is false if the map is full.
func (k *ttlMap[T]) addSecret(value T, life time.Duration) (secret string, ok bool) {
	secret = rand.Text()
	return secret, k.put(secret, value, life)
}

// put stores a value under a secret. It returns false if the map is full or the secret is in
// use.
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

// remove deletes a value.
func (k *ttlMap[T]) remove(secret string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.values, secret)
}
