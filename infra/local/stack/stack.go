package stack

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"go.etcd.io/bbolt"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/dynamodb"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/iam"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/s3"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/secretsmanager"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sqs"
	"github.com/loadbay/loadbay/infra/local/emf"
	"github.com/loadbay/loadbay/infra/local/gateway"
	"github.com/loadbay/loadbay/infra/local/lambdahost"
	"github.com/loadbay/loadbay/infra/local/schedule"
)

// stopTimeout is how long running invocations may take when the stack stops.
const stopTimeout = 5 * time.Second

// Stack is a running installation of Loadbay.
type Stack struct {
	// APIURL and AWSURL are the addresses of the HTTP API and the AWS endpoint.
	APIURL, AWSURL string
	// Console reports whether a console is served at APIURL.
	Console bool
	// Functions runs the functions; tests and benchmarks read its statistics.
	Functions *lambdahost.Host

	config     Config
	resources  *blueprint.Blueprint // the configured blueprint with local names
	database   *database
	db         *bbolt.DB
	keys       iam.Keys
	authorizer *iam.Authorizer
	queues     *sqs.Service
	tables     *dynamodb.Service
	secrets    *secretsmanager.Service
	objects    *s3.Gateway
	workflows  *sfn.Service
	schedules  *schedule.Runner
	issuer     *gateway.Issuer // nil if people sign in elsewhere
	issuerURLs []string        // of another issuer
	aws        http.Handler    // nil until it is served
	logs       *logWriter
	metrics    *emf.Collector
	usedSpace  func(dir string) (percent float64, err error)

	awsListener net.Listener

	available atomic.Bool                       // the API can be used
	ready     chan struct{}                     // closed when the functions are ready
	failed    chan error                        // buffered for the end of every component
	closers   []func(ctx context.Context) error // of the started components, in start order
	stopOnce  sync.Once
	stopped   error
}

// Start starts all components and returns when the API can be used. ctx limits only
// the start; end a stack with Stop.
func Start(ctx context.Context, c Config) (*Stack, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("start the local stack: %w", err)
	}
	s := &Stack{config: c, resources: c.Blueprint.ForDeployment(blueprint.LocalDeployment()), ready: make(chan struct{}), failed: make(chan error, 3), metrics: emf.New(), usedSpace: usedSpace}
	if err := s.start(ctx); err != nil {
		stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer cancel()
		return nil, fmt.Errorf("start the local stack: %w", errors.Join(err, s.Stop(stopCtx)))
	}
	return s, nil
}

func (s *Stack) start(ctx context.Context) error {
	for _, step := range []func(context.Context) error{
		s.openFolder, s.openAuthorizer, s.listen, s.openDatabase, s.openState, s.hostFunctions, s.openWorkflows,
		s.serveAWS, s.openObjects, s.migrate, s.startWork,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (s *Stack) openFolder(context.Context) error {
	if err := s.config.makeFolder(); err != nil {
		return err
	}
	lock, err := LockFolder(s.config.DataDir)
	if err != nil {
		return err
	}
	s.onStop(func(context.Context) error { return lock.Close() })
	if err := s.removeAddressFiles(); err != nil {
		return err
	}
	s.logs = newLogWriter(s.config.path("logs"), s.config.OnNotable)
	s.onStop(func(context.Context) error { return s.logs.close() })
	if s.config.Logger == nil {
		s.config.Logger = s.logs.logger()
	}
	return nil
}

// listen opens both addresses before any slow step, so that the API can respond that
// it is not ready yet.
func (s *Stack) listen(ctx context.Context) error {
	api, err := listenTCP(ctx, s.config.APIAddr, "API_ADDR")
	if err != nil {
		return err
	}
	s.APIURL = listenerURL(api)
	if s.awsListener, err = listenTCP(ctx, s.config.AWSAddr, "AWS_ADDR"); err != nil {
		return errors.Join(err, api.Close())
	}
	s.AWSURL = listenerURL(s.awsListener)
	handler, err := s.siteHandler(ctx)
	if err != nil {
		return errors.Join(err, api.Close(), s.awsListener.Close())
	}
	s.serve("the API", api, s.config.APIAddr, handler)
	return nil
}

func listenTCP(ctx context.Context, address, variable string) (net.Listener, error) {
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%w (set %s to another address)", err, variable)
	}
	return listener, nil
}

// listenerURL returns the address of a listener on this machine; one on all addresses is
// reached at 127.0.0.1.
func listenerURL(l net.Listener) string {
	address := *l.Addr().(*net.TCPAddr)
	if address.IP.IsUnspecified() {
		address.IP = net.IPv4(127, 0, 0, 1)
	}
	return "http://" + address.String()
}

func (s *Stack) openDatabase(ctx context.Context) error {
	s.config.Progress("Starting PostgreSQL.")
	var err error
	if s.database, err = openDatabase(ctx, s.config); err != nil {
		return err
	}
	s.onStop(func(ctx context.Context) error { return s.database.server.Stop(context.WithoutCancel(ctx)) })
	return nil
}

// openState opens the stored state of queues, tables and secrets.
func (s *Stack) openState(context.Context) error {
	var err error
	if s.db, err = awsendpoint.OpenDatabase(s.config.path("aws.db")); err != nil {
		return err
	}
	s.onStop(func(context.Context) error { return s.db.Close() })
	if s.queues, err = sqs.New(s.db, s.resources.Queues, sqs.WithEndpoint(s.AWSURL)); err != nil {
		return err
	}
	s.onStop(func(context.Context) error { return s.queues.Close() })
	if s.tables, err = dynamodb.New(s.db, tableConfigs(s.resources)); err != nil {
		return err
	}
	s.onStop(func(context.Context) error { s.tables.Close(); return nil })
	s.secrets, err = secretsmanager.New(s.db, s.resources.Secret)
	return err
}

func (s *Stack) hostFunctions(context.Context) error {
	functions, err := s.functions()
	if err != nil {
		return err
	}
	s.Functions, err = lambdahost.New(lambdahost.Config{
		Functions: functions, BinDir: s.config.BinDir, TempDir: s.config.path("tmp"),
		Output: s.handleOutput, Logger: s.config.Logger,
	})
	if err != nil {
		return err
	}
	s.onStop(s.Functions.Close)
	if missing := s.Functions.MissingBootstraps(); len(missing) > 0 {
		return fmt.Errorf("functions not built in %s: %v (run make build)", s.config.BinDir, missing)
	}
	return nil
}

// handleOutput processes an output line of a function: a metric, or a log entry.
func (s *Stack) handleOutput(function string, line []byte) {
	s.metrics.Add(line)
	s.logs.writeEntry(function, line)
}

func (s *Stack) openWorkflows(context.Context) error {
	var err error
	s.workflows, err = sfn.New(s.db, stateMachines(s.resources, s.config.Definition), roleInvoker{s.Functions, s.authorizer}, sfn.WithLogger(s.config.Logger))
	if err != nil {
		return err
	}
	s.onStop(func(context.Context) error { s.workflows.Close(); return nil })
	return nil
}

func (s *Stack) openObjects(ctx context.Context) error {
	s.config.Progress("Starting the object store.")
	var err error
	s.objects, err = s3.New(ctx, s3.Config{
		Dir: s.config.path(ObjectsDir), DB: s.db, Buckets: []string{s.resources.Bucket.Name},
		Prefixes: eventPrefixes(s.resources), Created: s.objectCreated, Keys: s.config.path(keysFile), Command: s.config.S3Command, Logger: s.config.Logger,
	})
	if err != nil {
		return err
	}
	s.onStop(func(context.Context) error { return s.objects.Close() })
	return nil
}

// migrate runs the migrate function, as a deployment does.
func (s *Stack) migrate(ctx context.Context) error {
	s.config.Progress("Migrating the schema.")
	output, functionError, err := s.Functions.Invoke(ctx, migrateFunction, nil)
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if functionError != "" {
		return fmt.Errorf("migrate: %s", output)
	}
	return nil
}

// startWork starts processing: events, executions of the last run, queues,
// schedules, and then the API and the seed, which uses it.
func (s *Stack) startWork(ctx context.Context) error {
	close(s.ready)
	if err := s.workflows.Resume(); err != nil {
		return err
	}
	if err := s.startEventSources(); err != nil {
		return err
	}
	s.watchDatabase()
	s.available.Store(true)
	if s.config.Seed != nil {
		if err := s.config.Seed(ctx, s.APIURL); err != nil {
			return fmt.Errorf("seed: %w", err)
		}
	}
	return s.writeAddressFiles()
}

// Failed delivers the reason when an essential component ends.
func (s *Stack) Failed() <-chan error { return s.failed }
