package dynamodb

import (
	"fmt"
	"maps"
	"slices"

	"go.etcd.io/bbolt"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/dynamodb/expression"
)

// writeInput contains the common parameters of PutItem, UpdateItem and DeleteItem.
type writeInput struct {
	TableName                           string
	ConditionExpression                 string
	ExpressionAttributeNames            map[string]string
	ExpressionAttributeValues           expression.Item
	ReturnValuesOnConditionCheckFailure string
}

type writeOutput struct{}

// preparedWrite is a validated change.
type preparedWrite struct {
	table      *table
	condition  expression.Condition // nil for none
	returnItem bool                 // with the error of a failed condition
}

// prepareWrite validates the common parameters. update parses the UpdateExpression; it is nil for
// other operations.
func (s *Service) prepareWrite(in writeInput, update func(*expression.Placeholders) error) (preparedWrite, error) {
	var p preparedWrite
	var err error
	if p.table, err = s.findTable(in.TableName); err != nil {
		return p, err
	}
	switch in.ReturnValuesOnConditionCheckFailure {
	case "", "NONE":
	case "ALL_OLD":
		p.returnItem = true
	default:
		return p, validationError("Value '%s' at 'returnValuesOnConditionCheckFailure' failed to satisfy constraint: Member must satisfy enum value set: [ALL_OLD, NONE]", in.ReturnValuesOnConditionCheckFailure)
	}
	subs, err := expression.NewPlaceholders(in.ExpressionAttributeNames, in.ExpressionAttributeValues)
	if err != nil {
		return p, err
	}
	if update != nil {
		if err := update(subs); err != nil {
			return p, err
		}
	}
	if in.ConditionExpression != "" {
		if p.condition, err = expression.ParseCondition(in.ConditionExpression, subs); err != nil {
			return p, err
		}
	}
	return p, subs.CheckUsed()
}

// run reads the item with that key, checks the condition and replaces the item with the result of
// next; nil deletes it.
func (p preparedWrite) run(key []byte, next func(expression.Item) (expression.Item, error)) (writeOutput, error) {
	err := p.table.db.Update(func(tx *bbolt.Tx) error {
		items := p.table.items(tx)
		before, err := readItem(items, key)
		if err != nil {
			return err
		}
		if p.condition != nil && !p.condition(before) {
			return p.conditionFailed(before)
		}
		after, err := next(before)
		if err != nil {
			return err
		}
		if after == nil {
			return items.Delete(key)
		}
		return writeItem(items, key, after)
	})
	if err != nil {
		return writeOutput{}, fmt.Errorf("change item in %s: %w", p.table.config.Name, err)
	}
	return writeOutput{}, nil
}

// conditionFailed returns the error of a failed condition, with the item if it was requested.
func (p preparedWrite) conditionFailed(item expression.Item) error {
	fault := awsjson.Errorf(errorNamespace+"ConditionalCheckFailedException", "The conditional request failed")
	if p.returnItem && item != nil {
		fault.Fields = map[string]any{"Item": item}
	}
	return fault
}

type putInput struct {
	writeInput
	Item expression.Item
}

func (s *Service) putItem(in putInput) (writeOutput, error) {
	p, err := s.prepareWrite(in.writeInput, nil)
	if err != nil {
		return writeOutput{}, err
	}
	key, err := p.table.keyOf(in.Item)
	if err != nil {
		return writeOutput{}, err
	}
	return p.run(key, func(expression.Item) (expression.Item, error) { return in.Item, nil })
}

type updateInput struct {
	writeInput
	Key              expression.Item
	UpdateExpression string
}

// updateItem changes an item, or creates it from its key.
func (s *Service) updateItem(in updateInput) (writeOutput, error) {
	var update *expression.Update
	p, err := s.prepareWrite(in.writeInput, func(subs *expression.Placeholders) (err error) {
		update, err = expression.ParseUpdate(in.UpdateExpression, subs)
		return err
	})
	if err != nil {
		return writeOutput{}, err
	}
	key, err := p.table.exactKey(in.Key)
	if err != nil {
		return writeOutput{}, err
	}
	for _, name := range update.Targets() {
		if slices.Contains(p.table.keys, name) {
			return writeOutput{}, validationError("One or more parameter values were invalid: Cannot update attribute %s. This attribute is part of the key", name)
		}
	}
	return p.run(key, func(current expression.Item) (expression.Item, error) {
		if current == nil {
			current = maps.Clone(in.Key)
		}
		return update.Apply(current)
	})
}

type deleteInput struct {
	writeInput
	Key expression.Item
}

func (s *Service) deleteItem(in deleteInput) (writeOutput, error) {
	p, err := s.prepareWrite(in.writeInput, nil)
	if err != nil {
		return writeOutput{}, err
	}
	key, err := p.table.exactKey(in.Key)
	if err != nil {
		return writeOutput{}, err
	}
	return p.run(key, func(expression.Item) (expression.Item, error) { return nil, nil })
}
