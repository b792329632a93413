package expression

import "github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"

// validationError is DynamoDB's error for an invalid request.
func validationError(format string, args ...any) error {
	return awsjson.Errorf("com.amazon.coral.validate#ValidationException", format, args...)
}

// unsupported returns the error for features of DynamoDB that this package does not implement.
func unsupported(what string) error {
	return validationError("the local DynamoDB does not implement %s", what)
}
