package stack

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/iam"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/s3"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sqs"
	"github.com/loadbay/loadbay/infra/local/lambdahost"
	"github.com/loadbay/loadbay/infra/statemachine"
)

// keysFile contains the key from which the secrets of the roles are derived.
const keysFile = "iam.key"

// openAuthorizer gives every role its access keys and its AWS policy.
func (s *Stack) openAuthorizer(context.Context) error {
	var err error
	if s.keys, err = iam.OpenKeys(s.config.path(keysFile)); err != nil {
		return err
	}
	uses, err := os.OpenFile(s.config.path(UsesFile), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("open record of role permissions: %w", err)
	}
	s.onStop(func(context.Context) error { return uses.Close() })
	place, b := blueprint.LocalDeployment(), s.config.Blueprint
	c := iam.Config{
		Keys: s.keys, AccessKey: s3.AccessKey, SecretKey: s3.SecretKey, Deployment: place,
		Roles: map[string]blueprint.Policy{}, Resources: map[string]blueprint.Policy{},
		Record: func(u iam.Use) {
			if _, err := fmt.Fprintln(uses, u); err != nil {
				s.config.Logger.Error("record role permission", "use", u, "error", err)
			}
		},
	}
	for _, f := range b.Functions {
		c.Roles[f.Name] = b.RolePolicy(f, place)
	}
	c.Roles[iam.Workflow] = b.WorkflowPolicy(statemachine.Functions(), place)
	for _, q := range b.Queues {
		c.Resources[place.QueueARN(q.Name)] = b.QueuePolicy(q.Name, place)
	}
	c.Resources[place.BucketARN(b.Bucket.Name)] = b.BucketPolicy(place)
	s.authorizer, err = iam.New(c)
	return err
}

// guard passes on only requests that the caller is allowed to make.
func (s *Stack) guard(endpoint http.Handler) http.Handler {
	return s.authorizer.Guard(endpoint, sfn.MachineARN(s.resources.StateMachine.Name), func(ctx context.Context, bucket, key string) (bool, error) {
		return s.objects.HasTags(ctx, bucket, key)
	})
}

// authorizePolling checks, as AWS does when a queue is mapped to a function, whether the
// function's role may read the queue.
func (s *Stack) authorizePolling(source blueprint.EventSource) error {
	for _, action := range []blueprint.Action{"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"} {
		if err := s.authorizer.AuthorizeRole(source.Function, action, sqs.ARN(source.Queue)); err != nil {
			return fmt.Errorf("receive messages of %s for %s: %w", source.Queue, source.Function, err)
		}
	}
	return nil
}

// rolePoller polls queues for Lambda with the function's role. Changing the visibility of
// messages is specific to the local stack (sqssource).
type rolePoller struct {
	*sqs.Service
	authorizer *iam.Authorizer
	function   string
}

// Receive waits for messages.
func (p rolePoller) Receive(ctx context.Context, queue string, most int, visibility, wait time.Duration) ([]sqs.Message, error) {
	if err := p.authorizer.AuthorizeRole(p.function, "sqs:ReceiveMessage", sqs.ARN(queue)); err != nil {
		return nil, err
	}
	return p.Service.Receive(ctx, queue, most, visibility, wait)
}

// Delete deletes a message that was received.
func (p rolePoller) Delete(queue, receiptHandle string) error {
	if err := p.authorizer.AuthorizeRole(p.function, "sqs:DeleteMessage", sqs.ARN(queue)); err != nil {
		return err
	}
	return p.Service.Delete(queue, receiptHandle)
}

// roleInvoker invokes functions for Step Functions with the state machine's role.
type roleInvoker struct {
	*lambdahost.Host
	authorizer *iam.Authorizer
}

// Invoke runs a function, given by its ARN.
func (w roleInvoker) Invoke(ctx context.Context, function string, payload []byte) (output []byte, functionError string, err error) {
	if err := w.authorizer.AuthorizeRole(iam.Workflow, "lambda:InvokeFunction", function); err != nil {
		return nil, "", awsjson.Errorf("AccessDeniedException", "%v", err)
	}
	return w.Host.Invoke(ctx, function, payload)
}

// ruleSender sends events to queues for EventBridge, according to the rules of the bus.
type ruleSender struct{ *Stack }

// Send sends an event to the queue of a rule.
func (r ruleSender) Send(queue, body string) (id string, err error) {
	place, b := blueprint.LocalDeployment(), r.config.Blueprint
	for _, rule := range b.EventBus.Rules {
		if place.Name(rule.Queue) != queue {
			continue
		}
		if err := r.authorizer.AuthorizeService(blueprint.EventsService, "sqs:SendMessage", sqs.ARN(queue), place.RuleARN(b.EventBus.Name, rule.Name)); err != nil {
			return "", err
		}
	}
	return r.queues.Send(queue, body)
}
