package drop_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/step/drop"
)

// harness holds the step, an in-memory bucket, and a service that accepts everything.
type harness struct {
	step        *drop.Step
	objects     map[string]storedObject
	arrived     []job.Ref
	accepted    []submit.Request
	acceptErr   error // returned by the service
	useless     *object.Version
	onAccept    func() // called while a file is accepted
	quarantined []job.Quarantined
	later       []laterEvent
}

// laterEvent is an event that was queued again.
type laterEvent struct {
	object.Event
	organisation tenant.ID
	delay        time.Duration
}

type storedObject struct {
	body     string
	etag     string
	metadata map[string]string
}

func setup() *harness {
	b := &harness{objects: make(map[string]storedObject)}
	b.step = drop.New(b, bucket{b}, catalog.New(), b, b, drop.Config{Senders: drop.Senders{"111122223333": {"ann", "ben"}}}, slog.New(slog.DiscardHandler))
	return b
}

func (b *harness) HandleCreated(_ context.Context, ref job.Ref) (*object.Version, error) {
	b.arrived = append(b.arrived, ref)
	return b.useless, b.acceptErr
}

func (b *harness) Accept(_ context.Context, r submit.Request) (*submit.Accepted, error) {
	if b.onAccept != nil {
		b.onAccept()
	}
	if b.acceptErr != nil {
		return nil, b.acceptErr
	}
	b.accepted = append(b.accepted, r)
	return &submit.Accepted{}, nil
}

func (b *harness) OrganisationExists(_ context.Context, id tenant.ID) (bool, error) {
	return id == 7, nil
}

func (b *harness) InOrganisation(_ context.Context, _ tenant.ID, f func(pgx.Tx) error) error {
	return f(nil)
}

func (b *harness) AddQuarantined(_ context.Context, _ pgx.Tx, q *job.Quarantined) error {
	b.quarantined = append(b.quarantined, *q)
	return nil
}

func (b *harness) SendObject(_ context.Context, organisation tenant.ID, e object.Event, delay time.Duration) error {
	b.later = append(b.later, laterEvent{e, organisation, delay})
	return nil
}

// run delivers the event of an object that was created just now.
func (b *harness) run(t *testing.T, o object.Created) error {
	t.Helper()
	return b.step.Run(t.Context(), object.Event{Created: o, At: time.Now()})
}

// bucket implements the object store of a harness.
type bucket struct{ *harness }

func (b bucket) Head(_ context.Context, key string) (object.Info, error) {
	o, ok := b.objects[key]
	if !ok {
		return object.Info{}, problem.New(problem.UploadMissing, "not there")
	}
	return object.Info{Size: int64(len(o.body)), ETag: `"` + o.etag + `"`, ContentType: "text/csv", Metadata: o.metadata}, nil
}

func (b bucket) ReadRange(_ context.Context, v object.Version, offset, length int64) ([]byte, error) {
	return []byte(b.objects[v.Key].body[offset : offset+length]), nil
}

func (b bucket) Put(_ context.Context, key, _ string, body []byte) error {
	b.objects[key] = storedObject{body: string(body)}
	return nil
}

func (b bucket) PutIfAbsent(ctx context.Context, key, contentType string, body []byte) error {
	if _, taken := b.objects[key]; taken {
		return nil
	}
	return b.Put(ctx, key, contentType, body)
}

func (b bucket) Copy(_ context.Context, from object.Version, to string) error {
	if o := b.objects[from.Key]; `"`+o.etag+`"` != from.ETag {
		return problem.New(problem.SourceChanged, "replaced")
	}
	b.objects[to] = b.objects[from.Key]
	return nil
}

func (b bucket) DeleteVersion(_ context.Context, v object.Version) error {
	if o := b.objects[v.Key]; `"`+o.etag+`"` == v.ETag {
		delete(b.objects, v.Key)
	}
	return nil
}

func (b bucket) Delete(_ context.Context, key string) error {
	delete(b.objects, key)
	return nil
}

// upload stores a file and sends its event.
func (b *harness) upload(t *testing.T, key string, o storedObject) error {
	t.Helper()
	o.etag = "e1"
	b.objects[key] = o
	return b.run(t, object.Created{Key: key, Size: int64(len(o.body)), ETag: "e1", Sequencer: "1"})
}

func TestAnnouncedFileArrives(t *testing.T) {
	t.Parallel()
	const id = "01a1f9e7-1bde-7bf8-ac8c-500f93581dd4"
	broken := errors.New("out of order")
	for name, c := range map[string]struct {
		key     string
		arrived bool
		fail    error
	}{
		"uploaded file":                  {"uploads/7/" + id + "/source", true, nil},
		"upload that cannot be recorded": {"uploads/7/" + id + "/source", true, broken},
		"other object of an import":      {"uploads/7/" + id + "/preview", false, nil},
		"other prefix":                   {"exports/7/" + id + "/source", false, nil},
		"no import id":                   {"uploads/7/../source", false, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup()
			b.acceptErr = c.fail
			err := b.run(t, object.Created{Key: c.key, Size: 10})
			require.ErrorIs(t, err, c.fail)
			if c.arrived {
				require.Equal(t, []job.Ref{{JobID: id, OrganisationID: 7}}, b.arrived)
			} else {
				require.Empty(t, b.arrived)
			}
			require.Empty(t, b.accepted)
		})
	}
}

// A file that arrives after its import was cancelled is deleted, unless it was replaced since.
func TestFileOfEndedImportIsDeleted(t *testing.T) {
	t.Parallel()
	const key = "uploads/7/01a1f9e7-1bde-7bf8-ac8c-500f93581dd4/source"
	for etag, kept := range map[string]bool{`"e1"`: false, `"e0"`: true} {
		b := setup()
		b.useless = &object.Version{Key: key, Size: 7, ETag: etag}
		require.NoError(t, b.upload(t, key, storedObject{body: "content"}))
		require.Equal(t, kept, b.objects[key].body != "", etag)
	}
}

func TestDroppedFileIsImported(t *testing.T) {
	t.Parallel()
	b := setup()
	const key = "drop/7/MEMBERSHIP/11/-/2026/März a+b.csv"
	require.NoError(t, b.upload(t, key, storedObject{body: "content"}))
	require.Len(t, b.accepted, 1)
	r := b.accepted[0]
	require.Equal(t, tenant.ID(7), r.OrganisationID)
	require.Equal(t, "MEMBERSHIP", r.Type.Name)
	require.Equal(t, int64(11), *r.ContextID)
	require.Equal(t, submit.File{Name: "März a+b.csv", ContentType: "text/csv", Size: 7}, r.File)
	require.Equal(t, key, r.Object.Key)
	require.True(t, r.StartsAutomatically(), "a dropped file starts without questions")
	require.NoError(t, uuid.Validate(string(r.Object.JobID)))
	require.Contains(t, b.objects, key, "the file is read from the drop folder")
}

// TestProfileFolder: the first folder below the context names the profile; "-" means none.
func TestProfileFolder(t *testing.T) {
	t.Parallel()
	for key, c := range map[string]struct {
		settings string
		profile  string
		folder   bool
	}{
		"drop/7/USER/-/users.csv":                         {"", "", false},
		"drop/7/USER/-/Web shop/users.csv":                {"", "Web shop", true},
		"drop/7/USER/-/Web shop/2026/users.csv":           {"", "Web shop", true},
		"drop/7/USER/-/-/2026/users.csv":                  {"", "", false},
		"drop/7/USER/-/u.csv":                             {`{"profile":"Web shop"}`, "Web shop", false},
		"drop/7/USER/-/-/users.csv":                       {`{"profile":"Web shop"}`, "Web shop", false},
		"drop/7/USER/-/web SHOP/named in both ways/u.csv": {`{"profile":"Web shop"}`, "Web shop", false},
	} {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			b := setup()
			var metadata map[string]string
			if c.settings != "" {
				metadata = map[string]string{"loadbay": c.settings}
			}
			require.NoError(t, b.upload(t, key, storedObject{body: "content", metadata: metadata}))
			require.Len(t, b.accepted, 1)
			require.Equal(t, c.profile, b.accepted[0].Profile)
			if c.folder {
				require.True(t, b.accepted[0].ProfileFromFolder)
			}
		})
	}
	b := setup()
	require.NoError(t, b.upload(t, "drop/7/USER/-/Shop/u.csv", storedObject{body: "content", metadata: map[string]string{"loadbay": `{"profile":"Club"}`}}))
	require.Empty(t, b.accepted)
	require.Contains(t, b.objects["drop-quarantine/7/USER/-/Shop/u.csv.reason.json"].body, `"OPTION_INVALID"`)
	b = setup()
	b.acceptErr = problem.New(problem.ProfileUnknown, "There is no profile.")
	require.NoError(t, b.upload(t, "drop/7/USER/-/Shop/u.csv", storedObject{body: "content"}))
	require.Contains(t, b.objects["drop-quarantine/7/USER/-/Shop/u.csv.reason.json"].body, `"PROFILE_UNKNOWN"`)
}

func TestDroppedOrdersFileIsBatch(t *testing.T) {
	t.Parallel()
	b := setup()
	require.NoError(t, b.upload(t, "drop/7/ORDER/-/orders.csv", storedObject{body: "abc"}))
	require.Equal(t, "drop", b.accepted[0].Uploader)
	require.True(t, b.accepted[0].OncePerFile)
	// https://csrc.nist.gov/projects/cryptographic-standards-and-guidelines/example-values
	require.Equal(t, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", b.accepted[0].File.SHA256)
	require.NoError(t, b.upload(t, "drop/7/USER/-/users.csv", storedObject{body: "abc"}))
	require.False(t, b.accepted[1].OncePerFile)
	require.NoError(t, b.upload(t, "drop/7/ORDER/-/trial.csv", storedObject{body: "abc", metadata: map[string]string{"loadbay": `{"dryRun":true}`}}))
	require.False(t, b.accepted[2].OncePerFile, "a dry run does not prevent the later import")
	b.acceptErr = problem.New(problem.FileRepeated, "This file was already uploaded.")
	require.NoError(t, b.upload(t, "drop/7/ORDER/-/again.csv", storedObject{body: "abc"}))
	require.Contains(t, b.objects["drop-quarantine/7/ORDER/-/again.csv.reason.json"].body, "FILE_REPEATED")
}

// A file over a quota, or with an earlier import that is being undone, waits in its place with growing delays.
// After a day it is quarantined with the reason.
func TestDroppedFileWaits(t *testing.T) {
	t.Parallel()
	const key = "drop/7/ORDER/-/orders.csv"
	for _, code := range []problem.Code{problem.QuotaOpenImports, problem.QuotaAnnouncedBytes, problem.TooManyRequests, problem.UndoRunning} {
		synctest.Test(t, func(t *testing.T) {
			b := setup()
			b.acceptErr = problem.New(code, "Not now.")
			began := time.Now()
			require.NoError(t, b.upload(t, key, storedObject{body: "abc"}))
			var delays []time.Duration
			for attempt := 1; len(b.later) == attempt; attempt++ {
				e := b.later[attempt-1]
				require.Equal(t, tenant.ID(7), e.organisation)
				require.Equal(t, attempt, e.Attempts)
				require.Contains(t, b.objects, key)
				delays = append(delays, e.delay)
				<-time.After(e.delay)
				require.NoError(t, b.step.Run(t.Context(), e.Event))
			}
			require.Equal(t, []time.Duration{15 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 10 * time.Minute, 10 * time.Minute}, delays[:8])
			require.InDelta(t, 24, time.Since(began).Hours(), 0.25)
			require.Empty(t, b.accepted)
			require.Contains(t, b.objects["drop-quarantine/7/ORDER/-/orders.csv.reason.json"].body, string(code))
			require.NotContains(t, b.objects, key)

			b = setup()
			b.acceptErr = problem.New(code, "Not now.")
			require.NoError(t, b.upload(t, key, storedObject{body: "abc"}))
			require.Len(t, b.later, 1)
			require.NoError(t, b.run(t, b.later[0].Created), "a repeated message")
			b.acceptErr = nil
			require.NoError(t, b.step.Run(t.Context(), b.later[0].Event))
			require.Len(t, b.accepted, 1)
			require.Empty(t, b.quarantined)

			delete(b.objects, key)
			require.NoError(t, b.step.Run(t.Context(), b.later[1].Event), "a file that was removed meanwhile")
			require.Len(t, b.accepted, 1)
		})
	}
}

// The sender that S3 reports, and the people behind it, have contributed to the import.
func TestSenderIsContributor(t *testing.T) {
	t.Parallel()
	b := setup()
	for sender, names := range map[string][]string{
		"111122223333": {"111122223333", "ann", "ben"}, "transfer.amazonaws.com": {"transfer.amazonaws.com"}, "": nil, "\x00": nil, strings.Repeat("x", 2049): nil,
	} {
		b.accepted = nil
		b.objects["drop/7/USER/-/a.csv"] = storedObject{body: "x", etag: "e1"}
		require.NoError(t, b.run(t, object.Created{Key: "drop/7/USER/-/a.csv", ETag: "e1", Sender: sender}))
		require.Equal(t, names, b.accepted[0].Contributors)
		require.Equal(t, "drop", b.accepted[0].Uploader)
	}
	var s drop.Senders
	require.NoError(t, s.UnmarshalText(nil))
	require.NoError(t, s.UnmarshalText([]byte(`{"111122223333": ["ann"]}`)))
	require.Equal(t, drop.Senders{"111122223333": {"ann"}}, s)
	for _, text := range []string{"ann", `{"1": "ann"}`, `{"1": []}`, `{"1": [""]}`, `{"": ["ann"]}`} {
		var s drop.Senders
		require.Error(t, s.UnmarshalText([]byte(text)), text)
	}
}

// Each stored object has one job, regardless of how often its event is delivered.
func TestJobIDIsPerStoredObject(t *testing.T) {
	t.Parallel()
	b := setup()
	const key = "drop/7/USER/-/a.csv"
	b.objects[key] = storedObject{body: "x", etag: "e1"}
	b.objects[key+"2"] = storedObject{body: "x", etag: "e1"}
	for _, o := range []object.Created{
		{Key: key, ETag: "e1", Sequencer: "1"}, {Key: key, ETag: "e1", Sequencer: "1"},
		{Key: key, ETag: "e1", Sequencer: "2"}, {Key: key + "2", ETag: "e1", Sequencer: "1"},
	} {
		require.NoError(t, b.run(t, o))
	}
	var ids []job.ID
	for _, r := range b.accepted {
		require.Nil(t, r.ContextID)
		ids = append(ids, r.Object.JobID)
	}
	require.Len(t, ids, 4)
	require.Equal(t, ids[0], ids[1])
	require.NotEqual(t, ids[0], ids[2])
	require.NotEqual(t, ids[0], ids[3])
}

func TestFileSettings(t *testing.T) {
	t.Parallel()
	const key, text = "drop/7/USER/-/a.csv", `{"mode":"upsert","options":{"delimiter":";"},"autoStart":false,"dryRun":true,"mapping":{"ignore":["Note"]}}`
	for name, prepare := range map[string]func(b *harness) storedObject{
		"settings in the metadata": func(*harness) storedObject {
			return storedObject{body: "x", metadata: map[string]string{"loadbay": text}}
		},
		"settings in an options file": func(b *harness) storedObject {
			b.objects[key+".options.json"] = storedObject{body: text}
			return storedObject{body: "x"}
		},
		"metadata overrides the options file": func(b *harness) storedObject {
			b.objects[key+".options.json"] = storedObject{body: "{}"}
			return storedObject{body: "x", metadata: map[string]string{"loadbay": text}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup()
			require.NoError(t, b.upload(t, key, prepare(b)))
			r := b.accepted[0]
			require.Equal(t, "upsert", string(r.Mode))
			require.JSONEq(t, `{"delimiter":";"}`, string(r.Options))
			require.JSONEq(t, `{"ignore":["Note"]}`, string(r.Mapping))
			require.False(t, r.StartsAutomatically())
			require.True(t, r.DryRun)
		})
	}
}

// TestForeignMetadataIsIgnored: metadata of other programs is not taken for settings.
func TestForeignMetadataIsIgnored(t *testing.T) {
	t.Parallel()
	b := setup()
	require.NoError(t, b.upload(t, "drop/7/USER/-/a.csv", storedObject{body: "x", metadata: map[string]string{"model": "x", "s3cmd-attrs": "y", "mtime": "1", "mode": "0100644"}}))
	require.Len(t, b.accepted, 1)
}

func TestInvalidFilesAreQuarantined(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		place    string
		metadata string
		others   map[string]string // metadata to store instead
		fail     error
		code     problem.Code
	}{
		"no organisation":                     {place: "a.csv", code: problem.NotFound},
		"no context":                          {place: "7/USER/a.csv", code: problem.NotFound},
		"organisation id with a leading zero": {place: "07/USER/-/a.csv", code: problem.NotFound},
		"context that is not a number":        {place: "7/USER/x/a.csv", code: problem.NotFound},
		"unknown organisation":                {place: "8/USER/-/a.csv", code: problem.NotFound},
		"unknown type":                        {place: "7/PLANET/-/a.csv", code: problem.ImportTypeUnknown},
		"settings that are not JSON":          {place: "7/USER/-/a.csv", metadata: "upsert", code: problem.OptionInvalid},
		"unknown setting":                     {place: "7/USER/-/a.csv", metadata: `{"mod":"upsert"}`, code: problem.OptionInvalid},
		"empty settings":                      {place: "7/USER/-/a.csv", others: map[string]string{"loadbay": ""}, code: problem.OptionInvalid},
		"settings as key-value pairs":         {place: "7/USER/-/a.csv", metadata: "mode=upsert,dryrun=true", code: problem.OptionInvalid},
		"settings that are null":              {place: "7/USER/-/a.csv", metadata: "null", code: problem.OptionInvalid},
		"mapping as separate metadata":        {place: "7/USER/-/a.csv", others: map[string]string{"mapping": `{"ignore":["Note"]}`}, code: problem.OptionInvalid},
		"two JSON documents":                  {place: "7/USER/-/a.csv", metadata: `{"mode":"upsert"},{"dryRun":true}`, code: problem.OptionInvalid},
		"settings as separate metadata":       {place: "7/USER/-/a.csv", others: map[string]string{"mode": "upsert", "dryrun": "true"}, code: problem.OptionInvalid},
		"setting with a hyphen":               {place: "7/USER/-/a.csv", others: map[string]string{"auto-start": "false"}, code: problem.OptionInvalid},
		"setting with the loadbay prefix":     {place: "7/USER/-/a.csv", others: map[string]string{"loadbay-mode": "upsert"}, code: problem.OptionInvalid},
		"NUL in a setting":                    {place: "7/USER/-/a.csv", metadata: `{"options":{"sheetName":"a\u0000"}}`, code: problem.OptionInvalid},
		"lone surrogate in a setting":         {place: "7/USER/-/a.csv", metadata: `{"options":{"sheetName":"\ud800"}}`, code: problem.OptionInvalid},
		"invalid UTF-8 in the settings":       {place: "7/USER/-/a.csv", metadata: "{\"mode\":\"\xff\"}", code: problem.OptionInvalid},
		"NUL in the key":                      {place: "7/USER/-/a\x00/a.csv", code: problem.NotFound},
		"file refused":                        {place: "7/USER/-/a.csv", fail: problem.New(problem.FileEmpty, "Empty."), code: problem.FileEmpty},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup()
			b.acceptErr = c.fail
			o := storedObject{body: "content", metadata: c.others}
			if c.metadata != "" {
				o.metadata = map[string]string{"loadbay": c.metadata}
			}
			require.NoError(t, b.upload(t, "drop/"+c.place, o))
			require.Empty(t, b.accepted)
			require.NotContains(t, b.objects, "drop/"+c.place)
			require.Equal(t, "content", b.objects["drop-quarantine/"+c.place].body)
			var reason struct {
				ObjectKey, Code, Message string
				SizeBytes                int64
			}
			require.NoError(t, json.Unmarshal([]byte(b.objects["drop-quarantine/"+c.place+".reason.json"].body), &reason))
			require.Equal(t, "drop/"+c.place, reason.ObjectKey)
			require.Equal(t, string(c.code), reason.Code)
			require.Regexp(t, `^[A-Z].*\.$`, reason.Message, "a sentence")
			require.Equal(t, int64(7), reason.SizeBytes)

			require.NoError(t, b.run(t, object.Created{Key: "drop/" + c.place, ETag: "e1"}), "a second event for the same file is harmless")
		})
	}
}

// TestTransientErrorsAreRetried: the file remains in its place.
func TestTransientErrorsAreRetried(t *testing.T) {
	t.Parallel()
	for _, fail := range []error{errors.New("out of order"), problem.New(problem.Unavailable, "Later.")} {
		b := setup()
		b.acceptErr = fail
		require.ErrorIs(t, b.upload(t, "drop/7/USER/-/a.csv", storedObject{body: "x"}), fail)
		require.Contains(t, b.objects, "drop/7/USER/-/a.csv")
		require.Len(t, b.objects, 1)
	}
}

func TestNonFilesAreIgnored(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"drop/", "drop/7/USER/-/", "drop/7/USER/-/a.csv.options.json"} {
		b := setup()
		require.NoError(t, b.upload(t, key, storedObject{}))
		require.Empty(t, b.accepted)
		require.Len(t, b.objects, 1)
	}
	b := setup()
	b.objects["drop/7/USER/-/a.csv"] = storedObject{body: "x", etag: "e2"}
	require.NoError(t, b.run(t, object.Created{Key: "drop/7/USER/-/a.csv", ETag: "e1"}))
	require.Empty(t, b.accepted, "the replaced file has its own event")
}

// TestReplacedFileIsNotQuarantined: the file that replaced it has its own event.
func TestReplacedFileIsNotQuarantined(t *testing.T) {
	t.Parallel()
	b := setup()
	const key = "drop/7/USER/-/users.csv"
	b.acceptErr = problem.New(problem.OptionInvalid, "Not like this.")
	b.onAccept = func() { b.objects[key] = storedObject{body: "another", etag: "e2"} }
	require.NoError(t, b.upload(t, key, storedObject{body: "content"}))
	require.Equal(t, "another", b.objects[key].body)
	require.Len(t, b.objects, 1, "the quarantine is empty")
}

// A file in quarantine is not overwritten by a later file of the same name, and a repeated
// message quarantines nothing again.
func TestQuarantineKeepsSameNamedFiles(t *testing.T) {
	t.Parallel()
	b := setup()
	const key, aside = "drop/7/USER/-/users.csv", "drop-quarantine/7/USER/-/users.csv"
	b.acceptErr = problem.New(problem.OptionInvalid, "Not like this.")
	refuse := func(body, sequencer string) {
		t.Helper()
		b.objects[key] = storedObject{body: body, etag: body}
		o := object.Created{Key: key, Size: int64(len(body)), ETag: body, Sequencer: sequencer}
		require.NoError(t, b.run(t, o))
		b.objects[key] = storedObject{body: body, etag: body} // as if it had not been removed yet
		require.NoError(t, b.run(t, o))
	}
	refuse("monday", "1")
	refuse("tuesday", "2")
	require.Equal(t, "monday", b.objects[aside].body)
	ids := make(map[job.ID]string)
	for _, q := range b.quarantined {
		ids[q.ID] = q.QuarantineKey
		require.Equal(t, key, q.ObjectKey)
		require.Equal(t, "OPTION_INVALID", q.Code)
		require.Contains(t, b.objects[q.QuarantineKey+".reason.json"].body, string(q.ID))
	}
	require.Len(t, ids, 2)
	delete(ids, b.quarantined[0].ID)
	for id, kept := range ids {
		require.Equal(t, aside+"."+string(id), kept)
		require.Equal(t, "tuesday", b.objects[kept].body)
	}
	require.Len(t, b.objects, 4)
}

// A file of an unknown organisation is not recorded, since no list could show it.
func TestQuarantineNeedsKnownOrganisation(t *testing.T) {
	t.Parallel()
	b := setup()
	b.acceptErr = problem.New(problem.OptionInvalid, "Not like this.")
	for _, key := range []string{"drop/8/USER/-/a.csv", "drop/x/USER/-/a.csv", "drop/7/USER/-/a\x00.csv"} {
		require.NoError(t, b.upload(t, key, storedObject{body: "x"}))
	}
	require.Empty(t, b.quarantined)
	require.NoError(t, b.upload(t, "drop/7/USER/oops/a.csv", storedObject{body: "x"}))
	require.Len(t, b.quarantined, 1)
}

// TestTooLongPathIsQuarantined: a key that leaves no room for the objects next to it would fail with
// every delivery of its event, and the file would be neither imported nor in quarantine.
func TestTooLongPathIsQuarantined(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		strings.Repeat("n", 241) + ".csv",
		strings.Repeat(strings.Repeat("é", 100)+"/", 5) + "u.csv",
	} {
		b := setup()
		require.NoError(t, b.upload(t, "drop/7/USER/-/"+name, storedObject{body: "content"}))
		require.Empty(t, b.accepted)
		require.Len(t, b.quarantined, 1)
		q := b.quarantined[0]
		require.Equal(t, string(problem.FilenameInvalid), q.Code)
		require.Equal(t, "content", b.objects[q.QuarantineKey].body)
		require.True(t, utf8.ValidString(q.QuarantineKey))
		require.LessOrEqual(t, len(q.QuarantineKey)+len(".")+36+len(".reason.json"), 1024)
		for part := range strings.SplitSeq(q.QuarantineKey, "/") {
			require.LessOrEqual(t, len(part)+len(".")+36+len(".reason.json"), 255)
		}
	}
	b := setup()
	require.NoError(t, b.upload(t, "drop/7/USER/-/"+strings.Repeat("n", 236)+".csv", storedObject{body: "content"}))
	require.Len(t, b.accepted, 1)
}
