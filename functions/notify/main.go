// Command notify is the Lambda function that sends import events to webhooks and by e-mail.
package main

import (
	"context"

	"github.com/loadbay/loadbay/shared/aws/invoke"
	"github.com/loadbay/loadbay/shared/aws/lambdafn"
	"github.com/loadbay/loadbay/shared/aws/mail"
	"github.com/loadbay/loadbay/shared/aws/queue"
	"github.com/loadbay/loadbay/shared/aws/secrets"
	"github.com/loadbay/loadbay/shared/dbproxy"
	"github.com/loadbay/loadbay/shared/notify/outbound/webhook"
	"github.com/loadbay/loadbay/shared/step/notify"
)

type config struct {
	Webhooks webhook.Settings
	Secrets  secrets.Settings
	Mail     mail.Settings
	DBProxy  string `env:"LEDGER_FUNCTION,required"`
	Queue    string `env:"WEBHOOKS_QUEUE_URL,required"`
}

func main() { lambdafn.Run(build) }

func build(_ context.Context, fn *lambdafn.Function, c config) (lambdafn.Messages, error) {
	sender, err := webhook.NewSender(c.Webhooks.Config())
	if err != nil {
		return nil, err
	}
	step := notify.New(dbproxy.NewClient(invoke.Open(fn.AWS, c.DBProxy)), queue.Open(fn.AWS, c.Queue), secrets.NewWebhookSealer(fn.AWS, c.Secrets), sender, mail.Open(fn.AWS, c.Mail), fn.Metrics, fn.Log)
	return lambdafn.ForEachMessage(fn.Log, "event", func(ctx context.Context, m queue.EventMessage) error {
		if m.Call {
			return step.Call(ctx, m.Detail)
		}
		return step.Run(ctx, m.Detail)
	}).Acknowledge, nil
}
