package dynamodb

import (
	"fmt"

	"go.etcd.io/bbolt"
)

type tableInput struct{ TableName string }

type keyElement struct{ AttributeName, KeyType string }

type attributeDefinition struct{ AttributeName, AttributeType string }

type tableDescription struct {
	TableName            string
	TableArn             string
	TableStatus          string
	CreationDateTime     float64 // seconds of Unix time
	KeySchema            []keyElement
	AttributeDefinitions []attributeDefinition
	ItemCount            int
	TableSizeBytes       int
	BillingModeSummary   struct{ BillingMode string }
}

type describeOutput struct{ Table tableDescription }

func (s *Service) describeTable(in tableInput) (describeOutput, error) {
	t, err := s.findTable(in.TableName)
	if err != nil {
		return describeOutput{}, err
	}
	d := tableDescription{
		TableName: t.config.Name, TableArn: arnPrefix + t.config.Name, TableStatus: "ACTIVE",
		CreationDateTime:     float64(t.created.UnixMilli()) / 1000,
		KeySchema:            []keyElement{{t.config.PartitionKey, "HASH"}},
		AttributeDefinitions: []attributeDefinition{{t.config.PartitionKey, "S"}},
	}
	d.BillingModeSummary.BillingMode = "PAY_PER_REQUEST"
	if t.config.SortKey != "" {
		d.KeySchema = append(d.KeySchema, keyElement{t.config.SortKey, "RANGE"})
		d.AttributeDefinitions = append(d.AttributeDefinitions, attributeDefinition{t.config.SortKey, "S"})
	}
	err = t.db.View(func(tx *bbolt.Tx) error {
		return t.items(tx).ForEach(func(_, value []byte) error {
			item, err := decodeItem(value)
			d.ItemCount++
			d.TableSizeBytes += item.Size()
			return err
		})
	})
	if err != nil {
		return describeOutput{}, fmt.Errorf("describe %s: %w", in.TableName, err)
	}
	return describeOutput{Table: d}, nil
}

type timeToLiveOutput struct {
	TimeToLiveDescription struct {
		TimeToLiveStatus string
		AttributeName    string `json:",omitempty"`
	}
}

func (s *Service) describeTimeToLive(in tableInput) (timeToLiveOutput, error) {
	var out timeToLiveOutput
	t, err := s.findTable(in.TableName)
	if err != nil {
		return out, err
	}
	out.TimeToLiveDescription.TimeToLiveStatus = "DISABLED"
	if t.config.TTLAttr != "" {
		out.TimeToLiveDescription.TimeToLiveStatus = "ENABLED"
		out.TimeToLiveDescription.AttributeName = t.config.TTLAttr
	}
	return out, nil
}

type listInput struct {
	ExclusiveStartTableName string
	Limit                   *int
}

type listOutput struct {
	TableNames             []string
	LastEvaluatedTableName string `json:",omitempty"`
}

func (s *Service) listTables(in listInput) (listOutput, error) {
	limit := 100
	if in.Limit != nil {
		limit = *in.Limit
	}
	if limit < 1 || limit > 100 {
		return listOutput{}, validationError("Value '%d' at 'limit' failed to satisfy constraint: Member must have value between 1 and 100", limit)
	}
	out := listOutput{TableNames: []string{}}
	for _, name := range s.names {
		if name <= in.ExclusiveStartTableName {
			continue
		}
		if len(out.TableNames) == limit {
			out.LastEvaluatedTableName = out.TableNames[limit-1]
			break
		}
		out.TableNames = append(out.TableNames, name)
	}
	return out, nil
}
