package dynamodb

import (
	"bytes"
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/dynamodb/expression"
)

// maxPage is the maximum number of item bytes that one Query or Scan reads.
const maxPage = 1 << 20

type getInput struct {
	TableName      string
	Key            expression.Item
	ConsistentRead bool // ignored: every read is consistent
}

type getOutput struct {
	Item expression.Item `json:",omitempty"`
}

func (s *Service) getItem(in getInput) (getOutput, error) {
	t, err := s.findTable(in.TableName)
	if err != nil {
		return getOutput{}, err
	}
	key, err := t.exactKey(in.Key)
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
	return getOutput{Item: item}, nil
}

type queryInput struct {
	scanInput
	KeyConditionExpression    string
	ProjectionExpression      string
	ExpressionAttributeNames  map[string]string
	ExpressionAttributeValues expression.Item
	ConsistentRead            bool // ignored: every read is consistent
}

type scanInput struct {
	TableName         string
	ExclusiveStartKey expression.Item
}

type searchOutput struct {
	Items            []expression.Item
	Count            int
	ScannedCount     int             // equals Count, because there are no filters
	LastEvaluatedKey expression.Item `json:",omitempty"`
}

func (s *Service) query(in queryInput) (searchOutput, error) {
	t, err := s.findTable(in.TableName)
	if err != nil {
		return searchOutput{}, err
	}
	subs, err := expression.NewPlaceholders(in.ExpressionAttributeNames, in.ExpressionAttributeValues)
	if err != nil {
		return searchOutput{}, err
	}
	key, err := expression.ParseKeyCondition(in.KeyConditionExpression, t.config.PartitionKey, t.config.SortKey, subs)
	if err != nil {
		return searchOutput{}, err
	}
	project := func(item expression.Item) expression.Item { return item }
	if in.ProjectionExpression != "" {
		shown, err := expression.ParseProjection(in.ProjectionExpression, subs)
		if err != nil {
			return searchOutput{}, err
		}
		project = shown.Apply
	}
	if err := subs.CheckUsed(); err != nil {
		return searchOutput{}, err
	}
	return t.search(append(partitionKey(key.Partition), key.Prefix...), in.ExclusiveStartKey, project)
}

func (s *Service) scan(in scanInput) (searchOutput, error) {
	t, err := s.findTable(in.TableName)
	if err != nil {
		return searchOutput{}, err
	}
	return t.search(nil, in.ExclusiveStartKey, func(item expression.Item) expression.Item { return item })
}

// search reads the items with a prefix of their encoded keys, in key order, after the key after,
// if any, until the page is full.
func (t *table) search(prefix []byte, after expression.Item, project func(expression.Item) expression.Item) (searchOutput, error) {
	start := prefix
	if after != nil {
		var err error
		if start, err = t.exactKey(after); err != nil {
			return searchOutput{}, err
		}
		if !bytes.HasPrefix(start, prefix) {
			return searchOutput{}, validationError("The provided starting key is outside query boundaries based on provided conditions")
		}
	}
	out := searchOutput{Items: []expression.Item{}}
	size := 0
	err := t.db.View(func(tx *bbolt.Tx) error {
		cursor := t.items(tx).Cursor()
		key, value := cursor.Seek(start)
		if after != nil && bytes.Equal(key, start) {
			key, value = cursor.Next()
		}
		for ; key != nil && bytes.HasPrefix(key, prefix); key, value = cursor.Next() {
			item, err := decodeItem(value)
			if err != nil {
				return err
			}
			out.Items = append(out.Items, project(item))
			if size += item.Size(); size >= maxPage {
				out.LastEvaluatedKey = t.keys.Apply(item)
				break
			}
		}
		return nil
	})
	if err != nil {
		return searchOutput{}, fmt.Errorf("search %s: %w", t.config.Name, err)
	}
	out.Count, out.ScannedCount = len(out.Items), len(out.Items)
	return out, nil
}
