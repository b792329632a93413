package stack

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/eventbridge"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn"
	"github.com/loadbay/loadbay/infra/local/lambdahost"
	"github.com/loadbay/loadbay/infra/local/lambdahost/sqssource"
	"github.com/loadbay/loadbay/infra/local/schedule"
)

// The functions that the stack itself calls by name.
const (
	apiFunction     = "api"
	migrateFunction = "migrate"
)

func tableConfigs(b *blueprint.Blueprint) []blueprint.Table { return []blueprint.Table{b.Table} }

// stateMachines returns the state machines with the functions' ARNs filled in.
func stateMachines(b *blueprint.Blueprint, definition string) []sfn.Machine {
	arns := make(map[string]string, len(b.Functions))
	for _, f := range b.Functions {
		arns[f.Name] = lambdahost.ARN(f.Name)
	}
	return []sfn.Machine{{Name: b.StateMachine.Name, Definition: definition, Substitutions: arns}}
}

// newEventBus returns an EventBridge service with the rules of the blueprint.
func (s *Stack) newEventBus() *eventbridge.Service {
	return eventbridge.New(eventbridge.Config{
		Bus: s.resources.EventBus, Queues: ruleSender{s}, Account: lambdahost.Account, Region: lambdahost.Region,
		Published: s.showPublished,
	})
}

// eventPrefixes returns the key prefixes for which new objects raise events.
func eventPrefixes(b *blueprint.Blueprint) []string {
	all := make([]string, 0, len(b.ObjectEvents))
	for _, e := range b.ObjectEvents {
		all = append(all, e.Prefix)
	}
	return all
}

// streamingFunctions returns the names of the functions that have a function URL.
func streamingFunctions(b *blueprint.Blueprint) []string {
	var names []string
	for _, f := range b.Functions {
		if f.Streams {
			names = append(names, f.Name)
		}
	}
	return names
}

// startEventSources starts the components that invoke functions on their own: queues and schedules.
func (s *Stack) startEventSources() error {
	var feeders []func(context.Context)
	for _, source := range s.resources.EventSources {
		if err := s.authorizePolling(source); err != nil {
			return err
		}
		mapping, err := sqssource.New(sqssource.Config{
			Queue: source.Queue, Function: source.Function, BatchSize: source.BatchSize, Concurrency: source.LocalConcurrency,
			Queues: rolePoller{s.queues, s.authorizer, source.Function}, Invoker: s.Functions, Logger: s.config.Logger,
		})
		if err != nil {
			return err
		}
		feeders = append(feeders, mapping.Run)
	}
	var err error
	if s.schedules, err = schedule.New(s.resources.Schedules, s.runSchedule); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	var running sync.WaitGroup
	for _, feed := range append(feeders, s.schedules.Run, s.expireObjects) {
		running.Go(func() { feed(ctx) })
	}
	s.onStop(func(ctx context.Context) error {
		stop()
		s.workflows.Close() // its invocations are repeated by the next Start
		err := s.Functions.Close(ctx)
		running.Wait() // until their invocations have finished
		return err
	})
	return nil
}

// expireObjects applies the lifecycle rules of the bucket at the start and then once a day, until
// ctx is done.
func (s *Stack) expireObjects(ctx context.Context) {
	daily := time.NewTicker(24 * time.Hour)
	defer daily.Stop()
	for {
		bucket := s.resources.Bucket
		if _, err := s.objects.Expire(ctx, bucket.Name, bucket.Rules, time.Now()); err != nil && ctx.Err() == nil {
			s.config.Logger.Error("delete expired objects", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-daily.C:
		}
	}
}

// runSchedule invokes once without retries: the next run finds what a failed run left undone.
func (s *Stack) runSchedule(ctx context.Context, function string, event []byte) {
	output, functionError, err := s.Functions.InvokeWhenFree(ctx, function, event)
	switch {
	case errors.Is(err, context.Canceled):
	case err != nil:
		s.config.Logger.Error("a scheduled function was not run", "function", function, "error", err)
	case functionError != "":
		s.config.Logger.Error("a scheduled function failed", slog.String("function", function), slog.String("failure", string(output)))
	}
}
