package iam

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/secretsmanager"
)

// operationInput contains the resources in the inputs of JSON operations.
type operationInput struct {
	QueueURL        string `json:"QueueUrl"`
	TableName       string
	StateMachineARN string `json:"stateMachineArn"`
	ExecutionARN    string `json:"executionArn"`
	Entries         []struct{ EventBusName string }
	SecretID        string `json:"SecretId"`
}

// operationRequests returns the permissions for an operation, by the header X-Amz-Target. Batch
// operations need the action of the single operation.
// https://docs.aws.amazon.com/service-authorization/latest/reference/
func (g *Guard) operationRequests(target string, body []byte) ([]Request, error) {
	service, operation, _ := strings.Cut(target, ".")
	var in operationInput
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, fmt.Errorf("the request cannot be read: %w", err)
	}
	p := g.deployment
	one := func(prefix, name, resource string) ([]Request, error) {
		return []Request{{Action: blueprint.Action(prefix + ":" + name), Resource: resource}}, nil
	}
	switch service {
	case "AmazonSQS":
		name := in.QueueURL[strings.LastIndexByte(in.QueueURL, '/')+1:]
		return one("sqs", strings.TrimSuffix(operation, "Batch"), strings.Join([]string{"arn", p.Partition, "sqs", p.Region, p.Account, name}, ":"))
	case "DynamoDB_20120810":
		return one("dynamodb", operation, strings.Join([]string{"arn", p.Partition, "dynamodb", p.Region, p.Account, "table/" + in.TableName}, ":"))
	case "AWSStepFunctions":
		return one("states", operation, firstNonEmpty(in.ExecutionARN, in.StateMachineARN, g.machine))
	case "AWSEvents":
		var requests []Request
		for _, e := range in.Entries {
			bus := strings.Join([]string{"arn", p.Partition, "events", p.Region, p.Account, "event-bus/" + e.EventBusName}, ":")
			requests = append(requests, Request{Action: blueprint.Action("events:" + operation), Resource: bus})
		}
		return requests, nil
	case "secretsmanager":
		return one("secretsmanager", operation, secretsmanager.ARN(in.SecretID))
	default:
		return one(strings.ToLower(service), operation, "*")
	}
}

// emailRequests returns the permission for sending a message, on the identity of the sender.
func (g *Guard) emailRequests(body []byte) ([]Request, error) {
	var in struct{ FromEmailAddress string }
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, fmt.Errorf("the request cannot be read: %w", err)
	}
	return []Request{{Action: "ses:SendEmail", Resource: g.deployment.MailIdentityARN(in.FromEmailAddress)}}, nil
}

// firstNonEmpty returns the first text that is not empty. The completion of a task contains a
// token instead of a state machine, and only one machine issues tokens.
func firstNonEmpty(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}
