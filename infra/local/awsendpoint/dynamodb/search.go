package dynamodb

import (
	"bytes"
	"fmt"

	"go.etcd.io/bbolt"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/dynamodb/expression"
)

// maxPage is how many bytes of items one Query or Scan reads at most.
const maxPage = 1 << 20

// search is what Query and Scan have in common.
type search struct {
	TableName                 string
	FilterExpression          string
	ProjectionExpression      string
	ExpressionAttributeNames  map[string]string
	ExpressionAttributeValues expression.Item
	ExclusiveStartKey         expression.Item
	Limit                     *int
	Select                    string
	ConsistentRead            bool // every read is
	ReturnConsumedCapacity    string
}

type searchOutput struct {
	Items            []expression.Item `json:",omitzero"` // nil where only the count was asked for
	Count            int
	ScannedCount     int
	LastEvaluatedKey expression.Item `json:",omitempty"`
}

// plan is a search that has been checked.
type plan struct {
	table   *table
	key     *expression.KeyCondition // of Query
	filter  expression.Condition     // nil for none
	show    func(expression.Item) expression.Item
	count   bool   // only count
	start   []byte // the key after which to begin; nil for the beginning
	limit   int    // of items read; 0 for none
	forward bool
}

type queryInput struct {
	search
	KeyConditionExpression string
	ScanIndexForward       *bool
}

func (s *Service) query(in queryInput) (searchOutput, error) {
	if in.KeyConditionExpression == "" {
		return searchOutput{}, invalid("Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.")
	}
	p, err := s.plan(in.search, in.KeyConditionExpression)
	if err != nil {
		return searchOutput{}, err
	}
	p.forward = in.ScanIndexForward == nil || *in.ScanIndexForward
	return p.run()
}

type scanInput struct{ search }

func (s *Service) scan(in scanInput) (searchOutput, error) {
	p, err := s.plan(in.search, "")
	if err != nil {
		return searchOutput{}, err
	}
	p.forward = true
	return p.run()
}

func (s *Service) plan(in search, keyCondition string) (*plan, error) {
	t, err := s.find(in.TableName)
	if err != nil {
		return nil, err
	}
	p := &plan{table: t, show: whole}
	if err := p.options(in); err != nil {
		return nil, err
	}
	if err := needsExpression(keyCondition+in.FilterExpression+in.ProjectionExpression, in.ExpressionAttributeNames, in.ExpressionAttributeValues); err != nil {
		return nil, err
	}
	subs, err := expression.NewSubstitutes(in.ExpressionAttributeNames, in.ExpressionAttributeValues)
	if err != nil {
		return nil, err
	}
	if err := p.expressions(in, keyCondition, subs); err != nil {
		return nil, err
	}
	return p, subs.CheckUsed()
}

func (p *plan) options(in search) (err error) {
	if err := uncounted(in.ReturnConsumedCapacity, ""); err != nil {
		return err
	}
	switch in.Select {
	case "", "ALL_ATTRIBUTES":
	case "COUNT":
		p.count = true
	case "SPECIFIC_ATTRIBUTES":
		if in.ProjectionExpression == "" {
			return invalid("One or more parameter values were invalid: Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES")
		}
	default:
		return awsjson.Unsupported(serviceName, "Select "+in.Select)
	}
	if in.Limit != nil {
		if p.limit = *in.Limit; p.limit < 1 {
			return invalid("Value '%d' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1", p.limit)
		}
	}
	if in.ExclusiveStartKey != nil {
		p.start, err = p.table.exactKey(in.ExclusiveStartKey)
	}
	return err
}

func (p *plan) expressions(in search, keyCondition string, subs *expression.Substitutes) (err error) {
	if keyCondition != "" {
		if p.key, err = expression.ParseKeyCondition(keyCondition, p.table.config.PartitionKey, p.table.config.SortKey, subs); err != nil {
			return err
		}
		if prefix := partitionKey(p.key.Partition); p.start != nil && !bytes.HasPrefix(p.start, prefix) {
			return invalid("The provided starting key is outside query boundaries based on provided conditions")
		}
	}
	if in.FilterExpression != "" {
		if p.filter, err = expression.ParseCondition("FilterExpression", in.FilterExpression, subs); err != nil {
			return err
		}
	}
	if p.key != nil && p.filter != nil {
		for _, name := range p.table.keys {
			if expression.Mentions(p.filter, name) {
				return invalid("Filter Expression can only contain non-primary key attributes: Primary key attribute: %s", name)
			}
		}
	}
	if in.ProjectionExpression != "" {
		shown, err := expression.ParseProjection(in.ProjectionExpression, subs)
		if err != nil {
			return err
		}
		p.show = shown.Apply
	}
	return nil
}

// run reads items in the order of their keys until there are no more, the limit
// is reached or the page is full.
func (p *plan) run() (searchOutput, error) {
	var out searchOutput
	if !p.count {
		out.Items = []expression.Item{}
	}
	size := 0
	err := p.table.db.View(func(tx *bbolt.Tx) error {
		for _, value := range p.walk(p.table.items(tx).Cursor()) {
			item, err := decode(value)
			if err != nil {
				return err
			}
			if p.key != nil && p.key.Sort != nil && !p.key.Sort.Holds(item) {
				continue
			}
			out.ScannedCount++
			size += item.Size()
			if p.filter == nil || p.filter.Holds(item) {
				out.Count++
				if !p.count {
					out.Items = append(out.Items, p.show(item))
				}
			}
			if out.ScannedCount == p.limit || size >= maxPage {
				out.LastEvaluatedKey = p.table.keys.Apply(item)
				return nil
			}
		}
		return nil
	})
	if err != nil {
		return searchOutput{}, fmt.Errorf("search %s: %w", p.table.config.Name, err)
	}
	return out, nil
}
