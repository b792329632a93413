// Package steptest has what stands in for the cloud when tests run steps.
//
// Tested by shared/step: every import of that suite.
package steptest

import (
	"bytes"
	"context"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Bucket keeps objects in memory.
type Bucket struct {
	mu      sync.Mutex
	objects map[string][]byte
}

// NewBucket returns an empty bucket.
func NewBucket() *Bucket { return &Bucket{objects: make(map[string][]byte)} }

func (b *Bucket) get(key string) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	body, ok := b.objects[key]
	if !ok {
		return nil, problem.New(problem.UploadMissing, "The file has not been uploaded yet.")
	}
	return body, nil
}

// Open returns an object as a source; reading one that is not there fails.
func (b *Bucket) Open(_ context.Context, key string, _ int64) sheet.Source {
	body, err := b.get(key)
	if err != nil {
		return gone{err}
	}
	return bytes.NewReader(body)
}

// gone is an object that is not there.
type gone struct{ error }

func (g gone) ReadAt([]byte, int64) (int, error) { return 0, g.error }
func (g gone) Size() int64                       { return 1 }

// Size returns an object's size.
func (b *Bucket) Size(_ context.Context, key string) (int64, error) {
	body, err := b.get(key)
	return int64(len(body)), err
}

// Put stores an object.
func (b *Bucket) Put(_ context.Context, key, _ string, body []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.objects[key] = bytes.Clone(body)
	return nil
}

// Range returns a part of an object.
func (b *Bucket) Range(_ context.Context, key string, offset, length int64) ([]byte, error) {
	body, err := b.get(key)
	if err != nil {
		return nil, err
	}
	if offset+length > int64(len(body)) {
		return nil, io.ErrUnexpectedEOF
	}
	return body[offset : offset+length], nil
}

// Delete deletes an object.
func (b *Bucket) Delete(_ context.Context, key string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.objects, key)
	return nil
}

// DeleteAll deletes the objects whose keys begin with a prefix.
func (b *Bucket) DeleteAll(ctx context.Context, prefix string) (int, error) {
	keys, err := b.Objects(ctx, prefix)
	for _, key := range keys {
		_ = b.Delete(ctx, key)
	}
	return len(keys), err
}

// Objects returns the keys that begin with a prefix.
func (b *Bucket) Objects(_ context.Context, prefix string) ([]string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(b.objects)), func(key string) bool { return !strings.HasPrefix(key, prefix) }), nil
}
