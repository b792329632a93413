// Command notify is the Lambda function that sends the events of imports to webhooks, and mails about them.
package main

import (
	"context"

	"github.com/loadbay/loadbay/shared/aws/mail"
	"github.com/loadbay/loadbay/shared/aws/objectstore"
	"github.com/loadbay/loadbay/shared/aws/queue"
	"github.com/loadbay/loadbay/shared/aws/rds"
	"github.com/loadbay/loadbay/shared/aws/secrets"
	"github.com/loadbay/loadbay/shared/lambdafn"
	"github.com/loadbay/loadbay/shared/outbound/webhook"
	"github.com/loadbay/loadbay/shared/output/dropresult"
	"github.com/loadbay/loadbay/shared/step/notify"
)

type settings struct {
	Database rds.Settings
	Webhooks webhook.Settings
	Secrets  secrets.Settings
	Mail     mail.Settings
	Bucket   objectstore.Settings
}

func main() { lambdafn.Run(build) }

func build(ctx context.Context, fn *lambdafn.Function, c settings) (lambdafn.Messages, error) {
	db, err := rds.Open(ctx, fn.AWS, c.Database)
	if err != nil {
		return nil, err
	}
	sender, err := webhook.NewSender(c.Webhooks.Config())
	if err != nil {
		return nil, err
	}
	step := notify.New(db, secrets.Open(fn.AWS, c.Secrets), sender, mail.Open(fn.AWS, c.Mail), dropresult.New(db, objectstore.Open(fn.AWS, c.Bucket)), fn.Metrics, fn.Log)
	return lambdafn.EachMessage(fn.Log, "event", func(ctx context.Context, m queue.EventMessage) error { return step.Run(ctx, m.Detail) }), nil
}
