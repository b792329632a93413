package expression

import "github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"

// validationError is DynamoDB's error for a request that makes no sense.
func validationError(format string, args ...any) error {
	return awsjson.Errorf("com.amazon.coral.validate#ValidationException", format, args...)
}

// unsupported refuses what DynamoDB knows and this package does not.
func unsupported(what string) error { return awsjson.Unsupported("DynamoDB", what) }
