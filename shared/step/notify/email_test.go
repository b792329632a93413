package notify_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/profile"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// mailbox is a mail service that refuses some addresses.
type mailbox struct {
	emails  []email
	failing error  // returned for all addresses
	refused string // the one address refused
}

type email struct{ to, subject, text string }

func (m *mailbox) Send(_ context.Context, to, subject, text string) error {
	switch {
	case m.failing != nil:
		return m.failing
	case to == m.refused:
		return fmt.Errorf("%w: suppressed", job.ErrMailRefused)
	}
	m.emails = append(m.emails, email{to, subject, text})
	return nil
}

func (m *mailbox) recipients() (out []string) {
	for _, l := range m.emails {
		out = append(out, l.to)
	}
	return out
}

// endedEvent adds an import that has ended and notifies these addresses, and returns its event.
func (w *harness) endedEvent(t *testing.T, assignments string, to job.Status, notify ...string) job.EventRef {
	t.Helper()
	j := w.AddJob(t, `status = 'PROCESSING', label = 'July', total_rows = 10, created_count = 7, error_count = 3, `+assignments)
	w.Exec(t, `UPDATE import_jobs SET notify = $2 WHERE id = $1`, j.Key, append([]string{}, notify...))
	require.NoError(t, w.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		_, _, err := w.DB.Transition(t.Context(), tx, j.Key, job.Transition{To: to})
		return err
	}))
	return job.EventRef{EventID: postgrestest.Query[job.EventID](t, w.Database, `SELECT uuid::text FROM job_events WHERE job_id = $1`, j.Key), OrganisationID: 1}
}

// allowDomains sets the allowed recipient domains.
func (w *harness) allowDomains(t *testing.T, names ...string) {
	t.Helper()
	w.Exec(t, `INSERT INTO organisation_settings (organisation_id, mail_domains) VALUES (1, $1) ON CONFLICT (organisation_id) DO UPDATE SET mail_domains = $1`, names)
	w.Exec(t, `UPDATE organisations SET mail_domains = $1 WHERE id = 1`, names)
}

func TestRecipientGetsEmailOnce(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.allowDomains(t, "example.org", "example.net")
	ref := w.endedEvent(t, "dry_run = false", job.Completed, "ada@example.org", "ben@Example.NET", "ada@example.org")
	for range 3 {
		require.NoError(t, w.step.Run(t.Context(), ref), "repeated messages send one e-mail")
	}
	require.Equal(t, []string{"ada@example.org", "ben@Example.NET"}, w.mailbox.recipients())
	first := w.mailbox.emails[0]
	require.Equal(t, "An import was completed with errors: July: users.csv", first.subject)
	for _, part := range []string{"July: users.csv (USER)", "        rows  10\r\n", "with errors  3\r\n", "error workbook"} {
		require.Contains(t, first.text, part)
	}
	require.NotContains(t, first.text, "skipped")
	require.False(t, slices.ContainsFunc(strings.Split(first.text, "\r\n"), func(line string) bool { return strings.Contains(line, "\n") }), "lines end with CRLF")
	require.Empty(t, w.sent, "no webhook is registered")
}

func TestUnconfirmedDomainGetsNoMail(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.allowDomains(t, "example.org", "example.net")
	w.Exec(t, `UPDATE organisations SET mail_domains = '{example.net}' WHERE id = 1`)
	ref := w.endedEvent(t, "dry_run = false", job.Completed, "ada@example.org", "ben@example.net")
	require.NoError(t, w.step.Run(t.Context(), ref))
	require.Equal(t, []string{"ben@example.net"}, w.mailbox.recipients())
}

// TestProfileRecipientsGetEmail: recipients are read from the profile when the event is sent.
// They get one email even if the import names them too, and none if their domain is no longer
// allowed.
func TestProfileRecipientsGetEmail(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.allowDomains(t, "example.org")
	service := profile.New(w.DB, catalog.New(), true)
	caller := profile.Caller{Organisation: 1, Name: "test"}
	p, err := service.Create(t.Context(), caller, profile.Draft{ImportType: "USER", Name: "Shop", Mapping: []byte(`{}`), Notify: []string{"cleo@example.org", "ada@example.org"}})
	require.NoError(t, err)
	recipients := func(read bool, notify ...string) []string {
		t.Helper()
		ref := w.endedEvent(t, "dry_run = false", job.Completed, notify...)
		if read {
			w.Exec(t, `UPDATE import_jobs SET profile_id = $2, profile_name = 'Shop', profile_version = 1 WHERE id = (SELECT job_id FROM job_events WHERE uuid = $1)`, ref.EventID, p.ID)
		}
		w.mailbox.emails = nil
		for range 2 {
			require.NoError(t, w.step.Run(t.Context(), ref), "repeated messages send one e-mail")
		}
		return w.mailbox.recipients()
	}
	require.Equal(t, []string{"ada@example.org", "ben@example.org", "cleo@example.org"}, recipients(true, "ada@example.org", "ben@example.org"))
	require.Equal(t, []string{"cleo@example.org", "ada@example.org"}, recipients(true))
	require.Equal(t, []string{"ben@example.org"}, recipients(false, "ben@example.org"))
	require.Empty(t, recipients(false))

	_, err = service.Update(t.Context(), caller, p.ID, 1, profile.Update{Notify: []string{"ada@example.org"}})
	require.NoError(t, err)
	require.Equal(t, []string{"ada@example.org"}, recipients(true), "removed recipients get no e-mail, even for running imports")
	w.allowDomains(t, "example.com")
	require.Empty(t, recipients(true))
}

// The holder of a token cannot send email to strangers, and removing a domain takes effect
// immediately.
func TestEmailOnlyToOwnDomains(t *testing.T) {
	t.Parallel()
	w := setup(t)
	ref := w.endedEvent(t, "dry_run = true", job.Failed, "ada@example.org")
	require.NoError(t, w.step.Run(t.Context(), ref))
	require.Empty(t, w.mailbox.emails, "without settings no domain is allowed")
	w.allowDomains(t, "example.com")
	require.NoError(t, w.step.Run(t.Context(), ref))
	require.Empty(t, w.mailbox.emails)
	w.allowDomains(t, "example.org")
	require.NoError(t, w.step.Run(t.Context(), ref))
	require.Equal(t, []string{"ada@example.org"}, w.mailbox.recipients())
	require.Contains(t, w.mailbox.emails[0].text, "dry run")
}

func TestFailedEmailIsRetriedRefusedIsNot(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.register(t)
	w.allowDomains(t, "example.org")
	ref := w.endedEvent(t, "dry_run = false", job.Cancelled, "gone@example.org", "ada@example.org")
	w.mailbox.failing = errors.New("throttled")
	require.ErrorContains(t, w.step.Run(t.Context(), ref), "throttled")
	require.Len(t, w.sent, 1, "the webhook is called despite the failed e-mail")
	w.mailbox.failing, w.mailbox.refused = nil, "gone@example.org"
	require.NoError(t, w.step.Run(t.Context(), ref))
	require.Equal(t, []string{"ada@example.org"}, w.mailbox.recipients())
	w.mailbox.refused = ""
	require.NoError(t, w.step.Run(t.Context(), ref))
	require.Len(t, w.mailbox.emails, 1, "a refused e-mail is not retried")
	require.Len(t, w.sent, 1)
	require.Equal(t, "REFUSED", postgrestest.Query[string](t, w.Database, `SELECT fault FROM event_mails WHERE address = 'gone@example.org'`))
	require.NotContains(t, w.log.String(), "example.org", "logs contain no e-mail addresses")
}

func TestEmailForEveryStatus(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.allowDomains(t, "example.org")
	for status, says := range map[job.Status]string{
		job.Failed: "An import has failed: July", job.Cancelled: "An import was cancelled: July", job.CellMapping: "An import needs your input: July",
	} {
		require.NoError(t, w.step.Run(t.Context(), w.endedEvent(t, "dry_run = false", status, "ada@example.org")))
		require.Contains(t, w.mailbox.emails[len(w.mailbox.emails)-1].subject, says)
	}
}
