package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/organisation/quota"
)

// TakeSlot takes one of the organisation's slots; uuid.Nil if all are taken.
func (db *DB) TakeSlot(ctx context.Context, tx pgx.Tx, organisation tenant.ID, s quota.Slot) (uuid.UUID, error) {
	return db.takeSlot(ctx, tx, organisation, s, uuid.New())
}

// takeSlot takes a slot under an ID, which keeps a slot that it has.
func (db *DB) takeSlot(ctx context.Context, tx pgx.Tx, organisation tenant.ID, s quota.Slot, id uuid.UUID) (uuid.UUID, error) {
	if err := db.lockSlots(ctx, tx, organisation); err != nil {
		return uuid.Nil, err
	}
	taken, err := anyAffected(tx.Exec(ctx, `
		INSERT INTO stream_slots (id, organisation_id, kind, expires_at)
		SELECT $1, $2, $3, now() + make_interval(secs => $4)
		WHERE (SELECT count(*) FROM stream_slots WHERE organisation_id = $2 AND kind = $3 AND id <> $1) < $5
		ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at`,
		id, organisation, s.Name, s.Lifetime.Seconds(), s.Most))
	if err != nil {
		return uuid.Nil, fmt.Errorf("take %s slot of organisation %d: %w", s.Name, organisation, err)
	}
	if !taken {
		return uuid.Nil, nil
	}
	return id, nil
}

// lockSlots locks the organisation's slots and deletes those that have expired.
func (db *DB) lockSlots(ctx context.Context, tx pgx.Tx, organisation tenant.ID) error {
	if err := db.LockQuotas(ctx, tx, organisation); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM stream_slots WHERE organisation_id = $1 AND expires_at <= now()`, organisation); err != nil {
		return fmt.Errorf("delete expired slots of organisation %d: %w", organisation, err)
	}
	return nil
}

// ReleaseSlot releases a slot.
func (*DB) ReleaseSlot(ctx context.Context, tx pgx.Tx, id uuid.UUID) error {
	if _, err := tx.Exec(ctx, `DELETE FROM stream_slots WHERE id = $1`, id); err != nil {
		return fmt.Errorf("release slot: %w", err)
	}
	return nil
}

// AcquireSlot is TakeSlot in a transaction of its own.
func (db *DB) AcquireSlot(ctx context.Context, organisation tenant.ID, s quota.Slot) (id uuid.UUID, err error) {
	err = db.InOrganisation(ctx, organisation, func(tx pgx.Tx) (err error) {
		id, err = db.TakeSlot(ctx, tx, organisation, s)
		return err
	})
	return id, err
}

// AcquireJobSlot is AcquireSlot for the work of a job: another attempt at it keeps the slot of one that
// died.
func (db *DB) AcquireJobSlot(ctx context.Context, j *job.Job, s quota.Slot) (id uuid.UUID, err error) {
	err = db.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) (err error) {
		id, err = db.takeSlot(ctx, tx, j.OrganisationID, s, uuid.NewSHA1(uuid.NameSpaceOID, []byte(s.Name+" "+string(j.ID))))
		return err
	})
	return id, err
}

// releaseTimeout limits the release of a slot after the context of its work has ended.
const releaseTimeout = 5 * time.Second

// ReleaseAcquired releases a slot of AcquireSlot or AcquireStream, also if the context has ended.
// Otherwise the slot is occupied until it expires.
func (db *DB) ReleaseAcquired(ctx context.Context, organisation tenant.ID, id uuid.UUID) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	return db.InOrganisation(ctx, organisation, func(tx pgx.Tx) error { return db.ReleaseSlot(ctx, tx, id) })
}
