// Package drop starts imports when objects arrive in the bucket: announced files under
// uploads/, and unannounced files in the drop folder.
//
//	drop/{organisation}/{importType}/{contextId or -}/file               the file
//	drop/{organisation}/{importType}/{contextId or -}/{profile}/…file    a file that uses a profile
//	drop/….options.json              its settings, unless they are in its metadata
//	drop-quarantine/….               a file that cannot be imported
//	drop-quarantine/….reason.json    and the reason; a second file of that name has its id appended
//
// The first folder after the context names a profile; "-" means no profile, so that files can
// be in folders below it.
//
// Settings are an object as in x-amz-meta-loadbay:
// {"mode":"upsert","options":{"delimiter":";"},"review":"unsure","dryRun":true}.
// Any other metadata entry with a name like a setting is rejected: it would be ignored, and
// the file would be imported with other settings than intended.
package drop

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// Imports records uploads, and accepts imports of existing files.
type Imports interface {
	// HandleCreated returns the object if its import has ended without it.
	HandleCreated(ctx context.Context, ref job.Ref) (useless *object.Version, err error)
	Accept(ctx context.Context, r submit.Request) (*submit.Accepted, error)
	// OrganisationExists reports whether the organisation exists.
	OrganisationExists(ctx context.Context, id tenant.ID) (bool, error)
}

// Objects is the bucket. Head, Range and Copy return UPLOAD_MISSING if the object does not
// exist, and SOURCE_CHANGED if it has been replaced by another version.
type Objects interface {
	Head(ctx context.Context, key string) (object.Info, error)
	ReadRange(ctx context.Context, v object.Version, offset, length int64) ([]byte, error)
	Put(ctx context.Context, key, contentType string, body []byte) error
	// PutIfAbsent leaves an existing object unchanged.
	PutIfAbsent(ctx context.Context, key, contentType string, body []byte) error
	Copy(ctx context.Context, from object.Version, to string) error
	DeleteVersion(ctx context.Context, v object.Version) error
	Delete(ctx context.Context, key string) error
}

// Types finds import types; see catalog.Catalog.
type Types interface {
	Type(ctx context.Context, tx pgx.Tx, organisation tenant.ID, name string, version int) (entity.Type, error)
}

// Step is the drop function.
type Step struct {
	imports     Imports
	objects     Objects
	types       Types
	quarantined Quarantine
	queue       Queue
	senders     Senders
	log         *slog.Logger
	now         func() time.Time
}

// New returns the step.
func New(imports Imports, objects Objects, types Types, aside Quarantine, queue Queue, c Config, log *slog.Logger) *Step {
	return &Step{imports: imports, objects: objects, types: types, quarantined: aside, queue: queue, senders: c.Senders, log: log, now: time.Now}
}

// Run handles the creation of an object. Events are delivered at least once, in any order, and
// also for objects that the API has stored itself; all of these cases are harmless.
func (s *Step) Run(ctx context.Context, e object.Event) error {
	o := e.Created
	if ref, ok := submit.ParseSourceKey(o.Key); ok {
		return s.receiveUpload(ctx, ref)
	}
	switch {
	case !strings.HasPrefix(o.Key, dropFolder):
		s.log.WarnContext(ctx, "object ignored: not an import path", "size_bytes", o.Size)
		return nil
	case strings.HasSuffix(o.Key, "/") && o.Size == 0, strings.HasSuffix(o.Key, settingsSuffix):
		return nil // a folder created by a console, or the settings of a file
	}
	return s.importDropped(ctx, e)
}

// receiveUpload records an announced file, and deletes a file whose import has ended without it.
func (s *Step) receiveUpload(ctx context.Context, ref job.Ref) error {
	useless, err := s.imports.HandleCreated(ctx, ref)
	if err != nil || useless == nil {
		return err
	}
	s.log.InfoContext(ctx, "file of an ended import deleted", "job_id", ref.JobID, "size_bytes", useless.Size)
	return s.objects.DeleteVersion(ctx, *useless)
}

// importDropped imports a file from the drop folder.
func (s *Step) importDropped(ctx context.Context, e object.Event) error {
	o := e.Created
	info, err := s.objects.Head(ctx, o.Key)
	gone := problem.CodeOf(err) == problem.UploadMissing || err == nil && o.ETag != "" && strings.Trim(info.ETag, `"`) != o.ETag
	if err == nil && !gone {
		err = s.importOrQuarantine(ctx, e, info)
	}
	if gone || problem.CodeOf(err) == problem.SourceChanged {
		s.log.InfoContext(ctx, "object of event not found, or replaced by one with its own event", "size_bytes", o.Size)
		return nil
	}
	return err
}

// importOrQuarantine imports a file from the drop folder, puts it back, or moves it to quarantine.
func (s *Step) importOrQuarantine(ctx context.Context, e object.Event, info object.Info) error {
	o := e.Created
	ctx = telemetry.With(ctx, "request_id", objectJobID(o))
	request, err := s.newRequest(ctx, o, info)
	if err == nil {
		_, err = s.imports.Accept(ctx, request)
	}
	switch {
	case s.mayWait(e, err):
		return s.putBack(ctx, request.OrganisationID, e, err)
	case isRejection(err):
		return s.quarantine(ctx, o, object.Version{Key: o.Key, Size: info.Size, ETag: info.ETag}, err)
	}
	return err
}

// newRequest returns the import request that follows from the location and settings of a file.
func (s *Step) newRequest(ctx context.Context, o object.Created, info object.Info) (submit.Request, error) {
	place, err := parseLocation(o.Key)
	if err != nil {
		return submit.Request{}, err
	}
	typ, err := s.types.Type(ctx, nil, place.organisation, place.importType, 0)
	if err != nil {
		return submit.Request{}, err
	}
	if known, err := s.imports.OrganisationExists(ctx, place.organisation); err != nil {
		return submit.Request{}, err
	} else if !known {
		return submit.Request{}, locationError("The organisation in the path after drop/ does not exist.")
	}
	given, err := s.loadSettings(ctx, o, info.Metadata)
	if err != nil {
		return submit.Request{}, err
	}
	if err := place.setProfile(given.Profile); err != nil {
		return submit.Request{}, err
	}
	id := objectJobID(o)
	r := submit.Request{
		OrganisationID: place.organisation, RequestID: string(id), Endpoint: "drop", Type: typ.Declaration(), ContextID: place.contextID,
		Options: given.Options, Mapping: given.Mapping, ImportOptions: given.ImportOptions, Unattended: true,
		ProfileFromFolder: given.Profile == "", Uploader: uploader, Contributors: s.senders.people(o.Sender),
		File:   submit.File{Name: place.filename, ContentType: info.ContentType, Size: info.Size},
		Object: &submit.Object{JobID: id, Key: o.Key, ETag: info.ETag},
	}
	r.Profile = place.profile
	if r.Type.BatchUploads == nil || r.DryRun {
		return r, nil
	}
	// Such uploads are numbered and identified by their content.
	r.OncePerFile = true
	r.File.SHA256, err = s.checksum(ctx, object.Version{Key: o.Key, Size: info.Size, ETag: info.ETag})
	return r, err
}

// uploader is recorded as the uploader of files from the drop folder.
const uploader = "drop"

// checksumBlock is the number of bytes of a file that are read at a time.
const checksumBlock = 8 << 20

// checksum returns the SHA-256 of an object, in hexadecimal.
func (s *Step) checksum(ctx context.Context, v object.Version) (string, error) {
	sum := sha256.New()
	for place := int64(0); place < v.Size; place += checksumBlock {
		piece, err := s.objects.ReadRange(ctx, v, place, min(checksumBlock, v.Size-place))
		if err != nil {
			return "", fmt.Errorf("compute checksum of dropped file: %w", err)
		}
		sum.Write(piece)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// objectJobID returns the id of the job of an object. It is the same for repeated events of the
// object, and differs for an object that replaces it later.
func objectJobID(o object.Created) job.ID {
	return job.ID(uuid.NewSHA1(uuid.NameSpaceURL, []byte("loadbay:"+o.Key+"\n"+o.ETag+"\n"+o.Sequencer)).String())
}
