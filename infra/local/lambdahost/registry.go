package lambdahost

import (
	"crypto/rand"
	"errors"
	"maps"
	"slices"
	"strconv"
	"sync"
)

// registry holds every instance that has a process, by id.
type registry struct {
	mu     sync.Mutex
	last   int
	byID   map[string]*instance
	closed bool
}

// newID returns an id that only its instance knows: anyone with the id can receive the
// instance's invocations, and every web page opened on this machine can call the port.
func (r *registry) newID() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	return strconv.Itoa(r.last) + "-" + rand.Text()
}

// errClosed means that no more instances may start.
var errClosed = errors.New("the local stack is stopping")

// add starts the instance's process and registers it in one step: the process may
// call the Runtime API at once, and Close must not miss a process.
func (r *registry) add(i *instance, start func() error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return errClosed
	}
	if err := start(); err != nil {
		return err
	}
	if r.byID == nil {
		r.byID = map[string]*instance{}
	}
	r.byID[i.id] = i
	return nil
}

func (r *registry) remove(i *instance) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.byID, i.id)
}

func (r *registry) get(id string) (*instance, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i, ok := r.byID[id]
	return i, ok
}

func (r *registry) all() []*instance {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Values(r.byID))
}

// closeAll ends every instance and prevents new ones.
func (r *registry) closeAll() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	var ended sync.WaitGroup
	for _, i := range r.all() {
		ended.Go(func() { i.kill("") })
	}
	ended.Wait()
}
