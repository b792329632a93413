// Package dynamodb is the local stack's DynamoDB: the item operations that Loadbay sends, on
// tables with a string partition key and a string sort key, in the JSON protocol.
//
// Tables are defined by the blueprint. Items are stored in a bbolt database in key order; each
// operation is one transaction, so that every read is consistent and every condition atomic.
// Items with an expired TTL attribute are deleted within about a minute; on AWS that can take
// days, so readers must check expiry themselves. Everything else (creating and describing tables,
// indexes, filters, batches, transactions, streams, PartiQL, legacy parameters) is rejected with
// an error that names it.
//
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/
package dynamodb

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
)

const serviceName = "DynamoDB"

// Service serves all tables.
type Service struct {
	tables     map[string]*table
	names      []string // sorted
	operations map[string]operation

	stop func()
	done chan struct{}
}

// operation runs one operation of the wire protocol.
type operation func(input []byte) (any, error)

// New opens the tables and starts deleting expired items.
func New(db *bbolt.DB, tables []blueprint.Table) (*Service, error) {
	s := &Service{tables: make(map[string]*table, len(tables)), names: []string{}, done: make(chan struct{})}
	for _, config := range tables {
		if config.Name == "" || config.PartitionKey == "" || config.SortKey == "" || config.PartitionKey == config.SortKey {
			return nil, fmt.Errorf("local DynamoDB: table %q: want a name, a partition key and another sort key", config.Name)
		}
		if s.tables[config.Name] != nil {
			return nil, fmt.Errorf("local DynamoDB: table %q: duplicate", config.Name)
		}
		t, err := openTable(db, config)
		if err != nil {
			return nil, fmt.Errorf("local DynamoDB: open table %q: %w", config.Name, err)
		}
		s.tables[config.Name] = t
		s.names = append(s.names, config.Name)
	}
	slices.Sort(s.names)
	s.operations = s.registerOperations()
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	go s.deleteExpired(ctx)
	return s, nil
}

// Target is the service's name on the wire.
func (s *Service) Target() string { return "DynamoDB_20120810" }

// Call runs one operation of the wire protocol.
func (s *Service) Call(_ context.Context, name string, input []byte) (any, error) {
	run, ok := s.operations[name]
	if !ok {
		return nil, awsjson.Unsupported(serviceName, name)
	}
	return run(input)
}

// Close stops the deletion of expired items.
func (s *Service) Close() {
	s.stop()
	<-s.done
}

// expireEvery is the interval between searches for expired items.
const expireEvery = time.Minute

func (s *Service) deleteExpired(ctx context.Context) {
	defer close(s.done)
	tick := time.NewTicker(expireEvery)
	defer tick.Stop()
	for {
		for _, name := range s.names {
			if err := s.tables[name].deleteExpired(time.Now()); err != nil {
				slog.Error("local DynamoDB: delete expired items", "table", name, "error", err)
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (s *Service) findTable(name string) (*table, error) {
	if name == "" {
		return nil, validationError("The parameter 'TableName' is required but was not present in the request")
	}
	t, ok := s.tables[name]
	if !ok {
		return nil, awsjson.Errorf(errorNamespace+"ResourceNotFoundException", "Requested resource not found: Table: %s not found", name)
	}
	return t, nil
}

// newOperation wraps a function on decoded input.
func newOperation[In, Out any](run func(In) (Out, error)) operation {
	return func(input []byte) (any, error) {
		var in In
		if err := awsjson.DecodeStrict(serviceName, input, &in); err != nil {
			return nil, err
		}
		return run(in)
	}
}

func (s *Service) registerOperations() map[string]operation {
	return map[string]operation{
		"GetItem":    newOperation(s.getItem),
		"PutItem":    newOperation(s.putItem),
		"UpdateItem": newOperation(s.updateItem),
		"DeleteItem": newOperation(s.deleteItem),
		"Query":      newOperation(s.query),
		"Scan":       newOperation(s.scan),
		"ListTables": newOperation(s.listTables),
	}
}

type listInput struct{}

type listOutput struct{ TableNames []string }

func (s *Service) listTables(listInput) (listOutput, error) { return listOutput{s.names}, nil }
