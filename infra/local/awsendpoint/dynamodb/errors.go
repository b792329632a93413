package dynamodb

import (
	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/dynamodb/expression"
)

// errorNamespace is the namespace of DynamoDB's faults.
const errorNamespace = "com.amazonaws.dynamodb.v20120810#"

func validationError(format string, args ...any) error {
	return awsjson.Errorf("com.amazon.coral.validate#ValidationException", format, args...)
}

// conditionFailed carries the item that failed the condition, if it was asked for.
func conditionFailed(current expression.Item, wanted string) error {
	fault := awsjson.Errorf(errorNamespace+"ConditionalCheckFailedException", "The conditional request failed")
	if wanted == returnAllOld && current != nil {
		fault.Fields = map[string]any{"Item": current}
	}
	return fault
}

// checkEnum refuses a value that is not among those allowed; "" stands for absent.
func checkEnum(parameter, value string, allowed ...string) error {
	if value == "" {
		return nil
	}
	for _, a := range allowed {
		if value == a {
			return nil
		}
	}
	return validationError("Value '%s' at '%s' failed to satisfy constraint: Member must satisfy enum value set: %v", value, parameter, allowed)
}

// refuseMetrics refuses to report what the local stack does not measure.
func refuseMetrics(consumedCapacity, collectionMetrics string) error {
	if consumedCapacity != "" && consumedCapacity != returnNone {
		return awsjson.Unsupported(serviceName, "ReturnConsumedCapacity")
	}
	if collectionMetrics != "" && collectionMetrics != returnNone {
		return awsjson.Unsupported(serviceName, "ReturnItemCollectionMetrics")
	}
	return nil
}
