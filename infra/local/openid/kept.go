package openid

import (
	"crypto/rand"
	"sync"
	"time"
)

// most bounds what is kept of a kind: beyond it nobody signs in until something expires.
const most = 10_000

// kept holds values for a while, each under a secret that nobody can guess.
type kept[T any] struct {
	mu     sync.Mutex
	values map[string]entry[T]
}

type entry[T any] struct {
	value T
	until time.Time
}

func newKept[T any]() *kept[T] { return &kept[T]{values: make(map[string]entry[T])} }

// add keeps a value and returns its secret; false where there is no room.
func (k *kept[T]) add(value T, life time.Duration) (secret string, ok bool) {
	secret = rand.Text()
	return secret, k.put(secret, value, life)
}

// put keeps a value under a secret; false where there is no room, or a value has it.
func (k *kept[T]) put(secret string, value T, life time.Duration) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := time.Now()
	if len(k.values) >= most {
		for old, e := range k.values {
			if now.After(e.until) {
				delete(k.values, old)
			}
		}
	}
	if old, taken := k.values[secret]; len(k.values) >= most || taken && !now.After(old.until) {
		return false
	}
	k.values[secret] = entry[T]{value, now.Add(life)}
	return true
}

// get returns the value of a secret, unless it has expired.
func (k *kept[T]) get(secret string) (value T, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	e, ok := k.values[secret]
	if !ok || time.Now().After(e.until) {
		return value, false
	}
	return e.value, true
}

// remove forgets a value.
func (k *kept[T]) remove(secret string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.values, secret)
}
