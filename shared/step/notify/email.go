package notify

import (
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/organisation/settings"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// Emails records which recipients have been notified of an event by email.
type Emails interface {
	Job(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	Settings(ctx context.Context, tx pgx.Tx) (settings.Settings, error)
	ProfileRecipients(ctx context.Context, tx pgx.Tx, id job.ProfileID) ([]string, error)
	NotifiedAddresses(ctx context.Context, tx pgx.Tx, event job.EventID) ([]string, error)
	MarkMailSent(ctx context.Context, tx pgx.Tx, j *job.Job, event job.EventID, address, fault string) error
}

// Mailer sends messages. job.ErrMailRefused means that a message will never be accepted,
// regardless of retries.
type Mailer interface {
	Send(ctx context.Context, to, subject, text string) error
}

// sendEmails notifies all recipients of an event that the import or its profile names and that
// have not been notified yet.
func (s *Step) sendEmails(ctx context.Context, ref job.EventRef) error {
	letters, err := s.backend.PendingEmails(ctx, ref)
	if err != nil {
		return err
	}
	for _, l := range letters {
		err := s.mailer.Send(ctx, l.To, l.Subject, l.Text)
		fault, result := "", "sent"
		switch {
		case errors.Is(err, job.ErrMailRefused):
			s.log.WarnContext(ctx, "e-mail rejected", "error", err)
			fault, result = "REFUSED", "refused"
		case err != nil:
			return err
		}
		s.metrics.Count("mails", 1, telemetry.Dimension{Name: "result", Value: result})
		if err := s.backend.RecordEmail(ctx, ref, l.To, fault); err != nil {
			return err
		}
	}
	return nil
}

// PendingEmails implements Backend. Addresses are skipped if the organisation's settings no
// longer allow their domain.
func (b *StoreBackend) PendingEmails(ctx context.Context, ref job.EventRef) (letters []Email, err error) {
	err = b.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error {
		letters = nil
		j, e, open, err := b.pendingRecipients(ctx, tx, ref)
		for _, address := range open {
			subject, text := emailContent(j, e)
			letters = append(letters, Email{To: address, Subject: subject, Text: text})
		}
		return err
	})
	return letters, err
}

// RecordEmail implements Backend.
func (b *StoreBackend) RecordEmail(ctx context.Context, ref job.EventRef, address, fault string) error {
	return b.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error {
		e, err := b.store.Event(ctx, tx, ref.EventID)
		if isNotFound(err) {
			return nil // the job and its data have been purged in the meantime
		}
		if err != nil {
			return err
		}
		j, err := b.store.Job(ctx, tx, e.JobID)
		if err != nil {
			return err
		}
		return b.store.MarkMailSent(ctx, tx, j, ref.EventID, address, fault)
	})
}

// pendingRecipients returns the recipients of an event. Webhook tests have no event, and an
// event that no longer exists was deleted with its job.
func (b *StoreBackend) pendingRecipients(ctx context.Context, tx pgx.Tx, ref job.EventRef) (j *job.Job, e *job.Event, open []string, err error) {
	if e, err = b.store.Event(ctx, tx, ref.EventID); isNotFound(err) {
		return nil, nil, nil, nil
	}
	if err != nil {
		return nil, nil, nil, err
	}
	if j, err = b.store.Job(ctx, tx, e.JobID); err != nil {
		return nil, nil, nil, err
	}
	named, err := b.recipients(ctx, tx, j)
	if err != nil || len(named) == 0 {
		return j, e, nil, err
	}
	own, err := b.store.Settings(ctx, tx)
	if err != nil {
		return nil, nil, nil, err
	}
	notified, err := b.store.NotifiedAddresses(ctx, tx, ref.EventID)
	for _, address := range named {
		if own.AllowsRecipient(address) && !slices.Contains(notified, address) && !slices.Contains(open, address) {
			open = append(open, address)
		}
	}
	return j, e, open, err
}

// recipients returns the recipients that an import names, and those that its profile names now:
// addresses removed from the profile are no longer notified.
func (b *StoreBackend) recipients(ctx context.Context, tx pgx.Tx, j *job.Job) ([]string, error) {
	if j.Profile == nil || j.Profile.ID == "" {
		return j.Notify, nil
	}
	more, err := b.store.ProfileRecipients(ctx, tx, j.Profile.ID)
	return slices.Concat(j.Notify, more), err
}
