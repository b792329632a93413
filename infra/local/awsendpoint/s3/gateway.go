// Package s3 is the S3 of the local stack: versitygw with its posix backend,
// as a child process behind a streaming reverse proxy that adds what versitygw
// lacks, events for created objects.
//
// The child exists because versitygw's backend changes the working directory
// of its process and allows one instance a process. It is the same program
// again with other arguments (see Main), listens on a Unix socket, ends when
// its parent ends, and is started again when it ends on its own.
//
// Requests are signed with AccessKey and SecretKey in Region, addressed in path
// style (http://127.0.0.1:PORT/bucket/key). Presigned PUT and GET, POST forms,
// multipart uploads, ranges, tags and checksums work as on AWS. Lifecycle rules
// do not run, session tokens are refused, and the keys "x" and "x/y" cannot
// both exist, because objects are files and folders.
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

// The administrator's account, for the person at the keyboard and the tests.
const (
	AccessKey = "local"
	SecretKey = "locallocal"
	Region    = "us-east-1"
)

// Config says where objects are kept and who hears about new ones.
type Config struct {
	// Dir is the folder of all objects; it is created.
	Dir string
	// DB holds the journal of events.
	DB *bbolt.DB
	// Buckets exist once New returns.
	Buckets []string
	// Prefixes are the keys to announce: an object created under one of them
	// becomes an event. None means no events.
	Prefixes []string
	// Created receives each event at least once. It is called again, with a
	// growing pause, until it returns nil, also after a restart.
	Created func(context.Context, ObjectCreated) error
	// Command is the program and first arguments of the child process, which
	// must call Main with the arguments that follow.
	Command []string
	// Keys is the file of the roles' keys (iam.OpenKeys), whose holders may do
	// everything here: iam.Guard decides before. "" knows the one account only.
	Keys string
	// Logger takes warnings; nil is slog.Default.
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
		faults = append(faults, errors.New("prefixes to announce, but nobody to announce them to"))
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
	slots   chan struct{} // one for each event that may be on its way at a time

	stop       context.CancelFunc
	stopped    context.Context
	mu         sync.Mutex // orders the start of work and Close
	background sync.WaitGroup
}

// maxDeliveries is how many events are handed over at a time.
const maxDeliveries = 8

// New starts the child, waits until it responds, creates the buckets and takes
// up the events of a former run. ctx bounds the start only; Close ends it all.
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

// Ready reports whether the child responds now.
func (g *Gateway) Ready(ctx context.Context) bool { return g.child.healthy(ctx) }

// HasTags tells whether an object has tags.
func (g *Gateway) HasTags(ctx context.Context, bucket, key string) (bool, error) {
	return g.objects.hasTags(ctx, bucket, key)
}

// Close ends the child and the deliveries. Events not yet delivered stay in
// the journal for the next run.
func (g *Gateway) Close() error {
	g.mu.Lock()
	g.stop()
	g.mu.Unlock()
	err := g.child.close()
	g.background.Wait()
	return err
}

// ServeHTTP passes a request on. One that creates an announced object is
// written to the journal before it goes to the child, and its event before the
// response goes to the client.
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
	g.proxy.ServeHTTP(w, r)
}

func (g *Gateway) serveCreation(w http.ResponseWriter, r *http.Request, c creation) {
	// The key of a POST form is in its body; it is known from the response.
	if c.key != "" {
		var err error
		if c.id, err = g.journal.addIntent(intent{Bucket: c.bucket, Key: c.key, Reason: c.reason, At: time.Now()}); err != nil {
			g.config.Logger.ErrorContext(r.Context(), "local S3: journal an upload", "bucket", c.bucket, "key", c.key, "error", err)
			writeUnavailable(w)
			return
		}
	}
	// S3 goes on with a complete request whose client has left, and so does
	// the child; its response has to be seen.
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
