package dynamodb

import (
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/dynamodb/expression"
)

// The values of ReturnValues and its relatives.
const (
	returnNone       = "NONE"
	returnAllOld     = "ALL_OLD"
	returnAllNew     = "ALL_NEW"
	returnUpdatedOld = "UPDATED_OLD"
	returnUpdatedNew = "UPDATED_NEW"
)

// change is what PutItem, UpdateItem and DeleteItem have in common.
type change struct {
	TableName                           string
	ConditionExpression                 string
	ExpressionAttributeNames            map[string]string
	ExpressionAttributeValues           expression.Item
	ReturnValues                        string
	ReturnValuesOnConditionCheckFailure string
	ReturnConsumedCapacity              string
	ReturnItemCollectionMetrics         string
}

type changeOutput struct {
	Attributes expression.Item `json:",omitempty"`
}

// prepared is a change that has been checked.
type prepared struct {
	table     *table
	condition expression.Condition // nil for none
	update    *expression.Update   // of UpdateItem
}

func (s *Service) prepare(c change, update string, returns ...string) (prepared, error) {
	var p prepared
	var err error
	if p.table, err = s.find(c.TableName); err != nil {
		return p, err
	}
	for _, check := range []error{
		oneOf("returnValues", c.ReturnValues, append(returns, returnNone, returnAllOld)...),
		oneOf("returnValuesOnConditionCheckFailure", c.ReturnValuesOnConditionCheckFailure, returnNone, returnAllOld),
		uncounted(c.ReturnConsumedCapacity, c.ReturnItemCollectionMetrics),
		needsExpression(c.ConditionExpression+update, c.ExpressionAttributeNames, c.ExpressionAttributeValues),
	} {
		if check != nil {
			return p, check
		}
	}
	with, err := expression.NewSubstitutes(c.ExpressionAttributeNames, c.ExpressionAttributeValues)
	if err != nil {
		return p, err
	}
	if update != "" {
		if p.update, err = expression.ParseUpdate(update, with); err != nil {
			return p, err
		}
	}
	if c.ConditionExpression != "" {
		if p.condition, err = expression.ParseCondition("ConditionExpression", c.ConditionExpression, with); err != nil {
			return p, err
		}
	}
	return p, with.CheckUsed()
}

func needsExpression(expressions string, names map[string]string, values expression.Item) error {
	if expressions != "" {
		return nil
	}
	if names != nil {
		return invalid("ExpressionAttributeNames can only be specified when using expressions")
	}
	if values != nil {
		return invalid("ExpressionAttributeValues can only be specified when using expressions")
	}
	return nil
}

// run reads the item of a key, checks the condition and replaces the item by
// what next makes of it; nil deletes it. It returns the item before and after.
func (p prepared) run(key []byte, c change, next func(expression.Item) (expression.Item, error)) (before, after expression.Item, err error) {
	err = p.table.db.Update(func(tx *bbolt.Tx) error {
		items := p.table.items(tx)
		var err error
		if before, err = read(items, key); err != nil {
			return err
		}
		if p.condition != nil && !p.condition.Holds(before) {
			return conditionFailed(before, c.ReturnValuesOnConditionCheckFailure)
		}
		if after, err = next(before); err != nil {
			return err
		}
		if after == nil {
			return items.Delete(key)
		}
		return write(items, key, after)
	})
	if err != nil {
		return nil, nil, fmt.Errorf("change item in %s: %w", p.table.config.Name, err)
	}
	return before, after, nil
}

type putInput struct {
	change
	Item expression.Item
}

func (s *Service) putItem(in putInput) (changeOutput, error) {
	p, err := s.prepare(in.change, "")
	if err != nil {
		return changeOutput{}, err
	}
	key, err := p.table.keyOf(in.Item)
	if err != nil {
		return changeOutput{}, err
	}
	before, _, err := p.run(key, in.change, func(expression.Item) (expression.Item, error) { return in.Item, nil })
	return oldIfAsked(before, in.ReturnValues), err
}

func oldIfAsked(before expression.Item, asked string) changeOutput {
	if asked != returnAllOld {
		return changeOutput{}
	}
	return changeOutput{Attributes: before}
}

type deleteInput struct {
	change
	Key expression.Item
}

func (s *Service) deleteItem(in deleteInput) (changeOutput, error) {
	p, err := s.prepare(in.change, "")
	if err != nil {
		return changeOutput{}, err
	}
	key, err := p.table.exactKey(in.Key)
	if err != nil {
		return changeOutput{}, err
	}
	before, _, err := p.run(key, in.change, func(expression.Item) (expression.Item, error) { return nil, nil })
	return oldIfAsked(before, in.ReturnValues), err
}
