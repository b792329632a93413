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

// callOperation runs an operation on the table "t"; members are the rest of its input.
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

	require.JSONEq(t, `{"Attributes":{"pk":{"S":"p"},"sk":{"S":"s"},"v":{"N":"1"}}}`,
		send(t, s, "PutItem", `"Item":{"pk":{"S":"p"},"sk":{"S":"s"},"w":{"N":"2"}},"ReturnValues":"ALL_OLD"`))
	require.JSONEq(t, `{"Item":{"pk":{"S":"p"},"sk":{"S":"s"},"w":{"N":"2"}}}`, send(t, s, "GetItem", key), "a put replaces the whole item")
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	s := setup(t)
	_, err := callOperation(t, s, "UpdateItem", key+`,"UpdateExpression":"SET v = :v","ConditionExpression":"attribute_exists(pk)","ExpressionAttributeValues":{":v":{"N":"1"}}`)
	require.ErrorContains(t, err, "ConditionalCheckFailed")
	require.JSONEq(t, `{}`, send(t, s, "GetItem", key), "a refused update leaves no item")

	const add = `,"UpdateExpression":"SET v = if_not_exists(v, :zero) + :one","ExpressionAttributeValues":{":one":{"N":"1"},":zero":{"N":"0"}}`
	require.JSONEq(t, `{"Attributes":{"pk":{"S":"p"},"sk":{"S":"s"},"v":{"N":"1"}}}`, send(t, s, "UpdateItem", key+add+`,"ReturnValues":"ALL_NEW"`))
	require.JSONEq(t, `{"Attributes":{"v":{"N":"1"}}}`, send(t, s, "UpdateItem", key+add+`,"ReturnValues":"UPDATED_OLD"`))
	require.JSONEq(t, `{"Attributes":{"v":{"N":"3"}}}`, send(t, s, "UpdateItem", key+add+`,"ReturnValues":"UPDATED_NEW"`))
	require.JSONEq(t, `{"Attributes":{"pk":{"S":"p"},"sk":{"S":"s"},"v":{"N":"3"}}}`, send(t, s, "UpdateItem", key+`,"UpdateExpression":"REMOVE v","ReturnValues":"ALL_OLD"`))
	require.JSONEq(t, `{"Item":{"pk":{"S":"p"},"sk":{"S":"s"}}}`, send(t, s, "GetItem", key))
}

func TestConditionalDelete(t *testing.T) {
	t.Parallel()
	s := setup(t)
	send(t, s, "PutItem", `"Item":{"pk":{"S":"p"},"sk":{"S":"s"},"v":{"N":"1"}}`)
	_, err := callOperation(t, s, "DeleteItem", key+`,"ConditionExpression":"v = :v","ExpressionAttributeValues":{":v":{"N":"2"}}`)
	require.ErrorContains(t, err, "ConditionalCheckFailed")
	require.JSONEq(t, `{"Attributes":{"pk":{"S":"p"},"sk":{"S":"s"},"v":{"N":"1"}}}`, send(t, s, "DeleteItem", key+`,"ReturnValues":"ALL_OLD"`))
	require.JSONEq(t, `{}`, send(t, s, "DeleteItem", key+`,"ReturnValues":"ALL_OLD"`), "deleting nothing is no fault")
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

func TestQuery(t *testing.T) {
	t.Parallel()
	s := setup(t)
	putItems(t, s)
	const values = `,"ExpressionAttributeValues":{":p":{"S":"p"},":a":{"S":"a"}}`
	const two = `,"ExpressionAttributeValues":{":p":{"S":"p"},":a":{"S":"a1"},":b":{"S":"b"}}`
	for name, test := range map[string]struct{ members, want string }{
		"partition":         {`"KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"p"}}`, "a a1 a2 b c"},
		"backwards":         {`"ScanIndexForward":false,"KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"p"}}`, "c b a2 a1 a"},
		"last partition":    {`"ScanIndexForward":false,"KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"pp"}}`, "c b a2 a1 a"},
		"no such partition": {`"KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"q"}}`, ""},
		"equal":             {`"KeyConditionExpression":"pk = :p AND sk = :a"` + values, "a"},
		"prefix":            {`"KeyConditionExpression":"pk = :p AND begins_with(sk, :a)"` + values, "a a1 a2"},
		"prefix, backwards": {`"ScanIndexForward":false,"KeyConditionExpression":"pk = :p AND begins_with(sk, :a)"` + values, "a2 a1 a"},
		"less":              {`"KeyConditionExpression":"pk = :p AND sk < :b","ExpressionAttributeValues":{":p":{"S":"p"},":b":{"S":"a2"}}`, "a a1"},
		"at most":           {`"KeyConditionExpression":"pk = :p AND sk <= :b","ExpressionAttributeValues":{":p":{"S":"p"},":b":{"S":"a2"}}`, "a a1 a2"},
		"greater":           {`"KeyConditionExpression":"pk = :p AND sk > :b","ExpressionAttributeValues":{":p":{"S":"p"},":b":{"S":"a2"}}`, "b c"},
		"at least":          {`"KeyConditionExpression":"pk = :p AND sk >= :b","ExpressionAttributeValues":{":p":{"S":"p"},":b":{"S":"a2"}}`, "a2 b c"},
		"between":           {`"KeyConditionExpression":"pk = :p AND sk BETWEEN :a AND :b"` + two, "a1 a2 b"},
		"between backwards": {`"ScanIndexForward":false,"KeyConditionExpression":"pk = :p AND sk BETWEEN :a AND :b"` + two, "b a2 a1"},
		"projection":        {`"ProjectionExpression":"#s","ExpressionAttributeNames":{"#s":"sk"},"KeyConditionExpression":"pk = :p AND sk = :a"` + values, "a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := runSearch(t, s, "Query", test.members)
			require.Equal(t, test.want, sortKeys(got))
			require.Equal(t, len(got.Items), got.Count)
			require.NotNil(t, got.Items)
			require.Nil(t, got.LastEvaluatedKey)
		})
	}
}

func TestQueryByPages(t *testing.T) {
	t.Parallel()
	s := setup(t)
	putItems(t, s)
	for forward, want := range map[string]string{"true": "a a1|a2 b|c", "false": "c b|a2 a1|a"} {
		var pages []string
		start := ""
		for {
			got := runSearch(t, s, "Query", `"Limit":2,"ScanIndexForward":`+forward+start+`,"KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"p"}}`)
			pages = append(pages, sortKeys(got))
			if got.LastEvaluatedKey == nil {
				break
			}
			last, err := json.Marshal(got.LastEvaluatedKey)
			require.NoError(t, err)
			start = `,"ExclusiveStartKey":` + string(last)
		}
		require.Equal(t, want, strings.Join(pages, "|"))
	}
}

func TestFilterCountsScannedItems(t *testing.T) {
	t.Parallel()
	s := setup(t)
	putItems(t, s)
	got := runSearch(t, s, "Query", `"KeyConditionExpression":"pk = :p","FilterExpression":"n >= :n","ExpressionAttributeValues":{":p":{"S":"p"},":n":{"N":"3"}}`)
	require.Equal(t, "b c", sortKeys(got))
	require.Equal(t, 5, got.ScannedCount)
	got = runSearch(t, s, "Scan", `"Select":"COUNT","FilterExpression":"n >= :n","ExpressionAttributeValues":{":n":{"N":"3"}}`)
	require.Nil(t, got.Items)
	require.Equal(t, 6, got.Count)
	require.Equal(t, 15, got.ScannedCount)
}

func TestScanByPages(t *testing.T) {
	t.Parallel()
	s := setup(t)
	putItems(t, s)
	first := runSearch(t, s, "Scan", `"Limit":14`)
	require.Len(t, first.Items, 14)
	last, err := json.Marshal(first.LastEvaluatedKey)
	require.NoError(t, err)
	require.Equal(t, "c", sortKeys(runSearch(t, s, "Scan", `"ExclusiveStartKey":`+string(last))))
}

func TestPageEndsAtOneMegabyte(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for i := range 4 {
		send(t, s, "PutItem", fmt.Sprintf(`"Item":{"pk":{"S":"p"},"sk":{"S":"%d"},"v":{"S":"%s"}}`, i, strings.Repeat("x", 390<<10)))
	}
	got := runSearch(t, s, "Scan", `"Select":"ALL_ATTRIBUTES"`)
	require.Len(t, got.Items, 3)
	require.Equal(t, "2", got.LastEvaluatedKey["sk"]["S"])
}

func TestInvalidRequestsAreRefused(t *testing.T) {
	t.Parallel()
	s := setup(t)
	const query = `"KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"p"}}`
	for name, test := range map[string]struct{ operation, members, want string }{
		"no sort key":          {"PutItem", `"Item":{"pk":{"S":"p"}}`, "Missing the key sk"},
		"wrong type of key":    {"PutItem", `"Item":{"pk":{"S":"p"},"sk":{"N":"1"}}`, "Type mismatch for key sk"},
		"empty key":            {"PutItem", `"Item":{"pk":{"S":""},"sk":{"S":"s"}}`, "empty string value"},
		"long key":             {"PutItem", `"Item":{"pk":{"S":"p"},"sk":{"S":"` + strings.Repeat("x", 1025) + `"}}`, "maximum size limit of 1024"},
		"large item":           {"PutItem", `"Item":{"pk":{"S":"p"},"sk":{"S":"s"},"v":{"S":"` + strings.Repeat("x", 401<<10) + `"}}`, "Item size"},
		"bad number":           {"PutItem", `"Item":{"pk":{"S":"p"},"sk":{"S":"s"},"v":{"N":"x"}}`, "ValidationException"},
		"half a key":           {"GetItem", `"Key":{"pk":{"S":"p"}}`, "does not match the schema"},
		"more than a key":      {"GetItem", `"Key":{"pk":{"S":"p"},"sk":{"S":"s"},"v":{"S":"x"}}`, "does not match the schema"},
		"update of a key":      {"UpdateItem", key + `,"UpdateExpression":"SET sk = :v","ExpressionAttributeValues":{":v":{"S":"x"}}`, "part of the key"},
		"undefined value":      {"PutItem", `"Item":{"pk":{"S":"p"},"sk":{"S":"s"}},"ConditionExpression":"v = :v"`, "not defined; attribute value: :v"},
		"unused value":         {"PutItem", `"Item":{"pk":{"S":"p"},"sk":{"S":"s"}},"ConditionExpression":"attribute_exists(v)","ExpressionAttributeValues":{":v":{"S":"x"}}`, "unused in expressions"},
		"values for nothing":   {"PutItem", `"Item":{"pk":{"S":"p"},"sk":{"S":"s"}},"ExpressionAttributeValues":{":v":{"S":"x"}}`, "only be specified when using expressions"},
		"return values of put": {"PutItem", `"Item":{"pk":{"S":"p"},"sk":{"S":"s"}},"ReturnValues":"ALL_NEW"`, "returnValues"},
		"capacity":             {"GetItem", key + `,"ReturnConsumedCapacity":"TOTAL"`, "does not implement ReturnConsumedCapacity"},
		"index":                {"Query", query + `,"IndexName":"i"`, `does not implement the member "IndexName"`},
		"legacy":               {"PutItem", `"Item":{"pk":{"S":"p"},"sk":{"S":"s"}},"Expected":{}`, `the member "Expected"`},
		"parallel scan":        {"Scan", `"Segment":0,"TotalSegments":2`, `the member "Segment"`},
		"select":               {"Query", query + `,"Select":"ALL_PROJECTED_ATTRIBUTES"`, "does not implement Select"},
		"limit":                {"Query", query + `,"Limit":0`, "limit"},
		"filter on the key":    {"Query", query + `,"FilterExpression":"begins_with(sk, :p)"`, "Primary key attribute: sk"},
		"another partition":    {"Query", query + `,"ExclusiveStartKey":{"pk":{"S":"x"},"sk":{"S":"s"}}`, "outside query boundaries"},
		"no key condition":     {"Query", `"Limit":1`, "KeyConditionExpression"},
		"transactions":         {"TransactWriteItems", `"TransactItems":[]`, "does not implement TransactWriteItems"},
		"create table":         {"CreateTable", `"BillingMode":"PAY_PER_REQUEST"`, "does not implement CreateTable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := callOperation(t, s, test.operation, test.members)
			require.ErrorContains(t, err, test.want)
			var fault *awsjson.Error
			require.True(t, errors.As(err, &fault), "the caller sees it")
		})
	}
	_, err := s.Call(t.Context(), "GetItem", []byte(`{"TableName":"none",`+key+`}`))
	require.ErrorContains(t, err, "ResourceNotFoundException")
}

func TestDescribeTable(t *testing.T) {
	t.Parallel()
	s := setup(t)
	putItems(t, s)
	require.JSONEq(t, `{"TimeToLiveDescription":{"TimeToLiveStatus":"ENABLED","AttributeName":"expires_at"}}`, send(t, s, "DescribeTimeToLive", `"TableName":"t"`))
	description := send(t, s, "DescribeTable", `"TableName":"arn:aws:dynamodb:us-east-1:000000000000:table/t"`)
	require.Contains(t, description, `"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"},{"AttributeName":"sk","KeyType":"RANGE"}]`)
	require.Contains(t, description, `"ItemCount":15`)
	output, err := s.Call(t.Context(), "ListTables", []byte(`{}`))
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
			return sortKeys(runSearch(t, s, "Query", `"KeyConditionExpression":"pk = :p","ExpressionAttributeValues":{":p":{"S":"p"}}`))
		}
		require.Equal(t, "later long ago none soon text", all())
		time.Sleep(2 * time.Minute) // of the bubble's time
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
	require.Equal(t, 15, runSearch(t, s, "Scan", `"Select":"COUNT"`).Count)
}

func TestNewRefusesInvalidTables(t *testing.T) {
	t.Parallel()
	good := tableConfigs()[0]
	for want, configs := range map[string][]blueprint.Table{
		"there are two": {good, good},
		"partition key": {{Name: "t"}},
		"sort key":      {{Name: "t", PartitionKey: "a", SortKey: "a"}},
	} {
		db, err := bbolt.Open(filepath.Join(t.TempDir(), "db"), 0o600, nil)
		require.NoError(t, err)
		_, err = dynamodb.New(db, configs)
		require.ErrorContains(t, err, want)
		require.NoError(t, db.Close())
	}
}
