package dynamodb_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/dynamodb"
)

func tableConfigs() []blueprint.Table {
	return []blueprint.Table{{Name: "t", PartitionKey: "pk", SortKey: "sk", TTLAttr: "expires_at"}}
}

func openService(t *testing.T, path string) (*dynamodb.Service, *bbolt.DB) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{NoSync: true})
	require.NoError(t, err)
	s, err := dynamodb.New(db, tableConfigs())
	require.NoError(t, err)
	return s, db
}

func setup(t *testing.T) *dynamodb.Service {
	t.Helper()
	s, db := openService(t, filepath.Join(t.TempDir(), "db"))
	t.Cleanup(func() {
		s.Close()
		require.NoError(t, db.Close())
	})
	return s
}

// callOperation runs an operation on the table "t"; members are the remaining input.
func callOperation(t *testing.T, s *dynamodb.Service, operation, members string) (string, error) {
	t.Helper()
	output, err := s.Call(t.Context(), operation, []byte(`{"TableName":"t",`+members+`}`))
	if err != nil {
		return "", err
	}
	raw, err := json.Marshal(output)
	require.NoError(t, err)
	return string(raw), nil
}

func send(t *testing.T, s *dynamodb.Service, operation, members string) string {
	t.Helper()
	out, err := callOperation(t, s, operation, members)
	require.NoError(t, err)
	return out
}

const key = `"Key":{"pk":{"S":"p"},"sk":{"S":"s"}}`

func TestConditionalPut(t *testing.T) {
	t.Parallel()
	s := setup(t)
	const item = `"Item":{"pk":{"S":"p"},"sk":{"S":"s"},"v":{"N":"1"}}`
	const ifNew = `,"ConditionExpression":"attribute_not_exists(pk)"`
	require.JSONEq(t, `{}`, send(t, s, "PutItem", item+ifNew))

	_, err := callOperation(t, s, "PutItem", item+ifNew+`,"ReturnValuesOnConditionCheckFailure":"ALL_OLD"`)
	var fault *awsjson.Error
	require.True(t, errors.As(err, &fault))
	require.Equal(t, "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException", fault.Code)
	raw, err := json.Marshal(fault.Fields["Item"])
	require.NoError(t, err)
	require.JSONEq(t, `{"pk":{"S":"p"},"sk":{"S":"s"},"v":{"N":"1"}}`, string(raw))

	_, err = callOperation(t, s, "PutItem", item+ifNew+`,"ReturnValuesOnConditionCheckFailure":"NONE"`)
	require.True(t, errors.As(err, &fault))
	require.Empty(t, fault.Fields)

	require.JSONEq(t, `{}`, send(t, s, "PutItem", `"Item":{"pk":{"S":"p"},"sk":{"S":"s"},"w":{"N":"2"}}`))
	require.JSONEq(t, `{"Item":{"pk":{"S":"p"},"sk":{"S":"s"},"w":{"N":"2"}}}`, send(t, s, "GetItem", key), "a put replaces the whole item")
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	s := setup(t)
	_, err := callOperation(t, s, "UpdateItem", key+`,"UpdateExpression":"SET v = :v","ConditionExpression":"v <= :v","ExpressionAttributeValues":{":v":{"N":"1"}}`)
	require.ErrorContains(t, err, "ConditionalCheckFailed")
	require.JSONEq(t, `{}`, send(t, s, "GetItem", key), "a refused update creates no item")

	for _, want := range []string{"1", "2"} {
		require.JSONEq(t, `{}`, send(t, s, "UpdateItem", key+`,"UpdateExpression":"SET v = if_not_exists(v, :zero) + :one","ExpressionAttributeValues":{":one":{"N":"1"},":zero":{"N":"0"}}`))
		require.JSONEq(t, `{"Item":{"pk":{"S":"p"},"sk":{"S":"s"},"v":{"N":"`+want+`"}}}`, send(t, s, "GetItem", key+`,"ConsistentRead":true`))
	}
	send(t, s, "UpdateItem", key+`,"UpdateExpression":"REMOVE v"`)
	require.JSONEq(t, `{"Item":{"pk":{"S":"p"},"sk":{"S":"s"}}}`, send(t, s, "GetItem", key))
}

func TestConditionalDelete(t *testing.T) {
	t.Parallel()
	s := setup(t)
	send(t, s, "PutItem", `"Item":{"pk":{"S":"p"},"sk":{"S":"s"},"v":{"N":"1"}}`)
	const ifV = key + `,"ConditionExpression":"v = :v","ExpressionAttributeValues":{":v":{"N":"%d"}}`
	_, err := callOperation(t, s, "DeleteItem", fmt.Sprintf(ifV, 2))
	require.ErrorContains(t, err, "ConditionalCheckFailed")
	require.JSONEq(t, `{}`, send(t, s, "DeleteItem", fmt.Sprintf(ifV, 1)))
	require.JSONEq(t, `{}`, send(t, s, "GetItem", key))
	require.JSONEq(t, `{}`, send(t, s, "DeleteItem", key), "deleting a missing item succeeds")
}

func putItems(t *testing.T, s *dynamodb.Service) {
	t.Helper()
	for _, pk := range []string{"o", "p", "pp"} {
		for i, sk := range []string{"a", "a1", "a2", "b", "c"} {
			send(t, s, "PutItem", fmt.Sprintf(`"Item":{"pk":{"S":%q},"sk":{"S":%q},"n":{"N":"%d"}}`, pk, sk, i))
		}
	}
}

type page struct {
	Items               []map[string]map[string]string
	Count, ScannedCount int
	LastEvaluatedKey    map[string]map[string]string
}

func runSearch(t *testing.T, s *dynamodb.Service, operation, members string) page {
	t.Helper()
	var p page
	require.NoError(t, json.Unmarshal([]byte(send(t, s, operation, members)), &p))
	return p
}

func sortKeys(p page) string {
	keys := make([]string, len(p.Items))
	for i, item := range p.Items {
		keys[i] = item["sk"]["S"]
	}
	return strings.Join(keys, " ")
}

const allOfP = `"KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"p"}}`

func TestQuery(t *testing.T) {
	t.Parallel()
	s := setup(t)
	putItems(t, s)
	for name, test := range map[string]struct{ members, want string }{
		"partition":         {allOfP, "a a1 a2 b c"},
		"unknown partition": {`"KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"q"}}`, ""},
		"prefix":            {`"KeyConditionExpression":"pk = :p AND begins_with(sk, :a)","ExpressionAttributeValues":{":p":{"S":"p"},":a":{"S":"a"}}`, "a a1 a2"},
		"projection":        {`"ProjectionExpression":"#s","ExpressionAttributeNames":{"#s":"sk"},` + allOfP, "a a1 a2 b c"},
		"start":             {allOfP + `,"ExclusiveStartKey":{"pk":{"S":"p"},"sk":{"S":"a2"}}`, "b c"},
		"deleted start":     {allOfP + `,"ExclusiveStartKey":{"pk":{"S":"p"},"sk":{"S":"a3"}}`, "b c"},
		"start at the end":  {allOfP + `,"ExclusiveStartKey":{"pk":{"S":"p"},"sk":{"S":"c"}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := runSearch(t, s, "Query", test.members)
			require.Equal(t, test.want, sortKeys(got))
			require.Equal(t, len(got.Items), got.Count)
			require.Equal(t, len(got.Items), got.ScannedCount)
			require.NotNil(t, got.Items)
			require.Nil(t, got.LastEvaluatedKey)
			for _, item := range got.Items {
				require.Equal(t, name == "projection", len(item) == 1)
			}
		})
	}
}

func TestPageEndsAtOneMegabyte(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for i := range 4 {
		send(t, s, "PutItem", fmt.Sprintf(`"Item":{"pk":{"S":"p"},"sk":{"S":"%d"},"v":{"S":"%s"}}`, i, strings.Repeat("x", 390<<10)))
	}
	for operation, members := range map[string]string{"Query": allOfP + ",", "Scan": ""} {
		got := runSearch(t, s, operation, members+`"ExclusiveStartKey":null`)
		require.Equal(t, "0 1 2", sortKeys(got))
		require.Equal(t, "2", got.LastEvaluatedKey["sk"]["S"])
		last, err := json.Marshal(got.LastEvaluatedKey)
		require.NoError(t, err)
		got = runSearch(t, s, operation, members+`"ExclusiveStartKey":`+string(last))
		require.Equal(t, "3", sortKeys(got))
		require.Nil(t, got.LastEvaluatedKey)
	}
}

func TestInvalidRequestsAreRefused(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for name, test := range map[string]struct{ operation, members, want string }{
		"no sort key":          {"PutItem", `"Item":{"pk":{"S":"p"}}`, "Missing the key sk"},
		"wrong key type":       {"PutItem", `"Item":{"pk":{"S":"p"},"sk":{"N":"1"}}`, "Type mismatch for key sk"},
		"empty key":            {"PutItem", `"Item":{"pk":{"S":""},"sk":{"S":"s"}}`, "empty string value"},
		"long key":             {"PutItem", `"Item":{"pk":{"S":"p"},"sk":{"S":"` + strings.Repeat("x", 1025) + `"}}`, "maximum size limit of 1024"},
		"large item":           {"PutItem", `"Item":{"pk":{"S":"p"},"sk":{"S":"s"},"v":{"S":"` + strings.Repeat("x", 401<<10) + `"}}`, "Item size"},
		"bad number":           {"PutItem", `"Item":{"pk":{"S":"p"},"sk":{"S":"s"},"v":{"N":"x"}}`, "ValidationException"},
		"half a key":           {"GetItem", `"Key":{"pk":{"S":"p"}}`, "does not match the schema"},
		"more than a key":      {"GetItem", `"Key":{"pk":{"S":"p"},"sk":{"S":"s"},"v":{"S":"x"}}`, "does not match the schema"},
		"update of a key":      {"UpdateItem", key + `,"UpdateExpression":"SET sk = :v","ExpressionAttributeValues":{":v":{"S":"x"}}`, "part of the key"},
		"undefined value":      {"PutItem", `"Item":{"pk":{"S":"p"},"sk":{"S":"s"}},"ConditionExpression":"v = :v"`, "not defined; attribute value: :v"},
		"unused value":         {"PutItem", `"Item":{"pk":{"S":"p"},"sk":{"S":"s"}},"ConditionExpression":"attribute_not_exists(v)","ExpressionAttributeValues":{":v":{"S":"x"}}`, "unused in expressions"},
		"values for nothing":   {"PutItem", `"Item":{"pk":{"S":"p"},"sk":{"S":"s"}},"ExpressionAttributeValues":{":v":{"S":"x"}}`, "unused in expressions"},
		"item on failure":      {"PutItem", `"Item":{"pk":{"S":"p"},"sk":{"S":"s"}},"ReturnValuesOnConditionCheckFailure":"ALL_NEW"`, "returnValuesOnConditionCheckFailure"},
		"unsupported type":     {"PutItem", `"Item":{"pk":{"S":"p"},"sk":{"S":"s"},"v":{"SS":["a"]}}`, "does not implement values of type SS"},
		"unsupported operator": {"PutItem", `"Item":{"pk":{"S":"p"},"sk":{"S":"s"}},"ConditionExpression":"NOT v = :v","ExpressionAttributeValues":{":v":{"S":"x"}}`, "does not implement the operator NOT"},
		"no update":            {"UpdateItem", key, "Invalid UpdateExpression: The expression can not be empty"},
		"no key condition":     {"Query", `"ExclusiveStartKey":{"pk":{"S":"p"},"sk":{"S":"s"}}`, "Invalid KeyConditionExpression: The expression can not be empty"},
		"another partition":    {"Query", allOfP + `,"ExclusiveStartKey":{"pk":{"S":"x"},"sk":{"S":"s"}}`, "outside query boundaries"},
		"return values":        {"UpdateItem", key + `,"ReturnValues":"ALL_NEW"`, `does not implement the member "ReturnValues"`},
		"capacity":             {"GetItem", key + `,"ReturnConsumedCapacity":"TOTAL"`, `the member "ReturnConsumedCapacity"`},
		"part of an item":      {"GetItem", key + `,"ProjectionExpression":"v"`, `the member "ProjectionExpression"`},
		"index":                {"Query", allOfP + `,"IndexName":"i"`, `the member "IndexName"`},
		"filter":               {"Query", allOfP + `,"FilterExpression":"v = :p"`, `the member "FilterExpression"`},
		"backwards":            {"Query", allOfP + `,"ScanIndexForward":false`, `the member "ScanIndexForward"`},
		"limit":                {"Query", allOfP + `,"Limit":1`, `the member "Limit"`},
		"legacy":               {"PutItem", `"Item":{"pk":{"S":"p"},"sk":{"S":"s"}},"Expected":{}`, `the member "Expected"`},
		"parallel scan":        {"Scan", `"Segment":0,"TotalSegments":2`, `the member "Segment"`},
		"transactions":         {"TransactWriteItems", `"TransactItems":[]`, "does not implement TransactWriteItems"},
		"create table":         {"CreateTable", `"BillingMode":"PAY_PER_REQUEST"`, "does not implement CreateTable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := callOperation(t, s, test.operation, test.members)
			require.ErrorContains(t, err, test.want)
			var fault *awsjson.Error
			require.True(t, errors.As(err, &fault), "the error is an awsjson.Error")
		})
	}
	_, err := s.Call(t.Context(), "GetItem", []byte(`{"TableName":"none",`+key+`}`))
	require.ErrorContains(t, err, "ResourceNotFoundException")
}

func TestListTables(t *testing.T) {
	t.Parallel()
	output, err := setup(t).Call(t.Context(), "ListTables", []byte(`{}`))
	require.NoError(t, err)
	raw, err := json.Marshal(output)
	require.NoError(t, err)
	require.JSONEq(t, `{"TableNames":["t"]}`, string(raw))
}

func TestExpiredItemsAreDeleted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := setup(t)
		now := time.Now()
		put := func(sk, attribute string) {
			send(t, s, "PutItem", fmt.Sprintf(`"Item":{"pk":{"S":"p"},"sk":{"S":%q},%s}`, sk, attribute))
		}
		put("soon", fmt.Sprintf(`"expires_at":{"N":"%d"}`, now.Add(30*time.Second).Unix()))
		put("later", fmt.Sprintf(`"expires_at":{"N":"%d"}`, now.Add(time.Hour).Unix()))
		put("long ago", fmt.Sprintf(`"expires_at":{"N":"%d"}`, now.AddDate(-6, 0, 0).Unix()))
		put("text", `"expires_at":{"S":"1"}`)
		put("none", `"v":{"S":"x"}`)
		all := func() string {
			return sortKeys(runSearch(t, s, "Query", allOfP))
		}
		require.Equal(t, "later long ago none soon text", all())
		time.Sleep(2 * time.Minute) // time of the synctest bubble
		require.Equal(t, "later long ago none text", all())
	})
}

func TestItemsSurviveReopening(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "db")
	s, db := openService(t, path)
	putItems(t, s)
	s.Close()
	require.NoError(t, db.Close())
	s, db = openService(t, path)
	defer db.Close()
	defer s.Close()
	require.Equal(t, 15, runSearch(t, s, "Scan", `"ExclusiveStartKey":null`).Count)
}

func TestNewRefusesInvalidTables(t *testing.T) {
	t.Parallel()
	good := tableConfigs()[0]
	for want, configs := range map[string][]blueprint.Table{
		"duplicate":     {good, good},
		"partition key": {{Name: "t"}},
		"sort key":      {{Name: "t", PartitionKey: "a"}},
		"another":       {{Name: "t", PartitionKey: "a", SortKey: "a"}},
	} {
		db, err := bbolt.Open(filepath.Join(t.TempDir(), "db"), 0o600, nil)
		require.NoError(t, err)
		_, err = dynamodb.New(db, configs)
		require.ErrorContains(t, err, want)
		require.NoError(t, db.Close())
	}
}
