// Package mail sends plain-text e-mails with Amazon SES.
//
// Tested by infra/tests/conformance: sending to the local endpoint.
package mail

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sesv2"
	"github.com/aws/aws-sdk-go-v2/service/sesv2/types"

	"github.com/loadbay/loadbay/shared/job"
)

// Settings configures the sender.
type Settings struct {
	// From is an address from which SES may send; "": no mail is sent.
	From string `env:"MAIL_FROM"`
}

// Sender sends messages from one address.
type Sender struct {
	client *sesv2.Client
	from   string
}

// Open returns a sender.
func Open(c aws.Config, s Settings) *Sender {
	return &Sender{client: sesv2.NewFromConfig(c), from: s.From}
}

// Send sends an e-mail to one address. job.ErrMailRefused means that retries are
// pointless.
func (s *Sender) Send(ctx context.Context, to, subject, text string) error {
	if s.from == "" {
		return fmt.Errorf("%w: this installation has no sender address", job.ErrMailRefused)
	}
	plain := func(s string) *types.Content { return &types.Content{Data: &s, Charset: aws.String("UTF-8")} }
	_, err := s.client.SendEmail(ctx, &sesv2.SendEmailInput{
		FromEmailAddress: &s.from,
		Destination:      &types.Destination{ToAddresses: []string{to}},
		Content: &types.EmailContent{Simple: &types.Message{
			Subject: plain(subject), Body: &types.Body{Text: plain(text)},
			// Suppresses automatic replies: RFC 3834.
			Headers: []types.MessageHeader{{Name: aws.String("Auto-Submitted"), Value: aws.String("auto-generated")}},
		}},
	})
	var rejected *types.MessageRejected
	var invalid *types.BadRequestException
	if errors.As(err, &rejected) || errors.As(err, &invalid) {
		return fmt.Errorf("%w: %w", job.ErrMailRefused, err)
	}
	if err != nil {
		return fmt.Errorf("send mail: %w", err)
	}
	return nil
}
