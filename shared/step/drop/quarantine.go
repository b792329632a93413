package drop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/pgtext"
	"github.com/loadbay/loadbay/shared/problem"
)

// maxCopy is the largest object in bytes that S3 copies in one request. A larger file remains
// in its place; its reason is written nevertheless.
//
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html
const maxCopy = 5 << 30

// reason is the document that explains why a file was not imported.
type reason struct {
	ID        job.ID          `json:"id"`        // of the job that would have been created
	Key       string          `json:"objectKey"` // original key
	ETag      string          `json:"etag"`
	SizeBytes int64           `json:"sizeBytes"`
	At        time.Time       `json:"quarantinedAt"`
	Code      problem.Code    `json:"code"`
	Message   string          `json:"message"`
	Errors    []problem.Field `json:"errors"`
}

// isRejection reports whether an error is due to the file or its location, or to quotas of its
// organisation that it has waited for in vain, so that a retry would fail again.
func isRejection(err error) bool {
	code := problem.CodeOf(err)
	return code != "" && code != problem.Internal && code != problem.UploadMissing && code != problem.SourceChanged &&
		code.Status() < http.StatusInternalServerError
}

// Quarantine records quarantined files for their organisation.
type Quarantine interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	AddQuarantined(ctx context.Context, tx pgx.Tx, q *job.Quarantined) error
}

// quarantine moves a file out of the drop folder and writes the reason next to it. It is safe
// to repeat after a crash, since the file is removed last. A file that has replaced it in the
// meantime remains.
func (s *Step) quarantine(ctx context.Context, o object.Created, v object.Version, because error) error {
	fault := problem.From(because)
	why := reason{
		ID: objectJobID(o), Key: o.Key, ETag: o.ETag, SizeBytes: v.Size, At: s.now().UTC(), Code: fault.Code, Message: fault.Message,
		Errors: append([]problem.Field{}, fault.Fields...),
	}
	destination, err := s.reserveReason(ctx, why)
	if err != nil {
		return fmt.Errorf("quarantine object: %w", err)
	}
	moved := v.Size <= maxCopy
	if moved {
		if err := s.objects.Copy(ctx, v, destination); err != nil {
			return fmt.Errorf("quarantine object: %w", s.releaseReason(ctx, destination, err))
		}
	} else {
		destination = o.Key
	}
	if err := s.recordQuarantined(ctx, why, destination); err != nil {
		return fmt.Errorf("quarantine object: %w", err)
	}
	if moved {
		if err := s.objects.DeleteVersion(ctx, v); err != nil {
			return fmt.Errorf("quarantine object: %w", err)
		}
	}
	s.log.WarnContext(ctx, "object quarantined", "code", fault.Code, "size_bytes", v.Size, "moved", moved)
	return nil
}

// reserveReason writes the reason under a name that no other file uses, and returns the
// destination of the file: its own name, shortened if necessary, or, if that name is already in quarantine, the name
// followed by the id.
func (s *Step) reserveReason(ctx context.Context, why reason) (destination string, err error) {
	body, err := json.MarshalIndent(why, "", "  ")
	if err != nil {
		return "", err
	}
	destination = quarantineFolder + shorten(strings.TrimPrefix(why.Key, dropFolder))
	if err := s.objects.PutIfAbsent(ctx, destination+reasonSuffix, "application/json", append(body, '\n')); err != nil {
		return "", err
	}
	kept, err := s.readReason(ctx, destination)
	if err != nil || kept.ID == why.ID {
		return destination, err
	}
	destination += "." + string(why.ID)
	return destination, s.objects.Put(ctx, destination+reasonSuffix, "application/json", append(body, '\n'))
}

// releaseReason deletes the reason of a file that no longer exists, which is why it could not
// be quarantined, unless an earlier attempt has quarantined it.
func (s *Step) releaseReason(ctx context.Context, destination string, because error) error {
	if problem.CodeOf(because) != problem.SourceChanged {
		return because
	}
	if _, err := s.objects.Head(ctx, destination); problem.CodeOf(err) != problem.UploadMissing {
		return errors.Join(because, err)
	}
	return errors.Join(because, s.objects.Delete(ctx, destination+reasonSuffix))
}

// maxReason is an upper bound for the size of a reason in bytes.
const maxReason = 1 << 20

// readReason returns the reason stored next to a file in quarantine. For one that cannot be
// parsed it returns the zero value, without an owner.
func (s *Step) readReason(ctx context.Context, destination string) (kept reason, err error) {
	key := destination + reasonSuffix
	info, err := s.objects.Head(ctx, key)
	if err != nil || info.Size > maxReason {
		return kept, err
	}
	body, err := s.objects.ReadRange(ctx, object.Version{Key: key, ETag: info.ETag}, 0, info.Size)
	if err != nil {
		return kept, err
	}
	if json.Unmarshal(body, &kept) != nil {
		return reason{}, nil
	}
	return kept, nil
}

// recordQuarantined adds the file to the list of its organisation, if the organisation exists.
func (s *Step) recordQuarantined(ctx context.Context, why reason, destination string) error {
	folder, _, _ := strings.Cut(strings.TrimPrefix(why.Key, dropFolder), "/")
	organisation, err := tenant.Parse(folder)
	if err != nil || !pgtext.ValidText(why.Key) {
		return nil
	}
	if known, err := s.imports.OrganisationExists(ctx, organisation); err != nil || !known {
		return err
	}
	faults, err := json.Marshal(why.Errors)
	if err != nil {
		return err
	}
	return s.quarantined.InOrganisation(ctx, organisation, func(tx pgx.Tx) error {
		return s.quarantined.AddQuarantined(ctx, tx, &job.Quarantined{
			ID: why.ID, OrganisationID: organisation, ObjectKey: why.Key, QuarantineKey: destination, SizeBytes: why.SizeBytes,
			Code: string(why.Code), Message: why.Message, Errors: faults,
		})
	})
}
