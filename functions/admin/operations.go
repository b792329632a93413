package main

import (
	"context"

	"github.com/loadbay/loadbay/shared/aws/due"
	"github.com/loadbay/loadbay/shared/aws/lambdafn"
	"github.com/loadbay/loadbay/shared/aws/queue"
	"github.com/loadbay/loadbay/shared/aws/workflow"
	"github.com/loadbay/loadbay/shared/httpapi"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/operations"
	"github.com/loadbay/loadbay/shared/postgres"
)

// queues are the addresses of all queues.
type queues struct {
	Rows         string `env:"ROWS_QUEUE_URL,required"`
	Exports      string `env:"EXPORTS_QUEUE_URL,required"`
	Fetches      string `env:"FETCHES_QUEUE_URL,required"`
	Webhooks     string `env:"WEBHOOKS_QUEUE_URL,required"`
	RowsDead     string `env:"ROWS_DEAD_LETTERS_URL,required"`
	ExportsDead  string `env:"EXPORTS_DEAD_LETTERS_URL,required"`
	FetchesDead  string `env:"FETCHES_DEAD_LETTERS_URL,required"`
	WebhooksDead string `env:"WEBHOOKS_DEAD_LETTERS_URL,required"`
	EventsDead   string `env:"EVENTS_DEAD_LETTERS_URL,required"`
}

// newOperations creates the service that lists and requeues the work of all organisations.
func newOperations(fn *lambdafn.Function, c config, db *postgres.DB) *operations.Service {
	open := func(url string) *queue.Queue { return queue.Open(fn.AWS, url) }
	rows, exports, fetches := open(c.Queues.Rows), open(c.Queues.Exports), open(c.Queues.Fetches)
	return operations.New(operations.Parts{
		Store: db, Executions: workflow.Open(fn.AWS, c.Workflow), Reconciler: due.Open(fn.AWS, c.Table), Senders: senders{rows, exports, fetches},
		Queues: operations.Queues{
			Rows: operations.QueuePair{Work: rows, Dead: open(c.Queues.RowsDead)}, Exports: operations.QueuePair{Work: exports, Dead: open(c.Queues.ExportsDead)},
			Fetches: operations.QueuePair{Work: fetches, Dead: open(c.Queues.FetchesDead)}, Webhooks: operations.QueuePair{Work: open(c.Queues.Webhooks), Dead: open(c.Queues.WebhooksDead)},
			Events: operations.QueuePair{Dead: open(c.Queues.EventsDead)},
		},
		Log: fn.Log,
	}, c.Operations)
}

// senders are the queues by the kind of their messages.
type senders struct{ rows, exports, fetches *queue.Queue }

func (s senders) SendChunks(ctx context.Context, ref job.Ref, chunks []int) error {
	return s.rows.SendChunks(ctx, ref, chunks)
}

func (s senders) SendExport(ctx context.Context, ref job.ExportRef) error {
	return s.exports.SendExport(ctx, ref)
}

func (s senders) SendFetch(ctx context.Context, ref job.Ref) error {
	return s.fetches.SendFetch(ctx, ref)
}

// consoleLinks returns the links to the AWS console: none with another AWS endpoint.
func consoleLinks(c config) httpapi.ConsoleLinks {
	console, known := workflow.NewConsole(c.Workflow.StateMachineARN)
	if !known || c.Endpoint != "" {
		return httpapi.ConsoleLinks{}
	}
	return httpapi.ConsoleLinks{Execution: console.Execution, Executions: console.Executions(), Dashboard: console.Dashboard()}
}
