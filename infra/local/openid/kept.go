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
	if len(k.values) >= most {
		return "", false
	}
	secret = rand.Text()
	k.values[secret] = entry[T]{value, now.Add(life)}
	return secret, true
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
