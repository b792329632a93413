package conformance

import (
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

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

// table is a table with string keys pk and sk, and a client.
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

// createTable makes the same table somewhere else.
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
	full["text"], full["number"] = &asText{Value: "ü"}, &number{Value: "12.5"}
	full["yes"] = &types.AttributeValueMemberBOOL{Value: true}
	full["none"] = &types.AttributeValueMemberNULL{Value: true}
	full["raw"] = &types.AttributeValueMemberB{Value: []byte{0, 255}}
	full["set"] = &types.AttributeValueMemberSS{Value: []string{"a", "b"}}
	full["list"] = &types.AttributeValueMemberL{Value: []types.AttributeValue{&number{Value: "1"}, &asText{Value: ""}}}
	full["map"] = &types.AttributeValueMemberM{Value: item{"x": &asText{Value: "y"}}}
	tab.put(t, full)
	require.Equal(t, full, tab.get(t, "p", "s"))
	require.Nil(t, tab.get(t, "p", "other"))

	out, err := tab.GetItem(t.Context(), &dynamodb.GetItemInput{
		TableName: &tab.name, Key: itemKey("p", "s"),
		ProjectionExpression: aws.String("#t, yes"), ExpressionAttributeNames: map[string]string{"#t": "text"},
	})
	require.NoError(t, err)
	require.Equal(t, item{"text": full["text"], "yes": full["yes"]}, out.Item)

	deleted, err := tab.DeleteItem(t.Context(), &dynamodb.DeleteItemInput{TableName: &tab.name, Key: itemKey("p", "s"), ReturnValues: types.ReturnValueAllOld})
	require.NoError(t, err)
	require.Equal(t, full, deleted.Attributes)
	require.Nil(t, tab.get(t, "p", "s"))
}

func TestDynamoDBNumbersAreNormalised(t *testing.T) {
	t.Parallel()
	tab := setupTable(t)
	for sent, want := range map[string]string{"007": "7", "1.50": "1.5", "1e3": "1000", "-0": "0", "0.0010": "0.001"} {
		i := itemKey("p", "s")
		i["n"] = &number{Value: sent}
		tab.put(t, i)
		require.Equal(t, &number{Value: want}, tab.get(t, "p", "s")["n"], sent)
	}
}

// One of many who claim the same key at once gets it.
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
	require.Nil(t, failed.Item, "only if asked for")
}

func TestDynamoDBUpdate(t *testing.T) {
	t.Parallel()
	tab := setupTable(t)
	update := func(expression string, values item, condition *string, returns types.ReturnValue) (item, error) {
		out, err := tab.UpdateItem(t.Context(), &dynamodb.UpdateItemInput{
			TableName: &tab.name, Key: itemKey("p", "s"), UpdateExpression: &expression, ConditionExpression: condition,
			ExpressionAttributeValues: values, ReturnValues: returns,
		})
		if err != nil {
			return nil, err
		}
		return out.Attributes, nil
	}
	one := item{":one": &number{Value: "1"}, ":zero": &number{Value: "0"}}
	for want := 1; want <= 3; want++ {
		got, err := update("SET n = if_not_exists(n, :zero) + :one", one, nil, types.ReturnValueAllNew)
		require.NoError(t, err)
		require.Equal(t, itemOf("p", "s", want), got)
	}
	got, err := update("SET m = n REMOVE n", nil, aws.String("attribute_exists(pk)"), types.ReturnValueUpdatedOld)
	require.NoError(t, err)
	require.Equal(t, item{"n": &number{Value: "3"}}, got)
	_, err = update("SET m = :one", item{":one": &number{Value: "1"}}, aws.String("attribute_exists(n)"), types.ReturnValueNone)
	var failed *types.ConditionalCheckFailedException
	require.ErrorAs(t, err, &failed)
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
	for name, test := range map[string]struct {
		condition string
		values    item
		backwards bool
		want      []string
	}{
		"all":       {"pk = :p", nil, false, []string{"a", "a1", "a2", "b", "c"}},
		"backwards": {"pk = :p", nil, true, []string{"c", "b", "a2", "a1", "a"}},
		"one":       {"pk = :p AND sk = :a", item{":a": &asText{Value: "a"}}, false, []string{"a"}},
		"prefix":    {"pk = :p AND begins_with(sk, :a)", item{":a": &asText{Value: "a"}}, false, []string{"a", "a1", "a2"}},
		"between":   {"pk = :p AND sk BETWEEN :a AND :b", item{":a": &asText{Value: "a1"}, ":b": &asText{Value: "b"}}, false, []string{"a1", "a2", "b"}},
		"less":      {"pk = :p AND sk < :a", item{":a": &asText{Value: "a2"}}, false, []string{"a", "a1"}},
		"at least":  {"pk = :p AND sk >= :a", item{":a": &asText{Value: "b"}}, true, []string{"c", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			values := item{":p": &asText{Value: "p"}}
			for key, value := range test.values {
				values[key] = value
			}
			var got []string
			pages := dynamodb.NewQueryPaginator(tab, &dynamodb.QueryInput{
				TableName: &tab.name, KeyConditionExpression: &test.condition, ExpressionAttributeValues: values,
				ScanIndexForward: aws.Bool(!test.backwards), Limit: aws.Int32(2),
			})
			for pages.HasMorePages() {
				page, err := pages.NextPage(t.Context())
				require.NoError(t, err)
				require.LessOrEqual(t, len(page.Items), 2)
				for _, i := range page.Items {
					got = append(got, i["sk"].(*asText).Value)
				}
			}
			require.Equal(t, test.want, got)
		})
	}
}

func TestDynamoDBFilterAndScan(t *testing.T) {
	t.Parallel()
	tab := setupTable(t)
	for i := range 5 {
		tab.put(t, itemOf(fmt.Sprintf("p%d", i%2), strconv.Itoa(i), i))
	}
	out, err := tab.Query(t.Context(), &dynamodb.QueryInput{
		TableName: &tab.name, KeyConditionExpression: aws.String("pk = :p"), FilterExpression: aws.String("n IN (:two, :four) AND NOT n = :two"),
		ExpressionAttributeValues: item{":p": &asText{Value: "p0"}, ":two": &number{Value: "2"}, ":four": &number{Value: "4"}},
	})
	require.NoError(t, err)
	require.Equal(t, []item{itemOf("p0", "4", 4)}, out.Items)
	require.Equal(t, int32(3), out.ScannedCount)
	scanned, err := tab.Scan(t.Context(), &dynamodb.ScanInput{TableName: &tab.name, Select: types.SelectCount})
	require.NoError(t, err)
	require.Equal(t, int32(5), scanned.Count)
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
		"empty set":       {Item: item{"pk": &asText{Value: "p"}, "sk": &asText{Value: "s"}, "n": &types.AttributeValueMemberSS{Value: []string{}}}},
		"syntax":          {Item: itemKey("p", "s"), ConditionExpression: aws.String("n = "), ExpressionAttributeValues: v},
		"reserved word":   {Item: itemKey("p", "s"), ConditionExpression: aws.String("state = :v"), ExpressionAttributeValues: v},
		"undefined value": {Item: itemKey("p", "s"), ConditionExpression: aws.String("n = :w"), ExpressionAttributeValues: v},
		"undefined name":  {Item: itemKey("p", "s"), ConditionExpression: aws.String("#n = :v"), ExpressionAttributeValues: v},
		"unused value":    {Item: itemKey("p", "s"), ConditionExpression: aws.String("attribute_exists(n)"), ExpressionAttributeValues: v},
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

func TestDynamoDBDescriptions(t *testing.T) {
	t.Parallel()
	tab := setupTable(t)
	described, err := tab.DescribeTable(t.Context(), &dynamodb.DescribeTableInput{TableName: &tab.name})
	require.NoError(t, err)
	require.Equal(t, types.TableStatusActive, described.Table.TableStatus)
	require.Equal(t, "pk", *described.Table.KeySchema[0].AttributeName)
	require.Equal(t, "sk", *described.Table.KeySchema[1].AttributeName)
	require.WithinDuration(t, time.Now(), *described.Table.CreationDateTime, time.Minute)
	ttl, err := tab.DescribeTimeToLive(t.Context(), &dynamodb.DescribeTimeToLiveInput{TableName: &tab.name})
	require.NoError(t, err)
	require.Equal(t, types.TimeToLiveStatusEnabled, ttl.TimeToLiveDescription.TimeToLiveStatus)
	require.Equal(t, "expires_at", *ttl.TimeToLiveDescription.AttributeName)
	listed, err := tab.ListTables(t.Context(), &dynamodb.ListTablesInput{})
	require.NoError(t, err)
	require.Contains(t, listed.TableNames, tab.name)
}
