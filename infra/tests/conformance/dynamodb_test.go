package conformance

import (
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	local "github.com/loadbay/loadbay/infra/local/awsendpoint/dynamodb"
)

// table is a table with string keys pk and sk, with a client.
type table struct {
	*dynamodb.Client
	name string
}

type (
	item   = map[string]types.AttributeValue
	asText = types.AttributeValueMemberS
	number = types.AttributeValueMemberN
)

func setupTable(t *testing.T) *table {
	t.Helper()
	name := uniqueName("table")
	if url, ok := configuredEndpoint(); ok {
		return createTable(t, url, name)
	}
	s, err := local.New(openDatabase(t), []blueprint.Table{{Name: name, PartitionKey: "pk", SortKey: "sk", TTLAttr: "expires_at"}})
	require.NoError(t, err)
	t.Cleanup(s.Close)
	url := startEndpoint(t, awsendpoint.Config{Services: []awsjson.Service{s}})
	return &table{Client: dynamodb.NewFromConfig(clientConfig(url)), name: name}
}

// createTable creates the same table at another endpoint.
func createTable(t *testing.T, url, name string) *table {
	t.Helper()
	tab := &table{Client: dynamodb.NewFromConfig(clientConfig(url)), name: name}
	_, err := tab.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: &name, BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS},
			{AttributeName: aws.String("sk"), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{
			{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String("sk"), KeyType: types.KeyTypeRange},
		},
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		_, err := tab.DeleteTable(cleanupContext(t), &dynamodb.DeleteTableInput{TableName: &name})
		require.NoError(t, err)
	})
	require.NoError(t, dynamodb.NewTableExistsWaiter(tab).Wait(t.Context(), &dynamodb.DescribeTableInput{TableName: &name}, waitTimeout))
	_, err = tab.UpdateTimeToLive(t.Context(), &dynamodb.UpdateTimeToLiveInput{
		TableName:               &name,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String("expires_at"), Enabled: aws.Bool(true)},
	})
	require.NoError(t, err)
	return tab
}

func itemKey(pk, sk string) item { return item{"pk": &asText{Value: pk}, "sk": &asText{Value: sk}} }

func itemOf(pk, sk string, n int) item {
	out := itemKey(pk, sk)
	out["n"] = &number{Value: strconv.Itoa(n)}
	return out
}

func (tab *table) put(t *testing.T, i item) {
	t.Helper()
	_, err := tab.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &tab.name, Item: i})
	require.NoError(t, err)
}

func (tab *table) get(t *testing.T, pk, sk string) item {
	t.Helper()
	out, err := tab.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: &tab.name, Key: itemKey(pk, sk), ConsistentRead: aws.Bool(true)})
	require.NoError(t, err)
	return out.Item
}

func TestDynamoDBItem(t *testing.T) {
	t.Parallel()
	tab := setupTable(t)
	full := itemKey("p", "s")
	full["text"], full["empty"], full["number"] = &asText{Value: "ü"}, &asText{Value: ""}, &number{Value: "12"}
	tab.put(t, full)
	require.Equal(t, full, tab.get(t, "p", "s"))
	require.Nil(t, tab.get(t, "p", "other"))

	_, err := tab.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: &tab.name, Key: itemKey("p", "s")})
	require.NoError(t, err)
	require.Nil(t, tab.get(t, "p", "s"))
}

func TestDynamoDBNumbersAreNormalised(t *testing.T) {
	t.Parallel()
	tab := setupTable(t)
	for sent, want := range map[string]string{"007": "7", "+5": "5", "-0": "0"} {
		i := itemKey("p", "s")
		i["n"] = &number{Value: sent}
		tab.put(t, i)
		require.Equal(t, &number{Value: want}, tab.get(t, "p", "s")["n"], sent)
	}
}

// If many clients claim the same key at once, exactly one gets it.
func TestDynamoDBConditionIsAtomic(t *testing.T) {
	t.Parallel()
	tab := setupTable(t)
	var claims sync.WaitGroup
	won := make(chan int, 20)
	for i := range 20 {
		claims.Go(func() {
			_, err := tab.PutItem(t.Context(), &dynamodb.PutItemInput{
				TableName: &tab.name, Item: itemOf("p", "s", i), ConditionExpression: aws.String("attribute_not_exists(pk)"),
			})
			if err == nil {
				won <- i
			}
		})
	}
	claims.Wait()
	require.Len(t, won, 1)
	require.Equal(t, itemOf("p", "s", <-won), tab.get(t, "p", "s"))
}

func TestDynamoDBFailedConditionShowsTheItem(t *testing.T) {
	t.Parallel()
	tab := setupTable(t)
	tab.put(t, itemOf("p", "s", 7))
	_, err := tab.PutItem(t.Context(), &dynamodb.PutItemInput{
		TableName: &tab.name, Item: itemOf("p", "s", 8), ConditionExpression: aws.String("attribute_not_exists(pk) OR n < :n"),
		ExpressionAttributeValues:           item{":n": &number{Value: "7"}},
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	var failed *types.ConditionalCheckFailedException
	require.ErrorAs(t, err, &failed)
	require.Equal(t, itemOf("p", "s", 7), failed.Item)
	_, err = tab.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &tab.name, Item: itemOf("p", "s", 8), ConditionExpression: aws.String("attribute_not_exists(pk)")})
	require.ErrorAs(t, err, &failed)
	require.Nil(t, failed.Item, "the item is returned only on request")
}

func TestDynamoDBUpdate(t *testing.T) {
	t.Parallel()
	tab := setupTable(t)
	update := func(expression string, values item, condition *string) error {
		_, err := tab.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
			TableName: &tab.name, Key: itemKey("p", "s"), UpdateExpression: &expression, ConditionExpression: condition,
			ExpressionAttributeValues: values,
		})
		return err
	}
	one := item{":one": &number{Value: "1"}, ":zero": &number{Value: "0"}}
	for want := 1; want <= 3; want++ {
		require.NoError(t, update("SET n = if_not_exists(n, :zero) + :one", one, nil))
		require.Equal(t, itemOf("p", "s", want), tab.get(t, "p", "s"))
	}
	require.NoError(t, update("SET m = :three REMOVE n", item{":three": &number{Value: "3"}}, aws.String("n <= :three AND attribute_not_exists(m)")))
	var failed *types.ConditionalCheckFailedException
	require.ErrorAs(t, update("SET m = :one", item{":one": &number{Value: "1"}}, aws.String("n = :one")), &failed)
	require.Equal(t, item{"pk": &asText{Value: "p"}, "sk": &asText{Value: "s"}, "m": &number{Value: "3"}}, tab.get(t, "p", "s"))
}

func TestDynamoDBQuery(t *testing.T) {
	t.Parallel()
	tab := setupTable(t)
	for _, pk := range []string{"o", "p", "pp"} {
		for i, sk := range []string{"a", "a1", "a2", "b", "c"} {
			tab.put(t, itemOf(pk, sk, i))
		}
	}
	for condition, want := range map[string][]string{
		"pk = :p":                         {"a", "a1", "a2", "b", "c"},
		"pk = :p AND begins_with(sk, :a)": {"a", "a1", "a2"},
	} {
		values := item{":p": &asText{Value: "p"}}
		if strings.Contains(condition, ":a") {
			values[":a"] = &asText{Value: "a"}
		}
		require.Equal(t, want, tab.query(t, condition, values))
	}
	scanned, err := tab.Scan(t.Context(), &dynamodb.ScanInput{TableName: &tab.name})
	require.NoError(t, err)
	require.Len(t, scanned.Items, 15)
}

// A page ends at 1 MB.
func TestDynamoDBQueryPages(t *testing.T) {
	t.Parallel()
	tab := setupTable(t)
	for i := range 4 {
		large := itemOf("p", strconv.Itoa(i), i)
		large["v"] = &asText{Value: strings.Repeat("x", 390<<10)}
		tab.put(t, large)
	}
	condition, values := "pk = :p", item{":p": &asText{Value: "p"}}
	out, err := tab.Query(t.Context(), &dynamodb.QueryInput{TableName: &tab.name, KeyConditionExpression: &condition, ExpressionAttributeValues: values})
	require.NoError(t, err)
	require.NotNil(t, out.LastEvaluatedKey)
	require.Equal(t, []string{"0", "1", "2", "3"}, tab.query(t, condition, values))
}

// query returns the sort keys of all pages, and checks the projection.
func (tab *table) query(t *testing.T, condition string, values item) (keys []string) {
	t.Helper()
	pages := dynamodb.NewQueryPaginator(tab, &dynamodb.QueryInput{
		TableName: &tab.name, KeyConditionExpression: &condition, ProjectionExpression: aws.String("sk, n"), ExpressionAttributeValues: values,
	})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		require.NoError(t, err)
		for _, i := range page.Items {
			require.Len(t, i, 2)
			keys = append(keys, i["sk"].(*asText).Value)
		}
	}
	return keys
}

func TestDynamoDBErrors(t *testing.T) {
	t.Parallel()
	tab := setupTable(t)
	_, err := tab.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String(uniqueName("none")), Key: itemKey("p", "s")})
	var missing *types.ResourceNotFoundException
	require.ErrorAs(t, err, &missing)

	v := item{":v": &number{Value: "1"}}
	for name, in := range map[string]*dynamodb.PutItemInput{
		"no sort key":     {Item: item{"pk": &asText{Value: "p"}}},
		"empty key":       {Item: itemKey("", "s")},
		"bad number":      {Item: item{"pk": &asText{Value: "p"}, "sk": &asText{Value: "s"}, "n": &number{Value: "x"}}},
		"syntax":          {Item: itemKey("p", "s"), ConditionExpression: aws.String("n = "), ExpressionAttributeValues: v},
		"reserved word":   {Item: itemKey("p", "s"), ConditionExpression: aws.String("state = :v"), ExpressionAttributeValues: v},
		"undefined value": {Item: itemKey("p", "s"), ConditionExpression: aws.String("n = :w"), ExpressionAttributeValues: v},
		"undefined name":  {Item: itemKey("p", "s"), ConditionExpression: aws.String("#n = :v"), ExpressionAttributeValues: v},
		"unused value":    {Item: itemKey("p", "s"), ConditionExpression: aws.String("attribute_not_exists(n)"), ExpressionAttributeValues: v},
		"unused name":     {Item: itemKey("p", "s"), ConditionExpression: aws.String("n = :v"), ExpressionAttributeValues: v, ExpressionAttributeNames: map[string]string{"#n": "n"}},
		"values alone":    {Item: itemKey("p", "s"), ExpressionAttributeValues: v},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in.TableName = &tab.name
			_, err := tab.PutItem(t.Context(), in)
			var fault smithy.APIError
			require.ErrorAs(t, err, &fault)
			require.Equal(t, "ValidationException", fault.ErrorCode())
		})
	}
}

func TestDynamoDBListTables(t *testing.T) {
	t.Parallel()
	tab := setupTable(t)
	listed, err := tab.ListTables(t.Context(), &dynamodb.ListTablesInput{})
	require.NoError(t, err)
	require.Contains(t, listed.TableNames, tab.name)
}
