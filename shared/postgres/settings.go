package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/organisation/settings"
)

// Settings returns the settings of the transaction's organisation, or zero settings if it has
// none.
func (db *DB) Settings(ctx context.Context, tx pgx.Tx) (settings.Settings, error) {
	return db.settings(ctx, tx, ``)
}

func (*DB) settings(ctx context.Context, tx pgx.Tx, lock string) (s settings.Settings, err error) {
	err = tx.QueryRow(ctx, `
		SELECT coalesce(review, ''), coalesce(mode, ''), coalesce(date_order, ''), coalesce(decimal_mark, ''), coalesce(encoding, ''),
			coalesce(time_zone, ''), coalesce(max_errors, ''), mail_domains, undo_days, coalesce(approval, ''), coalesce(guards, '{}'), import_options, updated_at, updated_by,
			(SELECT mail_domains FROM organisations WHERE id = organisation_id)
		FROM organisation_settings`+lock).
		Scan(&s.Review, &s.Mode, &s.DateOrder, &s.DecimalMark, &s.Encoding, &s.TimeZone, &s.MaxErrors, &s.MailDomains, &s.UndoDays, &s.Approval, &s.Guards, &s.StoredOptions, &s.UpdatedAt, &s.UpdatedBy, &s.ConfirmedDomains)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return s, fmt.Errorf("read settings: %w", err)
	}
	return s, nil
}

// UpdateSettings stores and returns the organisation's settings as modified by change.
// Concurrent updates wait for each other, so that none is lost.
func (db *DB) UpdateSettings(ctx context.Context, tx pgx.Tx, organisation tenant.ID, by string, change func(*settings.Settings) error) (s settings.Settings, err error) {
	if refused := db.checkActive(ctx, tx, organisation); refused != nil {
		return s, refused
	}
	_, err = tx.Exec(ctx, `INSERT INTO organisation_settings (organisation_id) VALUES ($1) ON CONFLICT (organisation_id) DO NOTHING`, organisation)
	if err != nil {
		return s, fmt.Errorf("encode settings of organisation %d: %w", organisation, err)
	}
	if s, err = db.settings(ctx, tx, ` FOR UPDATE`); err != nil {
		return s, err
	}
	if err := change(&s); err != nil {
		return s, err
	}
	err = tx.QueryRow(ctx, `
		UPDATE organisation_settings
		SET review = nullif($2, ''), mode = nullif($3, ''), date_order = nullif($4, ''), decimal_mark = nullif($5, ''), encoding = nullif($6, ''),
			time_zone = nullif($7, ''), max_errors = nullif($8, ''), mail_domains = $9, undo_days = $10, approval = nullif($12, ''), guards = nullif($13::jsonb, '{}'), import_options = jsonb_strip_nulls($14::jsonb),
			updated_at = now(), updated_by = $11
		WHERE organisation_id = $1
		RETURNING updated_at, updated_by`,
		organisation, s.Review, s.Mode, s.DateOrder, s.DecimalMark, s.Encoding, s.TimeZone, s.MaxErrors, orEmpty(s.MailDomains), s.UndoDays, by, s.Approval, s.Guards, s.StoredOptions).Scan(&s.UpdatedAt, &s.UpdatedBy)
	if err != nil {
		return s, fmt.Errorf("update settings of organisation %d: %w", organisation, err)
	}
	return s, nil
}
