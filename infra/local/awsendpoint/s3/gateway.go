// Package s3 is the local stack's S3: versitygw with its posix backend, as a child process behind
// a streaming reverse proxy that adds a feature missing from versitygw, events for created
// objects.
//
// It is a child process because versitygw's backend changes the working directory of its process
// and allows one instance per process. The child runs the same program with other arguments (see
// Main), listens on a Unix socket, ends with its parent, and is restarted if it ends on its own.
//
// Requests are signed with AccessKey and SecretKey in Region, addressed in path style
// (http://127.0.0.1:PORT/bucket/key). Presigned PUT and GET, POST forms, multipart uploads,
// ranges, tags and checksums work as on AWS. Lifecycle rules run when Expire is called, session tokens
// are rejected, and the keys "x" and "x/y" cannot both exist, because objects are files and folders.
package s3

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"os"
	"strings"
	"sync"
	"time"

	"go.etcd.io/bbolt"
)

// The administrator's account, for the developer and the tests.
const (
	AccessKey = "local"
	SecretKey = "locallocal"
	Region    = "us-east-1"
)

// Config sets the storage of objects and the receiver of events.
type Config struct {
	// Dir is the folder of all objects; it is created.
	Dir string
	// DB holds the journal of events.
	DB *bbolt.DB
	// Buckets exist once New returns.
	Buckets []string
	// Prefixes select the keys to announce: creating an object under one of them is an event. None
	// means no events.
	Prefixes []string
	// Created receives each event at least once. It is called again, with increasing delays, until
	// it returns nil, even after a restart.
	Created func(context.Context, ObjectCreated) error
	// Command is the program and first arguments of the child process, which must call Main with the
	// remaining arguments.
	Command []string
	// Keys is the file of the roles' keys (iam.OpenKeys). Their holders have full access here, because
	// iam.Guard authorises requests first. With "" only the administrator's account exists.
	Keys string
	// Logger receives warnings; nil is slog.Default.
	Logger *slog.Logger
}

func (c Config) validate() error {
	var faults []error
	if c.Dir == "" {
		faults = append(faults, errors.New("no folder"))
	}
	if c.DB == nil {
		faults = append(faults, errors.New("no database"))
	}
	if len(c.Command) == 0 {
		faults = append(faults, errors.New("no command for the child process"))
	}
	if len(c.Prefixes) > 0 && c.Created == nil {
		faults = append(faults, errors.New("prefixes to announce, but no receiver"))
	}
	return errors.Join(faults...)
}

// Gateway serves S3 requests.
type Gateway struct {
	config  Config
	child   *process
	objects *objects
	journal *journal
	proxy   *httputil.ReverseProxy
	slots   chan struct{} // limits concurrent deliveries

	stop       context.CancelFunc
	stopped    context.Context
	mu         sync.Mutex // serialises the start of work and Close
	background sync.WaitGroup
}

// maxDeliveries is the maximum number of concurrent deliveries.
const maxDeliveries = 8

// New starts the child, waits until it responds, creates the buckets and resumes the delivery of
// events from a previous run. ctx limits only the start; Close stops everything.
func New(ctx context.Context, config Config) (*Gateway, error) {
	if err := config.validate(); err != nil {
		return nil, fmt.Errorf("local S3: %w", err)
	}
	if config.Logger == nil {
		config.Logger = slog.Default()
	}
	if err := os.MkdirAll(config.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("local S3: create folder: %w", err)
	}
	journal, err := openJournal(config.DB)
	if err != nil {
		return nil, fmt.Errorf("local S3: %w", err)
	}
	child, err := startProcess(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("local S3: %w", err)
	}
	g := &Gateway{
		config: config, child: child, journal: journal,
		objects: newObjects(child.transport),
		slots:   make(chan struct{}, maxDeliveries),
	}
	g.stopped, g.stop = context.WithCancel(context.WithoutCancel(ctx))
	g.proxy = g.newProxy()
	for _, bucket := range config.Buckets {
		if err := g.objects.createBucket(ctx, bucket); err != nil {
			return nil, errors.Join(err, g.Close())
		}
	}
	if err := g.resumeJournal(); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

// Ready reports whether the child responds.
func (g *Gateway) Ready(ctx context.Context) bool { return g.child.healthy(ctx) }

// HasTags reports whether an object has tags.
func (g *Gateway) HasTags(ctx context.Context, bucket, key string) (bool, error) {
	return g.objects.hasTags(ctx, bucket, key)
}

// Close stops the child and the deliveries. Undelivered events stay in the journal for the next
// run.
func (g *Gateway) Close() error {
	g.mu.Lock()
	g.stop()
	g.mu.Unlock()
	err := g.child.close()
	g.background.Wait()
	return err
}

// ServeHTTP forwards a request. One that creates an announced object is written to the journal
// before it goes to the child, and its event before the response goes to the client.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	release, err := bufferBody(r)
	if err != nil {
		writeIncomplete(w)
		return
	}
	defer release()
	c, ok := parseCreation(r)
	if ok && (c.key == "" || g.isAnnounced(c.key)) {
		g.serveCreation(w, r, c)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		// The child keeps a truncated part if its request is cancelled; S3 keeps none.
		r = r.WithContext(context.WithoutCancel(r.Context()))
	}
	g.proxy.ServeHTTP(w, r)
}

func (g *Gateway) serveCreation(w http.ResponseWriter, r *http.Request, c creation) {
	// The key of a POST form is in its body; it is read from the response.
	if c.key != "" {
		var err error
		if c.id, err = g.journal.addIntent(intent{Bucket: c.bucket, Key: c.key, Reason: c.reason, At: time.Now()}); err != nil {
			g.config.Logger.ErrorContext(r.Context(), "local S3: journal an upload", "bucket", c.bucket, "key", safeName(c.key), "error", err)
			writeUnavailable(w)
			return
		}
	}
	// S3 completes a request even if the client has disconnected, and so does the child; its
	// response must be processed.
	ctx := context.WithValue(context.WithoutCancel(r.Context()), creationKey{}, &c)
	g.proxy.ServeHTTP(w, r.WithContext(ctx))
}

func (g *Gateway) isAnnounced(key string) bool {
	for _, prefix := range g.config.Prefixes {
		if strings.HasPrefix(key, prefix) {
			return true
		}
	}
	return false
}
