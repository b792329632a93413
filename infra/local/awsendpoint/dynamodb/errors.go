package dynamodb

import "github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"

// errorNamespace is the namespace of DynamoDB's errors.
const errorNamespace = "com.amazonaws.dynamodb.v20120810#"

func validationError(format string, args ...any) error {
	return awsjson.Errorf("com.amazon.coral.validate#ValidationException", format, args...)
}
