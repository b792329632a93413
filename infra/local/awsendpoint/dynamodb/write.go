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

// writeInput is what PutItem, UpdateItem and DeleteItem have in common.
type writeInput struct {
	TableName                           string
	ConditionExpression                 string
	ExpressionAttributeNames            map[string]string
	ExpressionAttributeValues           expression.Item
	ReturnValues                        string
	ReturnValuesOnConditionCheckFailure string
	ReturnConsumedCapacity              string
	ReturnItemCollectionMetrics         string
}

type writeOutput struct {
	Attributes expression.Item `json:",omitempty"`
}

// preparedWrite is a change that has been checked.
type preparedWrite struct {
	table     *table
	condition expression.Condition // nil for none
	update    *expression.Update   // of UpdateItem
}

func (s *Service) prepareWrite(c writeInput, update string, returns ...string) (preparedWrite, error) {
	var p preparedWrite
	var err error
	if p.table, err = s.findTable(c.TableName); err != nil {
		return p, err
	}
	for _, check := range []error{
		checkEnum("returnValues", c.ReturnValues, append(returns, returnNone, returnAllOld)...),
		checkEnum("returnValuesOnConditionCheckFailure", c.ReturnValuesOnConditionCheckFailure, returnNone, returnAllOld),
		refuseMetrics(c.ReturnConsumedCapacity, c.ReturnItemCollectionMetrics),
		needsExpression(c.ConditionExpression+update, c.ExpressionAttributeNames, c.ExpressionAttributeValues),
	} {
		if check != nil {
			return p, check
		}
	}
	with, err := expression.NewPlaceholders(c.ExpressionAttributeNames, c.ExpressionAttributeValues)
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
		return validationError("ExpressionAttributeNames can only be specified when using expressions")
	}
	if values != nil {
		return validationError("ExpressionAttributeValues can only be specified when using expressions")
	}
	return nil
}

// run reads the item of a key, checks the condition and replaces the item by
// what next makes of it; nil deletes it. It returns the item before and after.
func (p preparedWrite) run(key []byte, c writeInput, next func(expression.Item) (expression.Item, error)) (before, after expression.Item, err error) {
	err = p.table.db.Update(func(tx *bbolt.Tx) error {
		items := p.table.items(tx)
		var err error
		if before, err = readItem(items, key); err != nil {
			return err
		}
		if p.condition != nil && !p.condition.Matches(before) {
			return conditionFailed(before, c.ReturnValuesOnConditionCheckFailure)
		}
		if after, err = next(before); err != nil {
			return err
		}
		if after == nil {
			return items.Delete(key)
		}
		return writeItem(items, key, after)
	})
	if err != nil {
		return nil, nil, fmt.Errorf("change item in %s: %w", p.table.config.Name, err)
	}
	return before, after, nil
}

type putInput struct {
	writeInput
	Item expression.Item
}

func (s *Service) putItem(in putInput) (writeOutput, error) {
	p, err := s.prepareWrite(in.writeInput, "")
	if err != nil {
		return writeOutput{}, err
	}
	key, err := p.table.keyOf(in.Item)
	if err != nil {
		return writeOutput{}, err
	}
	before, _, err := p.run(key, in.writeInput, func(expression.Item) (expression.Item, error) { return in.Item, nil })
	return requestedOldItem(before, in.ReturnValues), err
}

func requestedOldItem(before expression.Item, asked string) writeOutput {
	if asked != returnAllOld {
		return writeOutput{}
	}
	return writeOutput{Attributes: before}
}

type deleteInput struct {
	writeInput
	Key expression.Item
}

func (s *Service) deleteItem(in deleteInput) (writeOutput, error) {
	p, err := s.prepareWrite(in.writeInput, "")
	if err != nil {
		return writeOutput{}, err
	}
	key, err := p.table.exactKey(in.Key)
	if err != nil {
		return writeOutput{}, err
	}
	before, _, err := p.run(key, in.writeInput, func(expression.Item) (expression.Item, error) { return nil, nil })
	return requestedOldItem(before, in.ReturnValues), err
}
