package dynamodb

import (
	"maps"
	"slices"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/dynamodb/expression"
)

type updateInput struct {
	writeInput
	Key              expression.Item
	UpdateExpression string
}

// updateItem changes an item, or makes it from its key.
func (s *Service) updateItem(in updateInput) (writeOutput, error) {
	p, err := s.prepareWrite(in.writeInput, in.UpdateExpression, returnAllNew, returnUpdatedOld, returnUpdatedNew)
	if err != nil {
		return writeOutput{}, err
	}
	key, err := p.table.exactKey(in.Key)
	if err != nil {
		return writeOutput{}, err
	}
	update := p.update
	if update == nil {
		update = new(expression.Update) // only makes sure that the item exists
	}
	for _, name := range update.Targets() {
		if slices.Contains(p.table.keys, name) {
			return writeOutput{}, validationError("One or more parameter values were invalid: Cannot update attribute %s. This attribute is part of the key", name)
		}
	}
	before, after, err := p.run(key, in.writeInput, func(current expression.Item) (expression.Item, error) {
		if current == nil {
			current = maps.Clone(in.Key)
		}
		return update.Apply(current)
	})
	if err != nil {
		return writeOutput{}, err
	}
	targets := expression.Projection(update.Targets())
	switch in.ReturnValues {
	case returnAllOld:
		return writeOutput{Attributes: before}, nil
	case returnAllNew:
		return writeOutput{Attributes: after}, nil
	case returnUpdatedOld:
		return writeOutput{Attributes: targets.Apply(before)}, nil
	case returnUpdatedNew:
		return writeOutput{Attributes: targets.Apply(after)}, nil
	}
	return writeOutput{}, nil
}
