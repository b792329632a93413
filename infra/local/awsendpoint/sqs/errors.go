package sqs

import (
	"fmt"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
)

const serviceName = "SQS"

// Error codes of SQS, as named by its query protocol. SDKs still read
// them from x-amzn-query-error.
const (
	codeQueueDoesNotExist = "AWS.SimpleQueueService.NonExistentQueue"
	codeEmptyBatch        = "AWS.SimpleQueueService.EmptyBatchRequest"
	codeBigBatch          = "AWS.SimpleQueueService.TooManyEntriesInBatchRequest"
	codeSameIDs           = "AWS.SimpleQueueService.BatchEntryIdsNotDistinct"
	codeBadID             = "AWS.SimpleQueueService.InvalidBatchEntryId"
	codeLongBatch         = "AWS.SimpleQueueService.BatchRequestTooLong"
	codeNotInFlight       = "AWS.SimpleQueueService.MessageNotInflight"
	codePurging           = "AWS.SimpleQueueService.PurgeQueueInProgress"
	codeUnsupported       = "AWS.SimpleQueueService.UnsupportedOperation"
	codeHandle            = "ReceiptHandleIsInvalid"
	codeContents          = "InvalidMessageContents"
	codeAttributeName     = "InvalidAttributeName"
	codeValue             = "InvalidParameterValue"
	codeMissing           = "MissingParameter"

	codeAttributeValue = "InvalidAttributeValue"
)

// jsonErrorType returns the name of the error in the JSON protocol.
func jsonErrorType(code string) string {
	switch code {
	case codeQueueDoesNotExist:
		return "com.amazonaws.sqs#QueueDoesNotExist"
	case codeValue:
		return "com.amazon.coral.service#InvalidParameterValueException"
	case codeMissing:
		return "com.amazon.coral.service#MissingRequiredParameterException"
	}
	const old = "AWS.SimpleQueueService."
	if len(code) > len(old) && code[:len(old)] == old {
		code = code[len(old):]
	}
	return "com.amazonaws.sqs#" + code
}

func newError(code, format string, args ...any) *awsjson.Error {
	return &awsjson.Error{Code: jsonErrorType(code), Message: fmt.Sprintf(format, args...), Query: code + ";Sender"}
}

func queueNotFound() error {
	return newError(codeQueueDoesNotExist, "The specified queue does not exist.")
}

func missingParameter(parameter string) error {
	return newError(codeMissing, "The request must contain the parameter %s.", parameter)
}

func invalidValue(parameter string, value any, reason string) error {
	return newError(codeValue, "Value %v for parameter %s is invalid. Reason: %s.", value, parameter, reason)
}

func unsupported(what string) error {
	refusal := awsjson.Unsupported(serviceName, what)
	refusal.Query = codeUnsupported + ";Sender"
	return refusal
}
