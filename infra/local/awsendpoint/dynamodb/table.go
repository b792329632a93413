package dynamodb

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"go.etcd.io/bbolt"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/dynamodb/expression"
)

// table is one table in the database: its items by their encoded keys.
type table struct {
	db     *bbolt.DB
	config blueprint.Table
	keys   expression.Projection // names of the key attributes
}

// Names in the database: rootBucket/<table>/itemsBucket.
const (
	rootBucket  = "dynamodb"
	itemsBucket = "items"
)

// Limits of DynamoDB, in bytes.
const (
	maxPartitionKey = 2048
	maxSortKey      = 1024
	maxItem         = 400 << 10
)

func openTable(db *bbolt.DB, config blueprint.Table) (*table, error) {
	t := &table{db: db, config: config, keys: expression.Projection{config.PartitionKey, config.SortKey}}
	err := db.Update(func(tx *bbolt.Tx) error {
		root, err := tx.CreateBucketIfNotExists([]byte(rootBucket))
		if err != nil {
			return err
		}
		own, err := root.CreateBucketIfNotExists([]byte(config.Name))
		if err != nil {
			return err
		}
		_, err = own.CreateBucketIfNotExists([]byte(itemsBucket))
		return err
	})
	return t, err
}

func (t *table) items(tx *bbolt.Tx) *bbolt.Bucket {
	return tx.Bucket([]byte(rootBucket)).Bucket([]byte(t.config.Name)).Bucket([]byte(itemsBucket))
}

// keyOf encodes the key of an item: the length of the partition key, the partition key, then the
// sort key, so that a partition is contiguous and ordered.
func (t *table) keyOf(item expression.Item) ([]byte, error) {
	partition, err := keyValue(item, t.config.PartitionKey, maxPartitionKey)
	if err != nil {
		return nil, err
	}
	sort, err := keyValue(item, t.config.SortKey, maxSortKey)
	return append(partitionKey(partition), sort...), err
}

func partitionKey(partition string) []byte {
	return append(binary.BigEndian.AppendUint16(nil, uint16(len(partition))), partition...)
}

func keyValue(item expression.Item, name string, most int) (string, error) {
	value, ok := item[name]
	switch {
	case !ok:
		return "", validationError("One or more parameter values were invalid: Missing the key %s in the item", name)
	case value.Kind != expression.String:
		return "", validationError("One or more parameter values were invalid: Type mismatch for key %s expected: S actual: %s", name, value.Kind)
	case value.Text == "":
		return "", validationError("One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty string value. Key: %s", name)
	case len(value.Text) > most:
		return "", validationError("One or more parameter values were invalid: Size of key %s has exceeded the maximum size limit of %d bytes", name, most)
	}
	return value.Text, nil
}

// exactKey encodes a key that must consist of the key attributes only.
func (t *table) exactKey(key expression.Item) ([]byte, error) {
	for name := range key {
		if !slices.Contains(t.keys, name) {
			return nil, validationError("The provided key element does not match the schema")
		}
	}
	encoded, err := t.keyOf(key)
	if err != nil {
		return nil, validationError("The provided key element does not match the schema")
	}
	return encoded, nil
}

// readItem returns the item with that key, or nil.
func readItem(items *bbolt.Bucket, key []byte) (expression.Item, error) {
	value := items.Get(key)
	if value == nil {
		return nil, nil
	}
	return decodeItem(value)
}

func decodeItem(value []byte) (expression.Item, error) {
	var item expression.Item
	if err := json.Unmarshal(value, &item); err != nil {
		return nil, fmt.Errorf("decode item: %w", err)
	}
	return item, nil
}

func writeItem(items *bbolt.Bucket, key []byte, item expression.Item) error {
	if size := item.Size(); size > maxItem {
		return validationError("Item size has exceeded the maximum allowed size")
	}
	value, err := json.Marshal(item)
	if err != nil {
		return fmt.Errorf("encode item: %w", err)
	}
	return items.Put(key, value)
}

// deleteExpired deletes the items with an expired time to live.
func (t *table) deleteExpired(now time.Time) error {
	if t.config.TTLAttr == "" {
		return nil
	}
	var gone [][]byte
	err := t.db.View(func(tx *bbolt.Tx) error {
		return t.items(tx).ForEach(func(key, value []byte) error {
			item, err := decodeItem(value)
			if err != nil {
				return err
			}
			if t.expired(item, now) {
				gone = append(gone, bytes.Clone(key))
			}
			return nil
		})
	})
	if err != nil || len(gone) == 0 {
		return err
	}
	return t.db.Update(func(tx *bbolt.Tx) error {
		items := t.items(tx)
		for _, key := range gone {
			// The item may have been rewritten since.
			item, err := readItem(items, key)
			if err != nil {
				return err
			}
			if !t.expired(item, now) {
				continue
			}
			if err := items.Delete(key); err != nil {
				return err
			}
		}
		return nil
	})
}

// expired reports whether an item's TTL attribute, in seconds of Unix time, has passed. Like
// DynamoDB, it ignores values that are no number or more than five years in the past.
func (t *table) expired(item expression.Item, now time.Time) bool {
	value := item[t.config.TTLAttr]
	if value.Kind != expression.Number {
		return false
	}
	expires := time.Unix(value.Number, 0)
	return expires.Before(now) && expires.After(now.AddDate(-5, 0, 0))
}
