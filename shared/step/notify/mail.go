package notify

import (
	"context"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/settings"
	"github.com/loadbay/loadbay/shared/telemetry"
)

// Mails keeps who has been told of an event by mail.
type Mails interface {
	Job(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	Settings(ctx context.Context, tx pgx.Tx) (settings.Settings, error)
	ToldByProfile(ctx context.Context, tx pgx.Tx, id job.ProfileID) ([]string, error)
	MailsSent(ctx context.Context, tx pgx.Tx, event job.EventID) ([]string, error)
	MailSent(ctx context.Context, tx pgx.Tx, j *job.Job, event job.EventID, address, fault string) error
}

// Mailer sends messages. job.ErrMailRefused: one will not be sent, however often it is
// tried.
type Mailer interface {
	Send(ctx context.Context, to, subject, text string) error
}

// mail tells everybody of an event whom the import or its profile names, and who has not
// been told. Nobody is told whose domain the organisation's settings do not have any more.
func (s *Step) mail(ctx context.Context, ref job.EventRef) error {
	var j *job.Job
	var e *job.Event
	var open []string
	err := s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		j, e, open, err = s.unmailed(ctx, tx, ref)
		return err
	})
	if err != nil {
		return err
	}
	for _, address := range open {
		subject, text := letter(j, e)
		err := s.mailer.Send(ctx, address, subject, text)
		fault, result := "", "sent"
		switch {
		case errors.Is(err, job.ErrMailRefused):
			s.log.WarnContext(ctx, "mail refused", "error", err)
			fault, result = "REFUSED", "refused"
		case err != nil:
			return err
		}
		s.metrics.Count("mails", 1, telemetry.Dimension{Name: "result", Value: result})
		err = s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error {
			return s.store.MailSent(ctx, tx, j, ref.EventID, address, fault)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// unmailed finds who is to be told of an event. Tests of webhooks have no event, and an
// event that is gone went with its job.
func (s *Step) unmailed(ctx context.Context, tx pgx.Tx, ref job.EventRef) (j *job.Job, e *job.Event, open []string, err error) {
	if e, err = s.store.Event(ctx, tx, ref.EventID); missing(err) {
		return nil, nil, nil, nil
	}
	if err != nil {
		return nil, nil, nil, err
	}
	if j, err = s.store.Job(ctx, tx, e.JobID); err != nil {
		return nil, nil, nil, err
	}
	named, err := s.named(ctx, tx, j)
	if err != nil || len(named) == 0 {
		return j, e, nil, err
	}
	own, err := s.store.Settings(ctx, tx)
	if err != nil {
		return nil, nil, nil, err
	}
	told, err := s.store.MailsSent(ctx, tx, ref.EventID)
	for _, address := range named {
		if own.MayBeTold(address) && !slices.Contains(told, address) && !slices.Contains(open, address) {
			open = append(open, address)
		}
	}
	return j, e, open, err
}

// named are those whom an import names, and those whom the profile that it is read by
// names now: who has been taken out there is not told any more.
func (s *Step) named(ctx context.Context, tx pgx.Tx, j *job.Job) ([]string, error) {
	if j.Profile == nil || j.Profile.ID == "" {
		return j.Notify, nil
	}
	more, err := s.store.ToldByProfile(ctx, tx, j.Profile.ID)
	return slices.Concat(j.Notify, more), err
}
