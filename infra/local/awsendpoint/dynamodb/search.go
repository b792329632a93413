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

// searchInput is what Query and Scan have in common.
type searchInput struct {
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

// searchPlan is a search that has been checked.
type searchPlan struct {
	table   *table
	key     *expression.KeyCondition // of Query
	filter  expression.Condition     // nil for none
	project func(expression.Item) expression.Item
	count   bool   // only count
	start   []byte // the key after which to begin; nil for the beginning
	limit   int    // of items read; 0 for none
	forward bool
}

type queryInput struct {
	searchInput
	KeyConditionExpression string
	ScanIndexForward       *bool
}

func (s *Service) query(in queryInput) (searchOutput, error) {
	if in.KeyConditionExpression == "" {
		return searchOutput{}, validationError("Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.")
	}
	p, err := s.newPlan(in.searchInput, in.KeyConditionExpression)
	if err != nil {
		return searchOutput{}, err
	}
	p.forward = in.ScanIndexForward == nil || *in.ScanIndexForward
	return p.run()
}

type scanInput struct{ searchInput }

func (s *Service) scan(in scanInput) (searchOutput, error) {
	p, err := s.newPlan(in.searchInput, "")
	if err != nil {
		return searchOutput{}, err
	}
	p.forward = true
	return p.run()
}

func (s *Service) newPlan(in searchInput, keyCondition string) (*searchPlan, error) {
	t, err := s.findTable(in.TableName)
	if err != nil {
		return nil, err
	}
	p := &searchPlan{table: t, project: wholeItem}
	if err := p.options(in); err != nil {
		return nil, err
	}
	if err := needsExpression(keyCondition+in.FilterExpression+in.ProjectionExpression, in.ExpressionAttributeNames, in.ExpressionAttributeValues); err != nil {
		return nil, err
	}
	subs, err := expression.NewPlaceholders(in.ExpressionAttributeNames, in.ExpressionAttributeValues)
	if err != nil {
		return nil, err
	}
	if err := p.expressions(in, keyCondition, subs); err != nil {
		return nil, err
	}
	return p, subs.CheckUsed()
}

func (p *searchPlan) options(in searchInput) (err error) {
	if err := refuseMetrics(in.ReturnConsumedCapacity, ""); err != nil {
		return err
	}
	switch in.Select {
	case "", "ALL_ATTRIBUTES":
	case "COUNT":
		p.count = true
	case "SPECIFIC_ATTRIBUTES":
		if in.ProjectionExpression == "" {
			return validationError("One or more parameter values were invalid: Must specify the AttributesToGet or ProjectionExpression when choosing to get SPECIFIC_ATTRIBUTES")
		}
	default:
		return awsjson.Unsupported(serviceName, "Select "+in.Select)
	}
	if in.Limit != nil {
		if p.limit = *in.Limit; p.limit < 1 {
			return validationError("Value '%d' at 'limit' failed to satisfy constraint: Member must have value greater than or equal to 1", p.limit)
		}
	}
	if in.ExclusiveStartKey != nil {
		p.start, err = p.table.exactKey(in.ExclusiveStartKey)
	}
	return err
}

func (p *searchPlan) expressions(in searchInput, keyCondition string, subs *expression.Placeholders) (err error) {
	if keyCondition != "" {
		if p.key, err = expression.ParseKeyCondition(keyCondition, p.table.config.PartitionKey, p.table.config.SortKey, subs); err != nil {
			return err
		}
		if prefix := partitionKey(p.key.Partition); p.start != nil && !bytes.HasPrefix(p.start, prefix) {
			return validationError("The provided starting key is outside query boundaries based on provided conditions")
		}
	}
	if in.FilterExpression != "" {
		if p.filter, err = expression.ParseCondition("FilterExpression", in.FilterExpression, subs); err != nil {
			return err
		}
	}
	if p.key != nil && p.filter != nil {
		for _, name := range p.table.keys {
			if expression.UsesAttribute(p.filter, name) {
				return validationError("Filter Expression can only contain non-primary key attributes: Primary key attribute: %s", name)
			}
		}
	}
	if in.ProjectionExpression != "" {
		shown, err := expression.ParseProjection(in.ProjectionExpression, subs)
		if err != nil {
			return err
		}
		p.project = shown.Apply
	}
	return nil
}

// run reads items in the order of their keys until there are no more, the limit
// is reached or the page is full.
func (p *searchPlan) run() (searchOutput, error) {
	var out searchOutput
	if !p.count {
		out.Items = []expression.Item{}
	}
	size := 0
	err := p.table.db.View(func(tx *bbolt.Tx) error {
		for _, value := range p.walk(p.table.items(tx).Cursor()) {
			item, err := decodeItem(value)
			if err != nil {
				return err
			}
			if p.key != nil && p.key.Sort != nil && !p.key.Sort.Matches(item) {
				continue
			}
			out.ScannedCount++
			size += item.Size()
			if p.filter == nil || p.filter.Matches(item) {
				out.Count++
				if !p.count {
					out.Items = append(out.Items, p.project(item))
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
