// Package dynamodb is the DynamoDB of the local stack: the item operations that
// a coordination table needs, on tables with string keys, in the JSON protocol.
//
// Tables come from the blueprint. Items are kept in a bbolt database in the order
// of their keys; an operation is one transaction, so that every read is
// consistent and every condition atomic. Items whose TTL attribute has passed
// are deleted within about a minute; on AWS that can take days, so that readers
// must check expiry themselves. Everything else (creating tables, indexes,
// batches, transactions, streams, PartiQL, legacy parameters) is refused.
//
// Source: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/
package dynamodb

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
)

const (
	serviceName = "DynamoDB"
	arnPrefix   = "arn:aws:dynamodb:us-east-1:000000000000:table/"
)

// Service is all tables.
type Service struct {
	tables     map[string]*table
	names      []string // sorted
	operations map[string]operation

	stop func()
	done chan struct{}
}

// operation runs one operation of the wire.
type operation func(input []byte) (any, error)

// New opens the tables and begins to delete expired items.
func New(db *bbolt.DB, tables []blueprint.Table) (*Service, error) {
	s := &Service{tables: make(map[string]*table, len(tables)), done: make(chan struct{})}
	for _, config := range tables {
		if config.Name == "" || config.PartitionKey == "" || config.PartitionKey == config.SortKey {
			return nil, fmt.Errorf("local DynamoDB: table %q: want a name, a partition key and another sort key", config.Name)
		}
		if s.tables[config.Name] != nil {
			return nil, fmt.Errorf("local DynamoDB: table %q: there are two", config.Name)
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

// Call runs one operation of the wire.
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

// expireEvery is the time between two searches for expired items.
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

// findTable returns the table of a name or ARN.
func (s *Service) findTable(nameOrARN string) (*table, error) {
	name := strings.TrimPrefix(nameOrARN, arnPrefix)
	if name == "" {
		return nil, validationError("The parameter 'TableName' is required but was not present in the request")
	}
	t, ok := s.tables[name]
	if !ok {
		return nil, awsjson.Errorf(errorNamespace+"ResourceNotFoundException", "Requested resource not found: Table: %s not found", name)
	}
	return t, nil
}

// newOperation makes an operation from a method on decoded input.
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
		"GetItem":            newOperation(s.getItem),
		"PutItem":            newOperation(s.putItem),
		"UpdateItem":         newOperation(s.updateItem),
		"DeleteItem":         newOperation(s.deleteItem),
		"Query":              newOperation(s.query),
		"Scan":               newOperation(s.scan),
		"DescribeTable":      newOperation(s.describeTable),
		"DescribeTimeToLive": newOperation(s.describeTimeToLive),
		"ListTables":         newOperation(s.listTables),
	}
}
