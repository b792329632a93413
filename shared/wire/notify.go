package wire

import (
	"context"
	"fmt"
	"net/netip"
	"net/url"

	"github.com/aws/aws-lambda-go/events"

	"github.com/loadbay/loadbay/shared/aws/queue"
	"github.com/loadbay/loadbay/shared/outbound"
	"github.com/loadbay/loadbay/shared/outbound/webhook"
	"github.com/loadbay/loadbay/shared/step/notify"
)

// webhookSettings say which addresses webhooks may have.
type webhookSettings struct {
	// Local also permits servers of this machine, without TLS: for tests and for
	// trying webhooks out.
	Local    bool   `env:"WEBHOOKS_LOCAL"`
	Endpoint string `env:"AWS_ENDPOINT_URL"`
}

// Validate refuses to permit this machine's servers anywhere but beside an AWS
// endpoint that is on this machine itself: on AWS there is none.
func (s *webhookSettings) Validate() error {
	if !s.Local {
		return nil
	}
	u, err := url.Parse(s.Endpoint)
	if err == nil {
		var host netip.Addr
		if host, err = netip.ParseAddr(u.Hostname()); err == nil && host.IsLoopback() {
			return nil
		}
	}
	return fmt.Errorf("WEBHOOKS_LOCAL is only for the local stack: AWS_ENDPOINT_URL is no address of this machine")
}

func (s *webhookSettings) config() webhook.Config {
	c := webhook.DefaultConfig()
	if s.Local {
		c.Permits = func(a netip.Addr) bool { return a.Unmap().IsLoopback() || outbound.Public(a) }
		c.Schemes = append(c.Schemes, "http")
	}
	return c
}

// webhooks is what the API has to do with webhooks.
type webhooks struct {
	webhook.Config
	*queue.Queue
}

// Notify builds the notify function.
func Notify(ctx context.Context, env *Environment) (Handler[events.SQSEvent, events.SQSEventResponse], error) {
	var c struct {
		Database databaseSettings
		Webhooks webhookSettings
	}
	_, db, err := env.open(ctx, &c, &c.Database)
	if err != nil {
		return nil, err
	}
	sender, err := webhook.NewSender(c.Webhooks.config())
	if err != nil {
		return nil, err
	}
	step := notify.New(db, sender, env.Metrics, env.Log)
	run := func(ctx context.Context, m queue.EventMessage) error { return step.Run(ctx, m.Detail) }
	return eachMessage(env.Log, "event", isEvent, run), nil
}

func isEvent(m queue.EventMessage) bool {
	return m.Detail.EventID != "" && m.Detail.OrganisationID != 0
}
