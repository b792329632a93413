package dynamodb

import (
	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/dynamodb/expression"
)

// shapes is the namespace of DynamoDB's faults.
const shapes = "com.amazonaws.dynamodb.v20120810#"

func invalid(format string, args ...any) error {
	return awsjson.Errorf("com.amazon.coral.validate#ValidationException", format, args...)
}

// conditionFailed carries the item that failed the condition, if it was asked for.
func conditionFailed(current expression.Item, wanted string) error {
	fault := awsjson.Errorf(shapes+"ConditionalCheckFailedException", "The conditional request failed")
	if wanted == returnAllOld && current != nil {
		fault.Fields = map[string]any{"Item": current}
	}
	return fault
}

// oneOf refuses a value that is not among those allowed; "" stands for absent.
func oneOf(parameter, value string, allowed ...string) error {
	if value == "" {
		return nil
	}
	for _, a := range allowed {
		if value == a {
			return nil
		}
	}
	return invalid("Value '%s' at '%s' failed to satisfy constraint: Member must satisfy enum value set: %v", value, parameter, allowed)
}

// uncounted refuses to report what the local stack does not measure.
func uncounted(consumedCapacity, collectionMetrics string) error {
	if consumedCapacity != "" && consumedCapacity != returnNone {
		return awsjson.Unsupported(serviceName, "ReturnConsumedCapacity")
	}
	if collectionMetrics != "" && collectionMetrics != returnNone {
		return awsjson.Unsupported(serviceName, "ReturnItemCollectionMetrics")
	}
	return nil
}
