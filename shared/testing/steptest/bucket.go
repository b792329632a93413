// Package steptest provides in-memory replacements of the cloud for tests that run steps.
//
// Tested by shared/step: every import of that suite.
package steptest

import (
	"bytes"
	"context"
	"crypto/md5"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Bucket stores objects in memory.
type Bucket struct {
	mu      sync.Mutex
	objects map[string]storedObject
	read    map[string]int64
}

// storedObject has its ETag computed once: a file is read in many ranges.
type storedObject struct {
	body []byte
	etag string
}

// NewBucket returns an empty bucket.
func NewBucket() *Bucket {
	return &Bucket{objects: make(map[string]storedObject), read: make(map[string]int64)}
}

func (b *Bucket) get(key string) (storedObject, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	stored, ok := b.objects[key]
	if !ok {
		return storedObject{}, problem.New(problem.UploadMissing, "The file has not been uploaded yet.")
	}
	return stored, nil
}

// Open returns an object as a source; reading fails if the object does not exist.
func (b *Bucket) Open(ctx context.Context, v object.Version) sheet.Source {
	if _, err := b.get(v.Key); err != nil {
		return missingObject{err}
	}
	return objectVersion{ctx, b, v}
}

// objectVersion reads an object as long as it is unchanged.
type objectVersion struct {
	ctx    context.Context
	bucket *Bucket
	object.Version
}

func (v objectVersion) ReadAt(p []byte, offset int64) (int, error) {
	n := max(0, min(int64(len(p)), v.Size()-offset))
	part, err := v.bucket.ReadRange(v.ctx, v.Version, offset, n)
	if err == nil && n < int64(len(p)) {
		err = io.EOF
	}
	return copy(p, part), err
}

func (v objectVersion) Size() int64 { return v.Version.Size }

// missingObject is an object that does not exist.
type missingObject struct{ error }

func (g missingObject) ReadAt([]byte, int64) (int, error) { return 0, g.error }
func (g missingObject) Size() int64                       { return 1 }

// Head returns an object's size and ETag.
func (b *Bucket) Head(_ context.Context, key string) (object.Info, error) {
	stored, err := b.get(key)
	if err != nil {
		return object.Info{}, err
	}
	return object.Info{Size: int64(len(stored.body)), ETag: stored.etag}, nil
}

// PutNew stores an object, unless it already exists.
func (b *Bucket) PutNew(ctx context.Context, key, contentType string, body []byte) error {
	if _, err := b.get(key); err == nil {
		return nil
	}
	return b.Put(ctx, key, contentType, body)
}

// Put stores an object.
func (b *Bucket) Put(_ context.Context, key, _ string, body []byte) error {
	etag := fmt.Sprintf("%q", fmt.Sprintf("%x", md5.Sum(body)))
	b.mu.Lock()
	defer b.mu.Unlock()
	b.objects[key] = storedObject{bytes.Clone(body), etag}
	return nil
}

// BytesRead returns how many bytes of an object have been read so far.
func (b *Bucket) BytesRead(key string) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.read[key]
}

// ReadRange returns a part of an object, if it has that version.
func (b *Bucket) ReadRange(_ context.Context, v object.Version, offset, length int64) ([]byte, error) {
	stored, err := b.get(v.Key)
	if err != nil {
		return nil, err
	}
	if v.ETag != "" && v.ETag != stored.etag {
		return nil, problem.New(problem.SourceChanged, "%s", object.SourceChangedMessage)
	}
	if offset+length > int64(len(stored.body)) {
		return nil, io.ErrUnexpectedEOF
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.read[v.Key] += length
	return stored.body[offset : offset+length], nil
}

// Delete deletes an object.
func (b *Bucket) Delete(_ context.Context, key string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.objects, key)
	return nil
}

// DeleteAll deletes the objects under a key prefix.
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
