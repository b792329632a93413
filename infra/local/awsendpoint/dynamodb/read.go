package dynamodb

import (
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/dynamodb/expression"
)

type getInput struct {
	TableName                string
	Key                      expression.Item
	ConsistentRead           bool // every read is
	ProjectionExpression     string
	ExpressionAttributeNames map[string]string
	ReturnConsumedCapacity   string
}

type getOutput struct {
	Item expression.Item `json:",omitempty"`
}

func (s *Service) getItem(in getInput) (getOutput, error) {
	t, err := s.findTable(in.TableName)
	if err != nil {
		return getOutput{}, err
	}
	if err := refuseMetrics(in.ReturnConsumedCapacity, ""); err != nil {
		return getOutput{}, err
	}
	if err := needsExpression(in.ProjectionExpression, in.ExpressionAttributeNames, nil); err != nil {
		return getOutput{}, err
	}
	key, err := t.exactKey(in.Key)
	if err != nil {
		return getOutput{}, err
	}
	show, err := newProjection(in.ProjectionExpression, in.ExpressionAttributeNames)
	if err != nil {
		return getOutput{}, err
	}
	var item expression.Item
	err = t.db.View(func(tx *bbolt.Tx) (err error) {
		item, err = readItem(t.items(tx), key)
		return err
	})
	if err != nil {
		return getOutput{}, fmt.Errorf("get item from %s: %w", in.TableName, err)
	}
	if item == nil {
		return getOutput{}, nil
	}
	return getOutput{Item: show(item)}, nil
}

// newProjection returns what of an item is shown.
func newProjection(source string, names map[string]string) (func(expression.Item) expression.Item, error) {
	if source == "" {
		return wholeItem, nil
	}
	subs, err := expression.NewPlaceholders(names, nil)
	if err != nil {
		return nil, err
	}
	p, err := expression.ParseProjection(source, subs)
	if err != nil {
		return nil, err
	}
	return p.Apply, subs.CheckUsed()
}

func wholeItem(item expression.Item) expression.Item { return item }
