package dynamodb

import (
	"maps"
	"slices"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/dynamodb/expression"
)

type updateInput struct {
	change
	Key              expression.Item
	UpdateExpression string
}

// updateItem changes an item, or makes it from its key.
func (s *Service) updateItem(in updateInput) (changeOutput, error) {
	p, err := s.prepare(in.change, in.UpdateExpression, returnAllNew, returnUpdatedOld, returnUpdatedNew)
	if err != nil {
		return changeOutput{}, err
	}
	key, err := p.table.exactKey(in.Key)
	if err != nil {
		return changeOutput{}, err
	}
	update := p.update
	if update == nil {
		update = new(expression.Update) // only makes sure that the item exists
	}
	for _, name := range update.Targets() {
		if slices.Contains(p.table.keys, name) {
			return changeOutput{}, invalid("One or more parameter values were invalid: Cannot update attribute %s. This attribute is part of the key", name)
		}
	}
	before, after, err := p.run(key, in.change, func(current expression.Item) (expression.Item, error) {
		if current == nil {
			current = maps.Clone(in.Key)
		}
		return update.Apply(current)
	})
	if err != nil {
		return changeOutput{}, err
	}
	targets := expression.Projection(update.Targets())
	switch in.ReturnValues {
	case returnAllOld:
		return changeOutput{Attributes: before}, nil
	case returnAllNew:
		return changeOutput{Attributes: after}, nil
	case returnUpdatedOld:
		return changeOutput{Attributes: targets.Apply(before)}, nil
	case returnUpdatedNew:
		return changeOutput{Attributes: targets.Apply(after)}, nil
	}
	return changeOutput{}, nil
}
